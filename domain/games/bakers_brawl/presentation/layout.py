"""Sizes shared by several parts of the picture, in SVG units."""

WIDTH = 720
MARGIN = 14
INNER = WIDTH - 2 * MARGIN
ORDER_ROW = 62
BOARD_RIM = 34
"""Width of the board's edge with letters and numbers."""
BOARD = INNER - BOARD_RIM - 10
SEAT_ROW = 92
LIST_ROW = 30
