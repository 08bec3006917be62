"""`python -m agents.command`: the `boardenvs` command."""

import sys

from agents.command import main
from boardenvs.program import leave

if __name__ == "__main__":
    sys.exit(leave(main()))
