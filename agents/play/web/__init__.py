"""Play against agents in a page that is served only on this machine."""
