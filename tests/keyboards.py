"""A person at the keyboard, for tests of programs that ask by `input`."""


def answering(lines):
    """A stand-in for `input` that answers with the given lines and echoes them, as a terminal does.

    After the last one the input ends.
    """
    answers = iter(lines)

    def typed(prompt=""):
        print(prompt, end="")
        line = next(answers, None)
        if line is None:
            raise EOFError
        print(line)
        return line

    return typed
