"""Facts always fold, and everything that is encoded survives a round trip."""

from typing import Any

import msgspec

from domain.kernel.chance import Fast
from domain.kernel.event_codec import read_event, write_event
from domain.kernel.game import AnyGame
from domain.kernel.hash_chain import canonical_json
from domain.match.state import snapshot_decoder
from tests.contract.cases import all_readers, events_of, every_game, every_table, positions, sample_matches, variants


def one_of_each_kind(game: AnyGame, seats: int, count: int = 6) -> list[Any]:
    """Return `count` facts of every kind in the sampled matches."""
    kinds: dict[type, list[Any]] = {}
    for event in events_of(game, seats):
        for fact in event.facts:
            kinds.setdefault(type(fact), []).append(fact)
    chance = Fast("kinds")
    return [chance.pick(facts) for facts in kinds.values() for _ in range(count)]


@every_table
def test_any_fact_folds_on_any_position(game: AnyGame, seats: int) -> None:
    facts = one_of_each_kind(game, seats)
    states = [game.initial, *(match.state for match in positions(game, seats, 12))]
    states += [replay.last.state for replay in sample_matches(game, seats)]
    for state in states:
        before = canonical_json(state)
        for fact in facts:
            assert isinstance(game.evolve(state, fact), game.state_type)
        assert canonical_json(state) == before, "evolve must not change its arguments"


@every_table
def test_the_state_depends_on_facts_alone(game: AnyGame, seats: int) -> None:
    for replay in sample_matches(game, seats):
        facts = [fact for event in replay.events for fact in event.facts]
        again = game.read_facts(canonical_json(facts))
        assert game.fold(again) == replay.last.state


@every_table
def test_events_survive_a_round_trip(game: AnyGame, seats: int) -> None:
    for event in events_of(game, seats):
        line = write_event(event)
        assert read_event(line, game) == event
        assert write_event(read_event(line, game)) == line


@every_table
def test_states_views_and_snapshots_survive_a_round_trip(game: AnyGame, seats: int) -> None:
    for match in positions(game, seats, 12):
        assert msgspec.json.decode(canonical_json(match.state), type=game.state_type) == match.state
        assert snapshot_decoder(game).decode(msgspec.json.encode(match)) == match
        for reader in all_readers(seats):
            view = game.view(match.state, reader)
            assert game.read_view(canonical_json(view)) == view


@every_game
def test_options_survive_a_round_trip_and_are_complete(game: AnyGame) -> None:
    for options in variants(game):
        read = game.read_options(options)
        plain = msgspec.to_builtins(read)
        assert game.read_options(plain) == read
        assert set(plain) == {option.name for option in game.option_help}


@every_game
def test_the_first_value_of_an_option_is_its_default(game: AnyGame) -> None:
    defaults = msgspec.to_builtins(game.read_options({}))
    assert defaults == {option.name: option.values[0] for option in game.option_help}
    assert all(len(option.meanings) == len(option.values) for option in game.option_help)
    assert all(len(option.labels) in (0, len(option.values)) for option in game.option_help)


@every_table
def test_events_hold_whole_numbers_and_text_only(game: AnyGame, seats: int) -> None:
    def check(value: Any) -> None:
        assert not isinstance(value, float), "canonical JSON must not have fractions"
        for inner in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
            check(inner)

    for event in events_of(game, seats):
        check(msgspec.json.decode(write_event(event)))
