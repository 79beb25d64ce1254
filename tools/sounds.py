"""Makes the sounds of the tables: short, soft and wooden, from sine waves and seeded noise. No sample is recorded.

python -m tools.sounds            # writes service/web/static/sounds
python -m tools.sounds --check    # fails if a file differs from what this program makes
"""

import argparse
import io
import math
import random
import sys
import wave
from collections.abc import Callable, Iterable
from pathlib import Path

FOLDER = Path(__file__).parents[1] / "service" / "web" / "static" / "sounds"
RATE = 16_000
"""Samples per second. With 8 bits each, half a second has 8 kB."""
LOUDNESS = 0.5

Sound = Callable[[float], float]
"""Returns the value, from -1 to 1, at a time in seconds."""


def knock(pitch: float, fade: float, noise: float = 0.0) -> Sound:
    """Return a knock on wood: a tone with two overtones, and some noise at its beginning."""

    def rustle(at: float) -> float:
        return 2 * random.Random(f"{pitch} {fade} {round(at * RATE)}").random() - 1

    def value(at: float) -> float:
        tone = sum(
            strength * math.sin(2 * math.pi * pitch * factor * at) * math.exp(-at * factor / fade)
            for factor, strength in ((1.0, 0.7), (2.76, 0.25), (5.4, 0.1))
        )
        return tone + (noise * rustle(at) * math.exp(-at / (fade / 4)) if noise else 0.0)

    return value


def sequence(*parts: tuple[float, Sound]) -> Sound:
    """Return sounds that start at these times, one over the other."""
    return lambda at: sum(sound(at - start) for start, sound in parts if at >= start)


def slide(begin: float, end: float, length: float) -> Sound:
    """Return a soft tone that glides from one pitch to another."""

    def value(at: float) -> float:
        part = min(1.0, at / length)
        phase = begin * at + (end - begin) * at * part / 2
        return 0.6 * math.sin(2 * math.pi * phase) * math.sin(math.pi * part)

    return value


SOUNDS: dict[str, tuple[float, Sound]] = {
    "tap": (0.08, knock(900, 0.02, 0.1)),
    "place": (0.14, knock(320, 0.04, 0.3)),
    "flip": (0.16, sequence((0, knock(500, 0.02, 0.5)), (0.07, knock(340, 0.03, 0.2)))),
    "roll": (
        0.39,
        sequence(*((start, knock(430 + 40 * n, 0.025, 0.4)) for n, start in enumerate((0, 0.07, 0.13, 0.21, 0.3)))),
    ),
    "eat": (0.3, sequence(*((0.09 * n, knock(230 - 20 * n, 0.03, 0.8)) for n in range(3)))),
    "score": (0.3, sequence((0, knock(784, 0.08)), (0.1, knock(1047, 0.1)))),
    "tire": (0.36, slide(420, 260, 0.36)),
    "bump": (0.16, knock(140, 0.05, 0.4)),
    "turn": (0.1, knock(600, 0.03)),
    "your-turn": (0.39, sequence((0, knock(523, 0.1)), (0.14, knock(659, 0.12)))),
    "win": (0.39, sequence(*((0.09 * n, knock(pitch, 0.12)) for n, pitch in enumerate((523, 659, 784, 1047))))),
    "lose": (0.39, sequence((0, knock(392, 0.1)), (0.16, knock(330, 0.12)))),
}
"""The sounds by name, with their length in seconds."""


def wav(length: float, sound: Sound) -> bytes:
    """Return a sound as a WAV file: mono, 8 bits."""
    count = round(length * RATE)
    values = [sound(n / RATE) * min(1.0, (count - n) / (0.02 * RATE)) for n in range(count)]
    loudest = max(map(abs, values))
    buffer = io.BytesIO()
    with wave.open(buffer, "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(1)
        file.setframerate(RATE)
        file.writeframes(bytes(round(127.5 + 127 * LOUDNESS * value / loudest) for value in values))
    return buffer.getvalue()


def main(arguments: Iterable[str] | None = None) -> int:
    """Write or check all files. Return 1 if one differs."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="only compare the files")
    chosen = parser.parse_args(None if arguments is None else list(arguments))
    made = {f"{name}.wav": wav(*sound) for name, sound in SOUNDS.items()}
    if chosen.check:
        kept = {path.name: path.read_bytes() for path in FOLDER.glob("*.wav")}
        wrong = sorted(name for name in made.keys() | kept.keys() if made.get(name) != kept.get(name))
        if wrong:
            print(
                f"These sounds differ from what tools.sounds makes: {', '.join(wrong)}. Run `python -m tools.sounds`."
            )
        return 1 if wrong else 0
    FOLDER.mkdir(exist_ok=True)
    for name, content in made.items():
        (FOLDER / name).write_bytes(content)
    return 0


if __name__ == "__main__":
    sys.exit(main())
