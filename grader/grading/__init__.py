"""One submission to one result: verdicts, points, counters, provenance."""
