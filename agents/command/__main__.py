"""`python -m agents.command`: the `boardenvs` command."""

import sys

from boardenvs.start import main

if __name__ == "__main__":
    sys.exit(main())
