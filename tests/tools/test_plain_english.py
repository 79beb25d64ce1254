"""The word list of `make lint` finds odd English and leaves plain English alone."""

from pathlib import Path

import pytest

from tools.plain_english import Phrase, find_phrases, find_subject_faults, main, read_phrases

PHRASES = read_phrases()
PLAIN = (
    "Anyone with the link can watch.",
    "Who is playing? What is a ply?",
    "The player who lost starts the next match.",
    "The piece lies behind the cake.",
    "It stands for the seat that nobody took.",
    "I told you the rules.",
)
NO_FAULT: list[str] = []


@pytest.mark.parametrize("phrase", PHRASES, ids=lambda phrase: phrase.example)
def test_each_phrase_of_the_list_is_found(phrase: Phrase) -> None:
    """Given the example of a phrase, when the text is read, then the phrase and its line are reported."""
    found = list(find_phrases(f"A plain first line.\n{phrase.example}", [phrase]))

    assert {finding.line for finding in found} == {2}
    assert {finding.advice for finding in found} == {phrase.advice}


def test_the_name_of_a_test_is_read_as_a_sentence() -> None:
    """Given a test whose name has a listed phrase, when the file is read, then the phrase and its line are reported."""
    source = "import pytest\n\ndef test_the_events_behind_ply_5() -> None: ..."  # plain-english: allow

    assert [finding.line for finding in find_phrases(source, PHRASES)] == [3]


@pytest.mark.parametrize("text", PLAIN)
def test_a_plain_sentence_passes(text: str) -> None:
    """Given a sentence that a native speaker would write, when it is read, then nothing is reported."""
    assert list(find_phrases(text, PHRASES)) == []


def test_an_allowed_line_passes() -> None:
    """Given a quotation with the escape, when the text is read, then nothing is reported."""
    quotation = f"Don't write: {PHRASES[0].example}  <!-- plain-english: allow -->"

    assert list(find_phrases(quotation, PHRASES)) == []


def test_the_command_names_file_line_and_advice(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Given a file with a listed phrase, when the command reads it, then it prints where, and fails."""
    page = tmp_path / "page.md"
    page.write_text(f"# Title\n\n{PHRASES[0].example}\n", encoding="utf-8")

    status = main([str(page)])

    assert status == 1
    printed = capsys.readouterr().out
    assert printed.startswith(f"{page}:3: ")
    assert printed.endswith(f": write {PHRASES[0].advice}\n")


@pytest.mark.parametrize(
    "subject", ["Added a page", "adds a page", "Add a page.", "Adding a page", "Adds a page", "Add " + "a" * 68]
)
def test_an_odd_commit_subject_is_found(subject: str) -> None:
    """Given a subject that is not an imperative, or is too long, when it is checked, then a fault is reported."""
    assert list(find_subject_faults(f"{subject}\n\nBecause.\n")) != NO_FAULT


@pytest.mark.parametrize("subject", ["Add a page", "Feed the worker", "Refuse rated matches without a time limit"])
def test_an_imperative_commit_subject_passes(subject: str) -> None:
    """Given a short imperative, when it is checked, then nothing is reported."""
    assert list(find_subject_faults(f"{subject}\n\nBecause.\n")) == NO_FAULT
