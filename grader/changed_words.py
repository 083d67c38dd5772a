"""How gains read on the page on what changed, and when they are said to pay."""

PAYS, COSTS = 1.10, 0.95  # from here on it pays; below this it costs
NOT_MEASURED = "not measured"

Gains = dict[int, float]  # by scale; a gain is the time without over the time with


def span(gains: Gains, digits: int = 2, where: bool = True) -> str | None:
    """Least and largest gain, and where: "0.95 times (2^14) to 1.60 times (2^23)"."""
    if not gains:
        return None
    ends = [min(gains, key=gains.__getitem__), max(gains, key=gains.__getitem__)]
    at = [f"{gains[scale]:.{digits}f} times" + (f" (2^{scale})" if where else "") for scale in ends]
    return at[0] if ends[0] == ends[1] else f"{at[0]} to {at[1]}"


def largest(gains: Gains) -> str | None:
    """The gain at the largest scale."""
    return f"{gains[max(gains)]:.2f} times at 2^{max(gains)}" if gains else None


def verdict(gains: Gains) -> str | None:
    """Whether it pays, from the gains at all sizes."""
    if not gains:
        return None
    low, high = min(gains.values()), max(gains.values())
    if high >= PAYS:
        return "yes" if low >= PAYS else "depends on the size"
    return "it costs" if high < COSTS else "no"


def power(n: int) -> str:
    """`2^10`, or the number where it is none."""
    exponent = n.bit_length() - 1
    return f"2^{exponent}" if n == 1 << exponent else f"{n:,}"


def table(head: list[str], rows: list[list[str]]) -> str:
    """In Markdown; in words where there is no row."""
    if not rows:
        return NOT_MEASURED + "."
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(cells) + " |" for cells in lines)
