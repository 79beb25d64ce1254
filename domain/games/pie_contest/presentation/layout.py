"""Sizes and marks that several parts of the picture share, in SVG units."""

WIDTH = 720
MARGIN = 14
INNER = WIDTH - 2 * MARGIN
ROW = 210
