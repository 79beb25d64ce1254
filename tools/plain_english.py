"""Lists phrases that a native speaker would not write. `make lint` runs it over every text file that git tracks.

    python -m tools.plain_english [FILE ...]
    python -m tools.plain_english --commit-message FILE

The phrases are in `plain_english.tsv`. A line that needs one of them, such as a quotation, contains the comment
`plain-english: allow`. The list only catches relapses. It can't tell whether a text is good.
"""

import argparse
import csv
import re
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

LIST = Path(__file__).with_name("plain_english.tsv")
MAX_SUBJECT = 72
"""A commit subject is shorter than this, in characters."""
ALLOW = "plain-english: allow"
TEST_NAME = re.compile(r"\bdef test_(\w+)")
"""The name of a test, which is read as a sentence."""
SUFFIXES = frozenset({".py", ".md", ".html", ".js", ".css", ".txt", ".lua", ".toml", ".yaml", ".yml", ".cpp"})
SKIPPED = ("tests/golden/", "requirements/", "docs/credits.md", "docs/renamed.md", "service/web/static/js/vendor/")
"""Recorded matches, locked dependencies, licences, a table of former names, and scripts by others."""


class Phrase(NamedTuple):
    """A pattern to avoid, what to write instead, and a sentence that contains it."""

    pattern: re.Pattern[str]
    advice: str
    example: str


class Finding(NamedTuple):
    """A listed phrase in a text. Lines count from 1."""

    line: int
    phrase: str
    advice: str


def read_phrases() -> tuple[Phrase, ...]:
    """Return the phrases of `plain_english.tsv`."""
    with LIST.open(encoding="utf-8", newline="") as lines:
        rows = csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE)
        return tuple(Phrase(re.compile(row["pattern"]), row["write"], row["example"]) for row in rows)


def find_phrases(text: str, phrases: Sequence[Phrase]) -> Iterator[Finding]:
    """Yield the phrases that occur in a text, in the order of its lines."""
    for number, line in enumerate(text.splitlines(), 1):
        if ALLOW in line:
            continue
        name = TEST_NAME.search(line)
        words = f"{line} {name[1].replace('_', ' ')}" if name else line
        for phrase in phrases:
            for match in phrase.pattern.finditer(words):
                yield Finding(number, match[0].strip(), phrase.advice)


def find_subject_faults(message: str) -> Iterator[str]:
    """Yield what is wrong with the subject of a commit message. It must be an imperative under 72 characters."""
    subject = message.partition("\n")[0]
    first = subject.partition(" ")[0]
    if len(subject) >= MAX_SUBJECT:
        yield f"The subject has {len(subject)} characters. Shorten it to {MAX_SUBJECT - 1}."
    if not first[:1].isupper() or subject.endswith("."):
        yield "Start the subject with a capital letter and end it without a full stop."
    if re.fullmatch(r"(?!Need|Feed|Seed|Embed|Speed|Bring)\w+(?:ed|ing)|(?:Add|Fix|Remove|Change|Make)s", first):
        yield f'Write the subject in the imperative, for example "Add" instead of "Added". It begins with "{first}".'


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
    parser = argparse.ArgumentParser(
        prog="plain_english", description="List phrases that a native speaker would not write."
    )
    parser.add_argument("files", nargs="*", type=Path, help="files to read (default: every text file that git tracks)")
    parser.add_argument("--commit-message", type=Path, metavar="FILE", help="check the subject of this commit message")
    chosen = parser.parse_args(arguments)
    if chosen.commit_message:
        faults = list(find_subject_faults(chosen.commit_message.read_text(encoding="utf-8")))
    else:
        phrases = read_phrases()
        faults = [
            f"{path}:{line}: {found!r}: write {advice}"
            for path in chosen.files or tracked_files()
            for line, found, advice in find_phrases(path.read_text(encoding="utf-8"), phrases)
        ]
    print("\n".join(faults) or "Nothing to rewrite.")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
