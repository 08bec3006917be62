"""`python -m boardenvs.pizza_order`: three orders at the keyboard."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from boardenvs.cli import program_parser, run_program
from boardenvs.pizza_order.console import PizzaOrder


def main(argv: Sequence[str] | None = None) -> int:
    """Take three orders on standard input and output, and return the exit status."""
    program_parser("pizza_order", "A shop that takes three orders of pizzas.").parse_args(argv)
    return run_program(_three_orders)


def _three_orders() -> None:
    PizzaOrder.total_orders = 0
    for _ in range(3):
        print(PizzaOrder())


if __name__ == "__main__":
    sys.exit(main())
