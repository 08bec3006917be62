"""A warm process under `faults.c` that runs `boardenvs` commands in forks of itself.

It reads one JSON request per line and answers each with one line. See `faults.Commands`.
"""

import ctypes
import json
import mmap
import os
import signal
import struct
import sys
import threading
import time
import traceback
from pathlib import Path

TOLD = struct.Struct("@qq16s480sq")
"""Counters of the library, followed by the number of games added to a store."""


def run(request, shared, address):
    """Run one command in the child process, which then exits."""
    out = os.open(request["told"], os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    os.dup2(out, 1)
    os.dup2(out, 2)
    os.chdir(request["folder"])
    for name, value in request.get("changes", {}).items():
        module, _, attribute = name.rpartition(".")
        setattr(sys.modules[module], attribute, value)

    from agents.arena.storage.store import Store
    from agents.command import main

    add = Store.add

    def counted(self, specs, games):
        add(self, specs, games)
        place = TOLD.size - 8
        (before,) = struct.unpack_from("@q", shared, place)
        struct.pack_into("@q", shared, place, before + len(games))

    Store.add = counted
    signal.signal(signal.SIGINT, signal.default_int_handler)
    status = 1
    ctypes.CDLL(None).faults_arm(
        ctypes.c_void_p(address),
        request["folder"].encode(),
        ctypes.c_long(request["at"]),
        request["kind"],
        request["error"],
        request["for_good"],
        request["classes"],
    )
    try:
        status = main(request["arguments"])
        threading._shutdown()
    except BaseException:  # noqa: BLE001 reported as Python would
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status)


def answer(request):
    """Run a command in a fork; return its end and the counters of the library."""
    shared = mmap.mmap(-1, mmap.PAGESIZE)
    view = (ctypes.c_char * mmap.PAGESIZE).from_buffer(shared)
    begin = time.monotonic()
    child = os.fork()
    if child == 0:
        run(request, shared, ctypes.addressof(view))
    ended, status = 0, 0
    while not ended:
        ended, status = os.waitpid(child, os.WNOHANG)
        after = time.monotonic() - begin
        if not ended:
            if after > request["seconds"]:
                os.kill(child, signal.SIGKILL)
                ended, status = os.waitpid(child, 0)
                with Path(request["told"]).open("a", encoding="utf-8") as told:
                    told.write(f"\nkilled: not over after {request['seconds']:g} s\n")
            else:
                time.sleep(0.002)
    count, fired, operation, path, stored = TOLD.unpack_from(shared, 0)
    return {
        "status": os.waitstatus_to_exitcode(status),
        "seconds": after,
        "count": count,
        "fired": fired,
        "operation": operation.rstrip(b"\0").decode(),
        "path": path.rstrip(b"\0").decode(),
        "stored": stored,
    }


def main():
    requests, answers = os.fdopen(os.dup(0)), os.fdopen(os.dup(1), "w")
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(2, 1)  # output of this process is discarded
    from tqdm import tqdm

    import agents.command

    tqdm.monitor_interval = 0  # forking requires a single thread
    for line in requests:
        request = json.loads(line)
        if request.get("warm"):
            try:
                status = agents.command.main(request["arguments"])
            except BaseException:  # noqa: BLE001 reported as Python would
                traceback.print_exc()
                status = 1
            told = {"status": status}
        else:
            told = answer(request)
        print(json.dumps(told), file=answers, flush=True)


if __name__ == "__main__":
    main()
