"""Lists phrases that a native speaker would not write. `make lint` runs it over every text file that git tracks.

    python -m tools.plain_english [FILE ...]
    python -m tools.plain_english --commit-message FILE

A line that needs a listed phrase, such as a quotation, contains the comment `plain-english: allow`. The list catches
relapses only. It cannot tell whether a text is good.
"""

import argparse
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

MAX_SUBJECT = 72
"""A commit subject is shorter than this, in characters."""
ALLOW = "plain-english: allow"
SUFFIXES = frozenset({".py", ".md", ".html", ".js", ".css", ".txt", ".lua", ".toml", ".yaml", ".yml", ".cpp"})
SKIPPED = ("tests/golden/", "requirements/", "docs/credits.md")
"""Recorded matches, locked dependencies, and the words of licences."""


class Phrase(NamedTuple):
    """A pattern to avoid and what to write instead."""

    pattern: re.Pattern[str]
    advice: str


class Finding(NamedTuple):
    """A listed phrase in a text. Lines count from 1."""

    line: int
    phrase: str
    advice: str


def phrase(pattern: str, advice: str) -> Phrase:
    """Return a phrase of the list."""
    return Phrase(re.compile(pattern), advice)


TIMES = "it|that|them|this|which|ply|each|event|move|the (?:first|last|start|end|event|move|ply|checkpoint|snapshot)"
VERBS = "is|has|had|can|may|wants|sits|plays|comes|takes|reads|names|knows|looks|asks|leaves|joins|wins|loses"
PHRASES = (
    phrase(rf"\bbehind (?:{TIMES}|\d)\b", "after"),
    phrase(rf"(?:^|[.;:(\"] ?|, )Who (?:{VERBS})\b(?![^.]*\?)", "anyone who, the player who"),
    phrase(rf"\b(?:by|for|to|of|than|from) who (?:{VERBS})\b", "anyone who, the player who"),
    phrase(
        r"(?:^|[.;] )What (?:is|was|has|had|are|can|may|cannot|comes|stands|belongs|goes|nobody|others|one)\b"
        r"(?![^.]*\?)",
        "name the thing, then say what it does",
    ),
    phrase(r"\b[Ss]o (?:many|often)\b(?! that)", "up to N, every N seconds"),
    phrase(
        r"\b(?:told of|tells? of|(?:is|are|be|was|were|been) told)\b",  # plain-english: allow
        "notifies, is notified, gets an email",
    ),
    phrase(r"\b(?:is|are|be|was|were) looked (?:at|for|up)\b", "checks, looks up"),
    phrase(r"\b[Tt]he own\b", "its own, your own"),
    phrase(
        r"\b(?:lest|anew|for ever|but for|shall|whosoever|nowhere else|thereof|therein)\b",  # plain-english: allow
        "everyday words",
    ),
    phrase(
        r"\bstands? (?:in|at|on|beside|there|for itself)\b",  # plain-english: allow
        "is, is stored, appears",
    ),
    phrase(r"\b[Bb]eside\b", "next to, in addition to"),
    phrase(r"\bin words\b", "with a message, spelled out"),
)


def find_phrases(text: str) -> Iterator[Finding]:
    """Yield the listed phrases of a text, in the order of its lines."""
    for number, line in enumerate(text.splitlines(), 1):
        if ALLOW in line:
            continue
        for pattern, advice in PHRASES:
            for match in pattern.finditer(line):
                yield Finding(number, match[0].strip(), advice)


def find_subject_faults(message: str) -> Iterator[str]:
    """Yield what is wrong with the subject of a commit message. It is an imperative under 72 characters."""
    subject = message.partition("\n")[0]
    first = subject.partition(" ")[0]
    if len(subject) >= MAX_SUBJECT:
        yield f"The subject has {len(subject)} characters. Shorten it to {MAX_SUBJECT - 1}."
    if not first[:1].isupper() or subject.endswith("."):
        yield "Start the subject with a capital letter and end it without a full stop."
    if re.fullmatch(r"(?!Need|Feed|Seed|Embed|Speed|Bring)\w+(?:ed|ing)|(?:Add|Fix|Remove|Change|Make)s", first):
        yield f'Write the subject as an order, for example "Add" instead of "Added". It begins with "{first}".'


def tracked_files() -> list[Path]:
    """Return the text files that git tracks, without the skipped ones."""
    listed = subprocess.run(["git", "ls-files", "-z"], capture_output=True, text=True, check=True).stdout
    return [
        Path(name)
        for name in listed.split("\0")
        if name and Path(name).suffix in SUFFIXES and not name.startswith(SKIPPED) and Path(name).is_file()
    ]


def main(arguments: list[str] | None = None) -> int:
    """Print the findings. Return 1 if there are any, else 0."""
    parser = argparse.ArgumentParser(prog="plain_english", description="List phrases that a native would not write.")
    parser.add_argument("files", nargs="*", type=Path, help="files to read (default: every text file that git tracks)")
    parser.add_argument("--commit-message", type=Path, metavar="FILE", help="check the subject of this commit message")
    chosen = parser.parse_args(arguments)
    if chosen.commit_message:
        faults = list(find_subject_faults(chosen.commit_message.read_text(encoding="utf-8")))
    else:
        faults = [
            f"{path}:{line}: {found!r}: write {advice}"
            for path in chosen.files or tracked_files()
            for line, found, advice in find_phrases(path.read_text(encoding="utf-8"))
        ]
    print("\n".join(faults) or "Nothing to rewrite.")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
