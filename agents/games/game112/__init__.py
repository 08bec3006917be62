"""Players of the 112 game alone."""

ANALYSTS = ("exact",)
