"""A game that is served, and requests as anybody may make them."""

import contextlib
import http.client
import json
import re


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

    def act(self, order, **headers):
        """Status and JSON of an order given as the page gives it, but for these headers."""
        body = order if isinstance(order, bytes) else json.dumps(order).encode()
        headers = {"Origin": self.origin, "Content_Type": "application/json", **headers}
        status, _, answer = self.ask("POST", f"/{self.token}/act", body, **headers)
        return status, json.loads(answer)
