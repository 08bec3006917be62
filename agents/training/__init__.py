"""Training by self-play: MaskablePPO over the native vector environments. Needs `[train]`."""
