"""From a template to one HTML file: style, script and figures are in it, and it loads nothing.

Every value is escaped twice: characters that a reader cannot see become visible (base/text.py),
then Jinja escapes what HTML would act on. A policy in the page forbids every request, and every
script but the one that is written here.
"""

import base64
import hashlib
from functools import cache, partial
from pathlib import Path
from typing import Any

import jinja2
from markupsafe import Markup

from ..base.local_time import MINUTES, local_time
from ..base.text import escaped
from ..study.told import plainly

TEMPLATES = Path(__file__).parent / "templates"


def render(template: str, script: str = "", **values: Any) -> str:
    """The page that `template` makes of `values`; `script` is a file beside the templates."""
    code = _file(script) if script else ""
    digest = base64.b64encode(hashlib.sha256(code.encode()).digest()).decode()
    policy = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; "
    policy += f"script-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
    return _environment().get_template(template).render(
        style=Markup(_file("style.css")), script=Markup(code), policy=policy, **values
    )  # fmt: skip


def part(template: str, **values: Any) -> str:
    """A piece of a page, escaped as the page is."""
    return _environment().get_template(template).render(**values)


def _file(name: str) -> str:
    return (TEMPLATES / name).read_text(encoding="utf-8")


@cache
def _environment() -> jinja2.Environment:
    made = jinja2.Environment(
        loader=jinja2.FileSystemLoader(TEMPLATES), autoescape=True, finalize=_shown,
        undefined=jinja2.StrictUndefined, trim_blocks=True, lstrip_blocks=True,
    )  # fmt: skip
    made.filters |= {"number": number, "seconds": seconds, "short": short, "times": times,
                     "when": partial(local_time, form=MINUTES), "column": column,
                     "plainly": plainly}  # fmt: skip
    made.policies["json.dumps_kwargs"] = {"sort_keys": False, "ensure_ascii": True}
    return made


def _shown(value: Any) -> Any:
    """What is printed of a value: text with nothing hidden in it, and no `None`."""
    if isinstance(value, Markup):
        return value
    return escaped(value) if isinstance(value, str) else "" if value is None else value


def number(value: float | None) -> str:
    """Points or a count, to a hundredth: `12.5`, `1,024`; a dash if nothing is known."""
    if value is None:
        return "\N{EN DASH}"
    return f"{round(value, 2) or 0.0:,.2f}".rstrip("0").rstrip(".")  # never "-0"


def column(value: float | None) -> str:
    """A mark in a column of such, to the hundredth as every export has it."""
    return "\N{EN DASH}" if value is None else f"{value:,.2f}"


def times(value: float | None) -> str:
    """A ratio: `1.25×`."""
    if value is None:
        return "\N{EN DASH}"
    return f"{value:,.0f}×" if value >= 1000 else f"{value:.3g}×"


def seconds(value: float | None) -> str:
    """A time with its unit: `1.30 ms`."""
    if value is None:
        return "\N{EN DASH}"
    for unit, scale in (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6)):
        if value >= scale:
            return f"{value / scale:.3g} {unit}"
    return f"{value / 1e-9:.3g} ns"


def short(digest: str | None) -> str:
    """The first characters of a hash, which are enough to tell two apart."""
    return (digest or "")[:12]
