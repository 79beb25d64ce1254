"""The rules pages: a summary first, and an anchor for every rule that a refusal or a score line links to."""

import ast
import inspect
import re
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import pytest
from flask import Flask

from domain.kernel.registry import games, package_of
from replays.file import read_replay
from service.web.game_files import has_rules_page
from tests.replays.plants import golden_files

RULE = re.compile(r"[A-Z]{1,2}\d+[a-z]?|\d+(\.\d+)?")
CODE = re.compile(r"[a-z]+(_[a-z]+)*")
WITH_RULES = sorted(slug for slug in games() if has_rules_page(slug))
every_rules_page = pytest.mark.parametrize("slug", WITH_RULES)


def refused_rules(slug: str) -> Iterator[str]:
    """Yield the rule ids in the refusals of a game: calls with a code and a rule id as the first two arguments."""
    package = import_module(f"{package_of(slug)}.rules")
    for path in sorted(Path(inspect.getfile(package)).parent.glob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            match node:
                case ast.Call(args=[ast.Constant(value=str(code)), ast.Constant(value=str(rule)), *_]):
                    if CODE.fullmatch(code) and RULE.fullmatch(rule):
                        yield rule


def scored_rules(slug: str) -> Iterator[str]:
    """Yield the rule ids in the score sheets of a game's golden matches."""
    for path in golden_files(slug):
        replay = read_replay(path.read_bytes())
        if replay.last.outcome:
            yield from (line.rule for line in replay.game.score(replay.last.state).lines)


@every_rules_page
def test_every_rule_of_a_refusal_or_a_score_line_has_one_anchor(slug: str, app: Flask) -> None:
    """Given the rules that a player can be shown, when the rules page is read, then each has exactly one anchor."""
    named = {*refused_rules(slug), *scored_rules(slug)}
    assert len(named) > 3

    page = app.test_client().get(f"/rules/{slug}").text

    anchors = re.findall(r'id="([^"]+)"', page)
    assert {rule for rule in named if anchors.count(rule) != 1} == set()


@every_rules_page
def test_a_rules_page_starts_with_a_short_summary_and_a_picture(slug: str, app: Flask) -> None:
    """Given a rules page, when it is read, then its first section is a summary of one minute with a picture."""
    page = app.test_client().get(f"/rules/{slug}").text

    [summary] = re.findall(r'<section class="in-a-minute".*?</section>', page, re.DOTALL)
    assert page.index(summary) < page.index("<h2>")
    words = re.sub(r"<svg.*?</svg>|<[^>]+>", " ", summary, flags=re.DOTALL).split()
    assert "<svg" in summary
    assert summary.index("<svg") < summary.index("<li>" if "<li>" in summary else "<p>")
    assert 40 < len(words) < 150


@every_rules_page
def test_no_rule_id_is_part_of_a_sentence(slug: str, app: Flask) -> None:
    """Given a rules page, when its anchors are taken away, then no rule id is left in its text."""
    page = app.test_client().get(f"/rules/{slug}").text

    text = re.sub(r'<a class="rule-id".*?</a>|<svg.*?</svg>|<code>.*?</code>', " ", page, flags=re.DOTALL)
    anchors = set(re.findall(r'<a class="rule-id" id="([A-Z]+\d+)"', page))
    assert {rule for rule in anchors if re.search(rf"\((?:rule )?{rule}\)|\brule {rule}\b", text)} == set()
