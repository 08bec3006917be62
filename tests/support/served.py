"""A game that is served, and requests as anybody may make them."""

import contextlib
import http.client
import json
import re
import socket
import threading
import time

import boardenvs


@contextlib.contextmanager
def serve(name, opponent="random", seat=0, seed=1, **params):
    """A game that is served as long as the context lasts: a `Served`."""
    from agents.play.web.room import Room
    from agents.play.web.serve import prepare
    from agents.play.web.session import Session

    room = Room(Session(boardenvs.make(name, **params), [opponent], seat, seed))
    with socket.socket() as listening:
        server, address = prepare(room, listening)
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
        thread.start()
        try:
            yield Served(address)
        finally:
            server.should_exit = True
            thread.join(60)
        assert not thread.is_alive()


class Served:
    """A game served in a thread of this process, and requests as anybody may make them."""

    def __init__(self, address):
        self.address = address
        self.host, self.token = re.fullmatch(r"http://([\d.:]+)/([\w-]+)/", address).groups()
        self.origin = f"http://{self.host}"

    def ask(self, method="GET", path=None, body=None, **headers):
        """Status, headers and body of the answer; a header of `None` is left out."""
        connection = http.client.HTTPConnection(self.host, timeout=60)
        with contextlib.closing(connection):
            skip = "Host" in headers
            connection.putrequest(method, path or f"/{self.token}/", skip_host=skip)
            for name, value in headers.items():
                if value is not None:
                    connection.putheader(name.replace("_", "-"), value)
            if body is not None:
                connection.putheader("Content-Length", str(len(body)))
            connection.endheaders(body)
            answer = connection.getresponse()
            return answer.status, answer.headers, answer.read()

    def connect(self, sent=b""):
        """A fresh connection over which something has been sent."""
        here, port = self.host.split(":")
        connection = socket.create_connection((here, int(port)), timeout=60)
        connection.sendall(sent)
        return connection

    def half_an_order(self):
        """What a client sends that says that it orders something, and then stops."""
        return (
            f"POST /{self.token}/act HTTP/1.1\r\nHost: {self.host}\r\nOrigin: {self.origin}\r\n"
            'Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{"do":'
        ).encode()

    def act(self, order, **headers):
        """Status and JSON of an order given as the page gives it, but for these headers."""
        body = order if isinstance(order, bytes) else json.dumps(order).encode()
        headers = {"Origin": self.origin, "Content_Type": "application/json", **headers}
        status, _, answer = self.ask("POST", f"/{self.token}/act", body, **headers)
        return status, json.loads(answer)

    def open(self, data, version, **headers):
        """Status and JSON of the opening of a file's bytes, as the page does it."""
        headers = {"Origin": self.origin, "Content_Type": "application/json", **headers}
        path = f"/{self.token}/open?version={version}"
        status, _, answer = self.ask("POST", path, data, **headers)
        return status, json.loads(answer)

    def shown(self):
        """What the page is told."""
        page = self.ask()[2].decode()
        return json.loads(re.search(r'type="application/json">(.*?)</script>', page)[1])

    def until_ready(self, version):
        """Wait until the next game is prepared; what is told of it."""
        told = {"preparing": True}
        while told["preparing"]:
            status, told = self.act({"do": "ready", "version": version})
            assert status == 200
            time.sleep(0.01)
        return told
