"""The command as its users meet it: exit codes, pure JSON, one sentence, nothing lost."""

import argparse
import json
import os
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from grader.base.checkout import Checkout
from grader.commands import cli
from grader.commands.cli import main
from grader.commands.examples import EXAMPLES
from grader.grading.order import Seed
from grader.tests.fakes import LAB, plan

pytestmark = [pytest.mark.reads(), pytest.mark.unit]

Captured = pytest.CaptureFixture[str]
WRONG = plan("strided", "any", '{"verdict": "wrong answer"}')


def hand_in(checkout: Checkout, text: str, name: str = "demo.cu") -> str:
    path = checkout.root.parent / name
    path.write_text(text)
    return str(path)


def run_json(arguments: list[str], checkout: Checkout, capsys: Captured) -> tuple[int, Any]:
    capsys.readouterr()
    code = main([*arguments, "--backend", "cpu", "--json"], checkout)
    return code, json.loads(capsys.readouterr().out)


def test_grade_writes_a_result_and_ends_with_where_to_look(
    checkout: Checkout, capsys: Captured
) -> None:
    path = hand_in(checkout, "// fine\n", "ann.cu")
    assert main(["grade", "--figures", path, "--lab", "01", "--backend", "cpu"], checkout) == 0
    shown = capsys.readouterr().out
    assert shown.splitlines()[-1].endswith("report/out/ann")
    assert "20 of 25 points, 5 not measured" in shown
    assert (checkout.out / "ann" / LAB / "result.json").is_file()


@pytest.mark.parametrize(
    ("text", "code", "verdict"),
    [
        ("// fine\n", 0, "passed"),
        (WRONG, 1, "failed"),
        ("#error\n", 1, "failed"),
        (plan("global", "any", '{"text": ""}'), 3, "infrastructure error"),
    ],
)
def test_exit_codes_and_pure_json(
    checkout: Checkout, capsys: Captured, text: str, code: int, verdict: str
) -> None:
    got, document = run_json(["grade", hand_in(checkout, text)], checkout, capsys)
    assert (got, document["results"][0]["verdict"]) == (code, verdict)


def test_a_failed_stage_names_the_line_of_the_handout(
    checkout: Checkout, capsys: Captured
) -> None:
    main(["grade", hand_in(checkout, WRONG), "--backend", "cpu"], checkout)
    shown = capsys.readouterr().out
    assert f"labs/{LAB}/README.md:4: strided: idea" in shown and "|" not in shown
    assert f"labs/{LAB}/README.md:3" not in shown


def test_speed_is_not_measured_on_the_cpu_backend(checkout: Checkout, capsys: Captured) -> None:
    path = hand_in(checkout, "//\n")
    _, document = run_json(["grade", "--figures", path], checkout, capsys)
    fast = document["results"][0]["stages"][0]["points"]["fast"]
    assert (fast["earned"], fast["possible"], fast["verdict"]) == (None, 5, "not measured")
    assert "CPU backend" in fast["reason"]
    assert [m["stage"] for m in document["results"][0]["measured"]] == ["global", "strided"]
    _, document = run_json(["grade", path], checkout, capsys)
    assert document["results"][0]["measured"] == []


def staff_notes(document: Any) -> list[str]:
    return [note["text"] for note in document["results"][0]["staff_notes"]]


def test_only_what_passed_is_timed(checkout: Checkout, capsys: Captured) -> None:
    _, document = run_json(["grade", "--figures", hand_in(checkout, WRONG)], checkout, capsys)
    assert [m["stage"] for m in document["results"][0]["measured"]] == ["global"]


@pytest.mark.longer
def test_a_broken_timing_report_costs_the_figure_but_not_the_mark(
    checkout: Checkout, capsys: Captured
) -> None:
    text = plan("global", "bench", '{"points": [{"n": 8, "seconds": [0.0]}]}')
    code, document = run_json(["grade", "--figures", hand_in(checkout, text)], checkout, capsys)
    assert code == 0 and any("global: no figure" in n for n in staff_notes(document))
    no_bench = plan("global", "bench", '{"text": "", "exit": 2}')
    code, document = run_json(["grade", "--figures", hand_in(checkout, no_bench)], checkout, capsys)
    assert code == 0 and not any("no figure" in n for n in staff_notes(document))


@pytest.mark.longer
def test_the_secret_seed_is_used_and_not_told(
    checkout: Checkout, capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = hand_in(checkout, "//\n")
    _, document = run_json(["grade", path, "--seed", "5"], checkout, capsys)
    assert document["results"][0]["seed"] == {
        "public": 5, "secret": False, "commitment": None,
    }  # fmt: skip
    monkeypatch.setenv("WARPWISE_SECRET_SEED", "123456789")
    _, document = run_json(["grade", path, "--seed", "5"], checkout, capsys)
    seed = document["results"][0]["seed"]
    assert (seed["public"], seed["secret"]) == (5, True)
    told = json.dumps(document)
    for number in (123456789, 123456789 ^ 5, Seed(5, 123456789).value):
        assert str(number) not in told and f"{number:x}" not in told
    assert seed["commitment"] == Seed(6, 123456789).commitment != Seed(5, 123456788).commitment
    monkeypatch.setenv("WARPWISE_SECRET_SEED", "abc")
    assert main(["grade", path], checkout) == 2


def test_one_bad_submission_does_not_lose_the_others(checkout: Checkout, capsys: Captured) -> None:
    good, bad = hand_in(checkout, "//\n"), hand_in(checkout, "", "empty.cu")
    code, document = run_json(["grade", good, bad, "--lab", "01"], checkout, capsys)
    assert code == 4 and len(document["results"]) == 1
    [row] = document["refused"]
    assert (row["path"], row["code"]) == (bad, "empty") and "is empty" in row["reason"]


@pytest.mark.parametrize(
    "arguments",
    [["grade"], ["grade", "nowhere"], ["bogus"], ["hint", "01"], ["hint", "01.global.x"],
     ["hint", "01.global", "--level", "4"], ["check", "09"], ["--seed", "-1"], ["dev"],
     ["grade", "x.cu", "--seed", "one"]],
)  # fmt: skip
def test_bad_usage_is_one_sentence_and_exit_code_2(
    checkout: Checkout, capsys: Captured, arguments: list[str]
) -> None:
    assert main(arguments, checkout) == 2
    shown = capsys.readouterr()
    assert not shown.out and len(shown.err.strip().splitlines()) == 1


def test_a_broken_build_is_exit_code_3(
    checkout: Checkout, capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FAKE_CMAKE_FAILS", "1")
    assert main(["check", "--backend", "cpu"], checkout) == 3
    assert "no luck today" in capsys.readouterr().err


@pytest.mark.longer
def test_the_students_day(checkout: Checkout, capsys: Captured) -> None:
    _, document = run_json(["next"], checkout, capsys)
    assert document["next"]["stage"] == "global" and document["next"]["line"] == 3
    room = checkout.labs / LAB / "demo.cu"
    room.write_text(room.read_text() + WRONG)
    code, document = run_json(["check"], checkout, capsys)
    assert code == 1 and [s["verdict"] for s in document["results"][0]["stages"]] == [
        "passed",
        "wrong answer",
    ]
    code, document = run_json(["list"], checkout, capsys)
    stages = document["labs"][0]["stages"]
    assert code == 0 and [s["verdict"] for s in stages] == ["passed", "wrong answer"]
    _, document = run_json(["next"], checkout, capsys)
    assert document["next"]["stage"] == "strided"
    room.write_text(room.read_text().replace(WRONG, "// solved\n"))
    code, _ = run_json(["check", "01.strided"], checkout, capsys)
    assert code == 0
    _, document = run_json(["list"], checkout, capsys)
    assert [s["edited_since"] for s in document["labs"][0]["stages"]] == [True, False]
    _, document = run_json([], checkout, capsys)
    assert document["next"] is None
    code, document = run_json(["hint", "demo.global", "--level", "2"], checkout, capsys)
    assert (code, document["hint"], document["of"]) == (0, "think harder", 3)


@pytest.mark.longer
def test_demo_fails_by_the_reference_but_not_by_the_sample(
    checkout: Checkout, capsys: Captured
) -> None:
    reference = checkout.reference / LAB / "demo.cu"
    text = reference.read_text()
    reference.write_text(text.replace("use(n);\n  // END", "use(n);\n  // END"))
    assert main(["demo", "--backend", "cpu"], checkout) == 0
    shown = capsys.readouterr()
    assert shown.out.splitlines()[-1].count("report/out/demo-") == 2
    first, long, *verdicts = shown.err.splitlines()
    assert "grades the reference of 01-demo" in first and "about a minute" in long
    assert [line.split(":")[0] for line in verdicts if "after" in line] == [
        "01-demo reference", "01-demo sample"]  # fmt: skip
    sample = json.loads((checkout.out / "demo-sample" / LAB / "result.json").read_text())
    assert sample["submission"]["name"] == "demo-sample"
    reference.write_text(WRONG + text)
    assert main(["demo", "--backend", "cpu"], checkout) == 1


def test_every_listed_command_exists() -> None:
    for command in ("watch", "why", "save", "restore", "reset", "submit", "upgrade", "editor",
                    "completion", "list", "next", "hint", "check", "bench", "run", "grade", "plot",
                    "doctor", "demo", "cut", "data", "new", "dev", "test"):  # fmt: skip
        assert main([command, "--help"]) == 0


@pytest.mark.parametrize(("words", "said"), [
    (["01.global"], "did you mean check 01.global?"), (["demo.cu"], "did you mean check demo.cu?"),
    (["hint", "01.global", "--level", "x"], "--level: 'x' is not a whole number"),
    (["check", "--seed", "-1"], "--seed: '-1' is not a seed"),
    (["check", "01", "--on", ""], "--on: '' is neither HOST"),
    (["plot"], "run ./lab check LAB first"),
])  # fmt: skip
def test_a_wrong_use_says_what_is_meant(
    words: list[str], said: str, checkout: Checkout, capsys: Captured
) -> None:
    assert main(words, checkout) == 2
    assert said in capsys.readouterr().err


def test_help_is_a_word_too(capsys: Captured) -> None:
    for words in (["help", "class", "grade"], ["class", "grade", "--help"]):
        assert main(words) == 0
    first, second = capsys.readouterr().out.split("usage: ")[1:]
    assert first == second
    assert main(["--version"]) == 0 and capsys.readouterr().out.startswith("Warpwise 0.")


def leaves(parser: argparse.ArgumentParser, path: str = "") -> Iterator[str]:
    """Every command, with the groups that it is in."""
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for name, command in action.choices.items():
                yield f"{path}{name}"
                yield from leaves(command, f"{path}{name} ")


def test_every_command_has_examples_that_it_understands() -> None:
    parser = cli.parser()
    assert set(EXAMPLES) == set(leaves(parser))
    for command, examples in EXAMPLES.items():
        for words, meaning in examples:
            assert words.startswith(command) and meaning
            own, _ = cli._split(shlex.split(words.partition(" >> ")[0]))
            assert parser.parse_args(own).run, words


@pytest.mark.parametrize("words", [["check"], ["class", "export"], ["release"], []])
def test_help_fits_into_sixty_columns(
    words: list[str], capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "60")
    assert main([*words, "--help"]) == 0
    shown = capsys.readouterr().out.splitlines()
    assert shown[-1].endswith("refused.") and ("examples:" in shown) == bool(words)
    assert all(len(line) <= 60 for line in shown if not line.startswith("  ./lab "))


def test_lab_starts_from_another_directory_and_through_a_link(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(Checkout.here().root / "lab")
    (tmp_path / "grader").mkdir()
    (tmp_path / "grader" / "__init__.py").write_text("raise SystemExit(99)")
    command = [str(tmp_path / "link"), "grade", "not-there.cu", "--backend", "cpu"]
    path = f"{Path(sys.executable).parent}:/usr/bin:/bin"
    env = {**os.environ, "WARPWISE_IN_VENV": "1", "PATH": path}
    finished = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, env=env)
    assert finished.returncode == 2 and "not-there.cu: there is no such file" in finished.stderr


def test_each_file_of_commands_declares_what_the_table_says() -> None:
    for file, names in cli.COMMANDS.items():
        declared = cli.parser(names[0])._subparsers._group_actions[0].choices  # type: ignore
        assert tuple(declared) == names, file
    everything = cli.parser()._subparsers._group_actions[0].choices  # type: ignore
    assert tuple(everything) == tuple(name for names in cli.COMMANDS.values() for name in names)


def test_the_parser_says_what_the_exit_codes_are() -> None:
    assert "0 all passed, 1 some failed, 2 usage, 3 infra" in " ".join(
        cli.parser().format_help().split()
    )
