"""What a run is shown as: a report in HTML and Markdown, JSON, runs side by side, an index of runs."""
