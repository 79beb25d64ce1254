"""No two names look alike: skeletons, reserved names, claims under concurrency, and random names."""

import threading
from collections import Counter
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from functools import partial

import pytest
from freezegun import freeze_time
from hypothesis import given
from hypothesis import strategies as st
from redis import Redis

from service.accounts.guest_names import NAME_ADJECTIVES, NAME_NOUNS, NAME_PLACES, random_name
from service.accounts.names import (
    MAX_NAME_LENGTH,
    InvalidName,
    NameReserved,
    NameTaken,
    is_reserved,
    normalize_name,
    skeletons,
)
from service.accounts.players import Player, Players
from service.event_store.keys import NAMES_KEY, player_key
from service.runtime.clock import SystemClock

START = datetime(2026, 3, 1, 8, tzinfo=UTC)
PAIRS_THAT_LOOK_ALIKE = {
    "case": ("Ann", "aNN"),
    "Cyrillic a": ("Ann", "\u0410nn"),
    "Cyrillic capital that looks Latin": ("Hana", "\u041dana"),
    "capital I and small l": ("Paul", "PauI"),
    "digit 1": ("Ivan", "1van"),
    "digit 0": ("Bob", "B0b"),
    "rn and m": ("modern", "modem"),
    "full width": ("Ann", "\uff21\uff4e\uff4e"),
    "bold mathematical letters": ("Ann", "\U0001d400\U0001d427\U0001d427"),
    "ligature": ("fin", "\ufb01n"),
    "accents": ("Jose", "Jos\u00e9"),
    "an accent below": ("Ann", "Ann\u0332"),
    "a stack of accents": ("Ann", "A\u0301\u0302\u0303nn"),
    "no space": ("Golden Waffle", "GoldenWaffle"),
    "punctuation": ("Golden Waffle", "Golden_Waffle."),
    "a full stop, or a dot in the middle": ("Ann!", "A\u00b7nn."),
    "apostrophes": ("O'Hara", "O\u2019Hara"),
    "Greek alpha": ("AlaskaJazz", "\u0391laskaJazz"),
    "Arabic digits": ("l\u0661", "l\u06f1"),
    "small capitals": ("Ann", "A\u0274\u0274"),
    "letters in squares": ("Bob", "\U0001f171o\U0001f171"),
    "letters of flags": ("Ann", "\U0001f1e6nn"),
    "Cyrillic em": ("Tom", "To\u043c"),
    "Hebrew points": ("\u05e9\u05dc\u05d5\u05dd", "\u05e9\u05b8\u05dc\u05d5\u05b9\u05dd"),
}
PAIRS_THAT_DIFFER = {
    "l and i in lower case": ("Ali", "All"),
    "n and v": ("Ivan", "Inan"),
    "vowel signs": ("\u0928\u092e\u093f", "\u0928\u092e\u0941"),
    "voiced kana": ("\u304b", "\u304c"),
    "Latin x and Cyrillic zhe": ("x", "\u0436"),
    "another letter": ("Anna", "Anne"),
    "numbers": ("Ann 2", "Ann 3"),
}


@pytest.fixture
def players(redis: Redis) -> Players:
    return Players(redis, SystemClock())


# -- skeletons --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("pair", PAIRS_THAT_LOOK_ALIKE.values(), ids=PAIRS_THAT_LOOK_ALIKE)
def test_names_that_look_alike_share_a_skeleton(pair: tuple[str, str]) -> None:
    one, other = pair
    assert skeletons(one) & skeletons(other)


@pytest.mark.parametrize("pair", PAIRS_THAT_DIFFER.values(), ids=PAIRS_THAT_DIFFER)
def test_names_that_look_different_share_none(pair: tuple[str, str]) -> None:
    one, other = pair
    assert not skeletons(one) & skeletons(other)


@pytest.mark.parametrize(
    "hidden", ["\u200b", "\u200d", "\u200e", "\u200f", "\u202e", "\u2066", "\u00ad", "\ufe0f", "\u3164"]
)
def test_invisible_characters_and_direction_marks_are_refused_and_would_not_help(hidden: str) -> None:
    for name in (f"An{hidden}n", f"{hidden}Ann", f"Ann{hidden}"):
        with pytest.raises(InvalidName):
            normalize_name(name)
        assert skeletons(name) == skeletons("Ann")


@given(st.text(min_size=1, max_size=MAX_NAME_LENGTH))
def test_every_name_has_skeletons_and_a_skeleton_is_its_own(name: str) -> None:
    found = skeletons(name)
    assert found
    assert all(found)
    assert all(each in skeletons(each) for each in found)


@given(st.text(min_size=1, max_size=MAX_NAME_LENGTH))
def test_a_name_collides_with_itself_in_any_case(name: str) -> None:
    assert skeletons(name) & skeletons(name.casefold())


def test_a_tall_stack_of_accents_is_refused() -> None:
    assert normalize_name("Vie\u0323\u0302t") == "Vi\u1ec7t"
    assert normalize_name("x\u0301\u0302\u0303\u0304") == "x\u0301\u0302\u0303\u0304"
    for name in ("x" + "\u0301" * 5, "Ann" + "\u0489" * 30, "Ann x" + "\u0336" * 8 + " Bob"):
        with pytest.raises(InvalidName, match="at most 4 combining accents"):
            normalize_name(name)


# -- reserved names ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "name",
    ["admin", "Admin", "\u0430dmin", "ADMIN.", "a d m i n", "house", "The House", "Arbiter", "M0derator", "Greedy bot",
     "greedy", "Strong Bot", "MODERATOR!", "Ann (bot)", "Ann (b\u043et)", "Ann(BOT)", "Ann (b0t)", "Ann [bot]",
     "Ann {bot}", "Ann <bot>", "Ann (bot", "Ann (bot)!", "Ann (bot).", "(bot)", "Ann (you)", "Ann [Y0U]"],
)  # fmt: skip
def test_names_of_roles_and_of_bots_are_reserved(players: Players, name: str) -> None:
    assert is_reserved(name)
    with pytest.raises(NameReserved, match="is reserved") as refused:
        players.create(name)
    assert isinstance(refused.value, NameTaken)


@pytest.mark.parametrize(
    "name",
    ["Adm1n", "4dmin", "@dmin", "Adm!n", "ADMlN", "ADM|N", "m0d3r4t0r", "Cru\u1d0d\u0299trail", "crum8tr4il",
     "4rb1ter", "\u1d00\u1d05\u1d0d\u026a\u0274", "\u1d00\u0280\u0299\u026a\u1d1b\u1d07\u0280", "\U0001f170dmin",
     "5taff", "$y$tem", "h0u5e", "Admin 2", "Admin007", "mod_1", "4dm1n 7", "Crumbtrail Team", "Your Moderator",
     "Gr33dy", "Ann (\u0299\u1d0f\u1d1b)"],
)  # fmt: skip
def test_reserved_names_in_disguise_are_reserved(name: str) -> None:
    """Given digits, symbols, small capitals or a number, then the name still looks like a reserved one."""
    assert is_reserved(name)


@pytest.mark.parametrize(
    "name",
    ["Ann1", "Ann 2", "Anni", "Bob 1990", "Modi", "Mode 7", "Botham", "B0b", "Rooty", "Staffan", "Stafford", "Housey",
     "Clocktower 3", "Computer Science", "Ada", "Admiral", "Arbi", "Supporter", "\u0418\u0432\u0430\u043d",
     "\u041c\u043e\u0434", "Ren\u00e9e", "\u65e5\u672c", "1234", "007", "Li", "Al"],
)  # fmt: skip
def test_ordinary_names_with_digits_are_not_reserved(players: Players, name: str) -> None:
    assert players.create(name).name == name


@pytest.mark.parametrize(
    "name", ["Adminton", "Robot", "Housekeeper", "Abbot", "my-bot", "R(obot)", "Modesty", "Golden Orchard Waffle"]
)
def test_other_names_are_not_reserved(name: str) -> None:
    assert not is_reserved(name)


# -- random names -----------------------------------------------------------------------------------------------------


def test_there_are_more_than_100_000_random_names_and_none_collides_with_another() -> None:
    assert len(NAME_ADJECTIVES) * len(NAME_PLACES) * len(NAME_NOUNS) >= 100_000
    for column in (NAME_ADJECTIVES, NAME_PLACES, NAME_NOUNS):
        counts = Counter(skeleton for word in column for skeleton in skeletons(word))
        assert set(counts.values()) == {1}
    longest = " ".join(max(words, key=len) for words in (NAME_ADJECTIVES, NAME_PLACES, NAME_NOUNS))
    assert len(longest) <= MAX_NAME_LENGTH
    assert not any(is_reserved(random_name()) for _ in range(50))


def test_a_guest_never_gets_a_name_that_is_taken(players: Players, monkeypatch: pytest.MonkeyPatch) -> None:
    # given: the first five random names are taken
    taken = [random_name() for _ in range(5)]
    for name in taken:
        players.create(name.upper())
    drawn = iter([*taken, "Fresh Harbour Scone"])
    monkeypatch.setattr("service.accounts.players.random_name", lambda: next(drawn))
    # when, then
    assert players.create_guest().name == "Fresh Harbour Scone"


# -- unique names -----------------------------------------------------------------------------------------------------


def test_a_taken_name_is_refused_with_free_suggestions(players: Players) -> None:
    players.create("Ann")
    with pytest.raises(NameTaken, match="belongs to another player") as refused:
        players.create("\u0410NN")
    suggested = refused.value.suggestions
    assert len(suggested) == len(set(suggested)) == 3
    assert [players.create(name).name for name in suggested] == list(suggested)


def test_suggestions_for_the_longest_name_are_valid(players: Players) -> None:
    players.create("m" * MAX_NAME_LENGTH)
    with pytest.raises(NameTaken) as refused:
        players.create("M" * MAX_NAME_LENGTH)
    assert refused.value.suggestions
    assert all(normalize_name(name) == name for name in refused.value.suggestions)


def test_a_player_can_change_the_spelling_of_their_own_name(players: Players) -> None:
    ann = players.create("Ann")
    ann = players.rename(ann, "ANN")
    assert players.rename(ann, "\u00c1nn").name == "\u00c1nn"
    with pytest.raises(NameTaken):
        players.create("Ann")


def test_a_former_name_is_free_immediately(players: Players) -> None:
    ann = players.create("Ann")
    players.rename(ann, "Zoe")
    assert players.create("Ann").name == "Ann"


def test_a_refused_rename_changes_nothing(players: Players, redis: Redis) -> None:
    ann, _ = players.create("Ann"), players.create("Bob")
    before = redis.hgetall(NAMES_KEY)
    with pytest.raises(NameTaken):
        players.rename(ann, "B0B")
    assert redis.hgetall(NAMES_KEY) == before
    assert players.names({ann.id}) == {ann.id: "Ann"}


def test_the_name_of_an_erased_player_is_free_and_leaves_no_trace(players: Players, redis: Redis) -> None:
    ann = players.create("Ann")
    players.erase(ann.id)
    assert redis.hgetall(NAMES_KEY) == {}
    players.rename(ann, "Annabel")  # in a browser that still shows the old page
    assert redis.hgetall(NAMES_KEY) == {}
    assert players.create("Ann").name == "Ann"


def test_a_claim_without_a_player_is_given_away_after_a_minute(players: Players, redis: Redis) -> None:
    with freeze_time(START) as frozen:
        # given: a process died between the claim and the record
        ann = players.create("Ann")
        redis.delete(player_key(ann.id))
        with pytest.raises(NameTaken):
            players.create("Ann")
        # when
        frozen.tick(timedelta(seconds=61))
        # then
        assert players.create("Ann").name == "Ann"


def test_an_old_claim_of_a_player_who_has_the_name_is_kept(players: Players) -> None:
    with freeze_time(START) as frozen:
        players.create("Ann")
        frozen.tick(timedelta(days=400))
        with pytest.raises(NameTaken):
            players.create("Ann")


# -- concurrency ------------------------------------------------------------------------------------------------------


def run_together(*calls: Callable[[], object]) -> list[object]:
    """Run calls at the same time in threads, and return their results, or the NameTaken that they raised."""
    start, results = threading.Barrier(len(calls)), [None] * len(calls)  # type: list[object]

    def run(number: int) -> None:
        start.wait()
        try:
            results[number] = calls[number]()
        except NameTaken as error:
            results[number] = error

    threads = [threading.Thread(target=run, args=(number,)) for number in range(len(calls))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return results


def test_if_many_players_want_a_name_at_the_same_time_one_gets_it(players: Players) -> None:
    spellings = ["Ann", "ANN", "\u0410nn", "A nn", "\u00c1nn", "\uff21nn", "Ann.", "ann"]
    results = run_together(*(lambda name=name: players.create(name) for name in spellings))  # type: ignore[misc]
    assert Counter(type(each) for each in results) == {Player: 1, NameTaken: 7}


def names_by_skeleton(players: Players, redis: Redis) -> Counter[str]:
    """Return how many players have a name with each skeleton."""
    ids = (raw.decode().removeprefix(player_key("")) for raw in redis.keys(player_key("*")))
    known = [found for player in ids if (found := players.find(player))]
    return Counter(skeleton for player in known for skeleton in skeletons(player.name))


def test_three_requests_for_one_name_never_give_it_to_two_players(players: Players, redis: Redis) -> None:
    ann, bob = players.create("Ann"), players.create("Bob")
    for _ in range(30):
        run_together(
            partial(players.rename, ann, "Cid"), partial(players.rename, bob, "C1d"), partial(players.create, "cld")
        )
        assert set(names_by_skeleton(players, redis).values()) == {1}
        ann, bob = (players.rename(players.find(each.id) or each, each.name) for each in (ann, bob))


def test_one_player_who_is_renamed_in_two_browsers_keeps_the_claim_to_the_final_name(players: Players) -> None:
    ann = players.create("Ann")
    for round_number in range(30):
        run_together(partial(players.rename, ann, "Zoe"), partial(players.rename, ann, "Mia"))
        final = players.find(ann.id)
        assert final is not None
        with pytest.raises(NameTaken):
            players.create(final.name.upper())
        ann = players.rename(final, f"Ann {round_number}")
