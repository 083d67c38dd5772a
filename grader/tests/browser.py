"""A real browser without a screen, for tests of pages."""

import html
import subprocess
import tempfile
from pathlib import Path

import pytest

from grader.machine.requirements import find_browser, missing_snap

SECONDS = 180


def chromium(page: Path, *options: str, dark: bool = False, width: int = 1200, at: str = "") -> str:
    """What Chromium prints about a page, opened at the place `at`, such as `#s1`; `options` say
    what that is. Fails if there is none."""
    if snap := missing_snap():
        pytest.skip(f"Chromium is a snap on this system: {snap}")
    browser = find_browser()
    assert browser, "the tests need a browser: apt-get install chromium"
    # 0 is dark, 1 is light: what the machine's user prefers.
    scheme = f"--blink-settings=preferredColorScheme={int(not dark)}"
    with tempfile.TemporaryDirectory() as profile:
        command = [browser, "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars",
                   f"--user-data-dir={profile}", f"--window-size={width},1000", scheme,
                   "--virtual-time-budget=3000", *options, page.as_uri() + at]  # fmt: skip
        done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout


def dom(page: Path, **how: object) -> str:
    """The page's elements after its scripts have run."""
    return chromium(page, "--dump-dom", **how)  # type: ignore[arg-type]


def said(page: Path, script: str, **how: object) -> str:
    """What `script` finds in a copy of the page that lets it run: its last value, as text."""
    text = page.read_text(encoding="utf-8")
    begin = text.index("<meta http-equiv")
    free = text[:begin] + text[text.index(">", begin) + 1 :]
    last = f"<script>document.title = String((() => {{ {script} }})());</script>"
    copy = page.with_name(f"asked-{page.name}")
    copy.write_text(free.replace("</body>", last + "</body>"), encoding="utf-8")
    shown = dom(copy, **how)
    return html.unescape(shown.partition("<title>")[2].partition("</title>")[0])
