"""Text, picture and narration of every position, between any two facts, for every reader."""

from xml.etree import ElementTree

from domain.kernel.game import AnyGame
from replays.replay import Replay
from tests.contract.cases import all_readers, every_table, sample_matches


@every_table
def test_the_table_can_be_shown_between_any_two_facts(game: AnyGame, seats: int) -> None:
    """A spectator sees every state, the seats take turns."""
    for replay in sample_matches(game, seats)[:2]:
        state = game.initial
        for number, fact in enumerate(fact for event in replay.events for fact in event.facts):
            state = game.evolve(state, fact)
            for reader in (None, number % seats):
                view = game.view(state, reader)
                assert game.text(view, reader).strip()


@every_table
def test_pictures_are_well_formed(game: AnyGame, seats: int) -> None:
    for replay in sample_matches(game, seats)[-2:]:
        for match in list(replay.matches())[3::5]:
            for reader in all_readers(seats):
                picture = ElementTree.fromstring(game.svg(game.view(match.state, reader), reader))
                assert picture.tag.endswith("svg")
                assert picture.find("{http://www.w3.org/2000/svg}title") is not None, "the title is for screen readers"


@every_table
def test_pictures_contain_no_scripts_or_links(game: AnyGame, seats: int) -> None:
    for replay in sample_matches(game, seats)[:2]:
        picture = game.svg(game.view(replay.last.state, None), None)
        assert "<script" not in picture
        assert " on" not in {attribute[:3] for attribute in picture.split('"')}
        assert "http" not in picture.replace("http://www.w3.org/2000/svg", "")


@every_table
def test_every_ply_can_be_narrated(game: AnyGame, seats: int) -> None:
    for replay in sample_matches(game, seats):
        for reader in (*all_readers(seats), "everything"):
            narrations = dict(replay.narrations(reader))  # type: ignore[arg-type]
            assert list(narrations) == list(replay.plies)
            moved = [event.ply for event in replay.events if event.facts]
            assert any(narrations[ply] for ply in moved)
            assert all(line.strip() and "\n" not in line for lines in narrations.values() for line in lines)


@every_table
def test_a_table_shows_whose_turn_it_is(game: AnyGame, seats: int) -> None:
    """The text names a seat that owes a move."""
    replay: Replay = sample_matches(game, seats)[0]
    running = [match for match in replay.matches() if match.status == "playing"]
    for match in running[:3]:
        names = game.seat_names(seats)
        shown = game.text(game.view(match.state, None), None).lower()
        assert any(names[seat].lower() in shown for seat in match.to_move)
