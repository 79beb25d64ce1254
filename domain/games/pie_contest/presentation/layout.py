"""Sizes shared by several parts of the picture, in SVG units."""

WIDTH = 720
MARGIN = 14
INNER = WIDTH - 2 * MARGIN
ROW = 210
