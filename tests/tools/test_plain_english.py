"""The word list of `make lint` finds odd English and leaves plain English alone."""

from pathlib import Path

import pytest

from tools.plain_english import find_phrases, find_subject_faults, main

ODD = (
    "Who has this link may watch.",  # plain-english: allow
    "What a setting that cannot be raises: what is wrong. What is wrong comes first.",  # plain-english: allow
    "Shows the events behind ply 5.",  # plain-english: allow
    "The proof stands beside the log.",  # plain-english: allow
    "So many rows are followed one by one.",  # plain-english: allow
    "How often one match may be told of.",  # plain-english: allow
    "It is looked at every second.",  # plain-english: allow
    "lest taking back for ever be a way to gain time",  # plain-english: allow
    "Shows the own seat.",  # plain-english: allow
    "The move is refused in words.",  # plain-english: allow
    "This is for who has lost.",  # plain-english: allow
)
PLAIN = (
    "Anyone with the link can watch.",
    "Who is playing? What is a ply?",
    "The player who lost starts the next match.",
    "The piece lies behind the cake.",
    "It stands for the seat that nobody took.",
    "There are so many that they scroll.",
    "I told you the rules.",
)
NO_FAULT: list[str] = []


@pytest.mark.parametrize("text", ODD)
def test_an_odd_phrase_is_found(text: str) -> None:
    """Given a sentence with a listed phrase, when the text is read, then the phrase and its line are reported."""
    assert {found.line for found in find_phrases(f"A plain first line.\n{text}")} == {2}


@pytest.mark.parametrize("text", PLAIN)
def test_a_plain_sentence_passes(text: str) -> None:
    """Given a sentence that a native speaker would write, when it is read, then nothing is reported."""
    assert list(find_phrases(text)) == []


def test_an_allowed_line_passes() -> None:
    """Given a quotation with the escape, when the text is read, then nothing is reported."""
    assert list(find_phrases('Say "unlisted", not "nowhere else".  <!-- plain-english: allow -->')) == []


def test_the_command_names_file_line_and_advice(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Given a file with a listed phrase, when the command reads it, then it says where, and fails."""
    page = tmp_path / "page.md"
    page.write_text("# Title\n\nIt is the own seat.\n", encoding="utf-8")  # plain-english: allow

    status = main([str(page)])

    assert status == 1
    assert capsys.readouterr().out == f"{page}:3: 'the own': write its own, your own\n"  # plain-english: allow


@pytest.mark.parametrize(
    "subject", ["Added a page", "adds a page", "Add a page.", "Adding a page", "Adds a page", "Add " + "a" * 68]
)
def test_an_odd_commit_subject_is_found(subject: str) -> None:
    """Given a subject that is no order, or too long, when it is checked, then a fault is reported."""
    assert list(find_subject_faults(f"{subject}\n\nBecause.\n")) != NO_FAULT


@pytest.mark.parametrize("subject", ["Add a page", "Feed the worker", "Refuse rated matches without a time limit"])
def test_an_imperative_commit_subject_passes(subject: str) -> None:
    """Given a short order, when it is checked, then nothing is reported."""
    assert list(find_subject_faults(f"{subject}\n\nBecause.\n")) == NO_FAULT
