"""Sizes and positions shared by several drawings, in SVG units."""

from itertools import product

from domain.games.take_the_cake.rules.parts import BOARD_SIZE, Square

TILES: tuple[Square, ...] = tuple(product(range(BOARD_SIZE), range(BOARD_SIZE)))
WIDTH = 720
TOP_BAR = 124
CELL = 62
LEFT = 58
TOP = TOP_BAR + 34
"""The y coordinate of the top of the board."""
