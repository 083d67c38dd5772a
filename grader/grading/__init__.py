"""From one submission to one result: verdicts, points, counters, provenance."""
