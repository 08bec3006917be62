"""Tables, charts and HTML pages of any results.

`table` writes a table for a terminal, for Markdown and for HTML. `page` is the frame of HTML
pages, and `interval_chart` draws the charts in them. `line_chart` draws pictures with Matplotlib.
`formats` writes numbers.
"""
