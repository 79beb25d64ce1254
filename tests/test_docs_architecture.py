"""The pages for new contributors name folders, modules and functions that exist."""

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
ARCHITECTURE = "docs/architecture.md"
PAGES = (ARCHITECTURE, "CONTRIBUTING.md", "docs/add-a-game.md", "README.md")
FOLDERS = ("bench", "crumbtrail", "docs", "domain", "examples", "replays", "service", "tests", "tools", "workers")
PACKAGES = ("crumbtrail", "domain", "replays", "service", "workers")
TOKEN = re.compile(r"`([^`\n]+)`")
NAME = re.compile(r"[A-Za-z_]\w*(\.[A-Za-z_]\w*)*")
STEP = re.compile(r"`([\w/<>.]+\.py)`: ((?:`[\w.]+`(?:, )?)+)")


LINK = re.compile(r"\]\(([^)#:]*)(#[^)]*)?\)")


def read_page(page: str) -> str:
    return (ROOT / page).read_text()


def code_tokens(page: str) -> Iterator[str]:
    """Yield the words in code type, including those in code blocks."""
    text = read_page(page)
    for block in re.findall(r"```\w*\n(.*?)```", text, re.DOTALL):
        yield from block.split()
    yield from TOKEN.findall(re.sub(r"```.*?```", "", text, flags=re.DOTALL))


def is_path(token: str) -> bool:
    return (
        token.split("/", maxsplit=1)[0] in FOLDERS and "/" in token and re.fullmatch(r"[\w/<>.-]+", token) is not None
    )


def files_at(path: str) -> list[Path]:
    """Return the files or folders at a path. `<slug>` stands for any game with its own table."""
    pattern = re.sub(r"<\w+>", "*", path)
    found = sorted(ROOT.glob(pattern.rstrip("/")))
    return [each for each in found if each.is_dir() or not path.endswith("/")]


@cache
def names_in(file: Path) -> frozenset[str]:
    """Return the names that a module defines at its top level, and members of its classes as `Class.member`."""
    names: set[str] = set()
    for node in ast.parse(file.read_text()).body:
        for name in names_defined_by(node):
            names.add(name)
            if isinstance(node, ast.ClassDef):
                names |= {f"{name}.{member}" for part in node.body for member in names_defined_by(part)}
    return frozenset(names)


def names_defined_by(node: ast.stmt) -> list[str]:
    match node:
        case ast.FunctionDef(name=name) | ast.ClassDef(name=name):
            return [name]
        case ast.Assign(targets=targets):
            return [target.id for target in targets if isinstance(target, ast.Name)]
        case ast.AnnAssign(target=ast.Name(id=name)):
            return [name]
    return []


def modules_at(place: Path) -> list[Path]:
    """Return the modules of a package, or a single module."""
    return sorted(place.rglob("*.py")) if place.is_dir() else [place]


def where_defined(name: str) -> list[str]:
    """Return the modules that define a name, for an error message."""
    modules = (path for package in PACKAGES for path in sorted((ROOT / package).rglob("*.py")))
    return [path.relative_to(ROOT).as_posix() for path in modules if name in names_in(path)]


def what_is_wrong(path: str, name: str) -> str | None:
    """Return where a name is defined if the path does not define it, otherwise None."""
    places = files_at(path)
    if places and all(any(name in names_in(module) for module in modules_at(place)) for place in places):
        return None
    return f"{name} is not in {path}, but in {where_defined(name)}"


def rows_of_where() -> list[tuple[str, list[str], list[str]]]:
    """Return the rows of "Where do I change": the change, the paths, the names."""
    table = read_page(ARCHITECTURE).split("## Where do I change")[1]
    rows = [line.split("|")[1:4] for line in table.splitlines() if line.startswith("| ")]
    return [(what.strip(), TOKEN.findall(where), TOKEN.findall(names)) for what, where, names in rows]


@pytest.mark.parametrize("page", PAGES)
def test_every_path_exists(page: str) -> None:
    missing = [token for token in code_tokens(page) if is_path(token) and not files_at(token)]
    assert not missing


@pytest.mark.parametrize("page", PAGES)
def test_every_module_and_its_names_exist(page: str) -> None:
    """Check dotted names that start with a package, such as `domain.kernel.chance.Chance`."""
    for token in code_tokens(page):
        if token.split(".")[0] not in PACKAGES or not NAME.fullmatch(token):
            continue
        parts = token.split(".")
        for length in range(len(parts), 0, -1):
            path = ROOT.joinpath(*parts[:length])
            module = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
            if module.exists():
                name = ".".join(parts[length:])
                assert not name or name in names_in(module), f"{page} names {token}"
                break
        else:
            pytest.fail(f"{page} names {token}")


def test_every_step_of_a_move_names_functions_that_exist() -> None:
    steps = STEP.findall(re.sub(r"\s+", " ", read_page(ARCHITECTURE)))
    assert len(steps) >= 10
    wrong = [what_is_wrong(path, name) for path, names in steps for name in TOKEN.findall(names)]
    assert not list(filter(None, wrong))


def test_every_row_of_where_to_change_things_names_existing_code() -> None:
    rows = [row for row in rows_of_where() if row[1]]
    assert len(rows) >= 25
    assert all(len(paths) == 1 for _, paths, _ in rows)
    wrong = [what_is_wrong(paths[0], name) for _, paths, names in rows for name in names]
    assert not list(filter(None, wrong))


def test_every_package_has_a_line_in_the_layout() -> None:
    layout = read_page(ARCHITECTURE).split("## The layout")[1].split("\n## ")[0]
    for package in ("domain", "service", "workers"):
        for folder in sorted((ROOT / package).iterdir()):
            if not (folder / "__init__.py").exists() or folder.name in ("rl", "games"):
                continue
            assert f"`{package}/{folder.name}/`" in layout, f"{package}/{folder.name} is missing"


def all_pages() -> list[str]:
    return sorted(path.relative_to(ROOT).as_posix() for path in (*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")))


def anchors_of(page: Path) -> set[str]:
    """Return the anchors that GitHub makes for the headings of a page."""
    headings = re.findall(r"^#+ (.+)$", page.read_text(), re.M)
    return {"#" + re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", all_pages())
def test_links_lead_to_pages_and_headings(page: str) -> None:
    for target, anchor in LINK.findall(read_page(page)):
        linked = (ROOT / page).parent / target if target else ROOT / page
        assert linked.exists(), f"{page} links to {target}"
        if anchor and linked.suffix == ".md":
            assert anchor in anchors_of(linked), f"{page} links to {target}{anchor}"


def test_every_file_of_a_game_that_the_guide_names_exists() -> None:
    table = read_page("docs/add-a-game.md").split("## The files")[1].split("\n## ")[0]
    files = re.findall(r"`((?:rules|presentation|bot)/\w[\w/]*(?:\.\w+)?/?)`", table)
    assert len(files) > 10
    missing = [file for file in files if not files_at(f"domain/games/<slug>/{file}")]
    assert not missing


def test_the_index_lists_every_decision() -> None:
    index = read_page("docs/decisions/README.md")
    for path in (ROOT / "docs/decisions").glob("[0-9]*.md"):
        number, title = re.match(r"# (\d{4})\. (.+)", path.read_text()).groups()  # type: ignore[union-attr]
        assert path.name.startswith(f"{number}-")
        assert f"| {number} | [{title}]({path.name}) |" in index
        assert re.search(r"^Date: \d{4}-\d\d-\d\d\. Status: \w+", path.read_text(), re.M), path.name
