"""Where rows come from, who reads them, and where the outcomes go."""
