"""A served game and arbitrary requests to it."""

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
    """Serve a game within the context and yield a `Served`."""
    from agents.naming.spec import specs_of
    from agents.play.web.room import Room
    from agents.play.web.serve import prepare
    from agents.play.web.session import Session

    game = boardenvs.make(name, **params)
    room = Room(Session(game, specs_of([opponent], game), seat, seed))
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
    """A game served in a thread of this process, with arbitrary requests to it."""

    def __init__(self, address):
        self.address = address
        self.host, self.token = re.fullmatch(r"http://([\d.:]+)/([\w-]+)/", address).groups()
        self.origin = f"http://{self.host}"

    def ask(self, method="GET", path=None, body=None, **headers):
        """Return status, headers and body of the response; headers of value `None` are omitted."""
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
        """Open a new connection and send bytes over it."""
        here, port = self.host.split(":")
        connection = socket.create_connection((here, int(port)), timeout=60)
        connection.sendall(sent)
        return connection

    def partial_request(self):
        """Return a request that announces a command and stops in the middle."""
        return (
            f"POST /{self.token}/act HTTP/1.1\r\nHost: {self.host}\r\nOrigin: {self.origin}\r\n"
            'Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{"do":'
        ).encode()

    def act(self, order, **headers):
        """Send a command as the page does, with `headers` changed; return status and JSON."""
        body = order if isinstance(order, bytes) else json.dumps(order).encode()
        headers = {"Origin": self.origin, "Content_Type": "application/json", **headers}
        status, _, answer = self.ask("POST", f"/{self.token}/act", body, **headers)
        return status, json.loads(answer)

    def open(self, data, version, **headers):
        """Send a file's bytes as the page does when it opens a file; return status and JSON."""
        headers = {"Origin": self.origin, "Content_Type": "application/json", **headers}
        path = f"/{self.token}/open?version={version}"
        status, _, answer = self.ask("POST", path, data, **headers)
        return status, json.loads(answer)

    def shown(self):
        """Return the JSON data in the page."""
        page = self.ask()[2].decode()
        return json.loads(re.search(r'type="application/json">(.*?)</script>', page)[1])

    def until_ready(self, version):
        """Wait until the next game is prepared and return the last response."""
        told = {"preparing": True}
        while told["preparing"]:
            status, told = self.act({"do": "ready", "version": version})
            assert status == 200
            time.sleep(0.01)
        return told
