"""Analysis of play: judgements of positions, lost games, exploitability, intervals."""
