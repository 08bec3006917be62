"""A local server of chat completions, for tests of clients."""

import contextlib
import http.server
import json
import threading


@contextlib.contextmanager
def served(answer):
    """Serve within the context and yield the address and the list of requests.

    Args:
        answer: function of a request's JSON. It returns a text, a status, or `None` to close the
            connection.
    """
    asked = []

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_POST(self):
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            asked.append((self.path, dict(self.headers), body))
            said = answer(body)
            if said is None:
                self.close_connection = True
                return
            told = json.dumps(completion(said)).encode()
            self.send_response(said if isinstance(said, int) else 200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(told)))
            self.end_headers()
            self.wfile.write(told)

        def log_message(self, *_):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/v1", asked
    finally:
        server.shutdown()
        server.server_close()
        thread.join(60)


def completion(text):
    """Return a response in the format of such servers."""
    message = {"role": "assistant", "content": text if isinstance(text, str) else ""}
    return {
        "id": "1",
        "object": "chat.completion",
        "created": 0,
        "model": "small",
        "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2},
    }
