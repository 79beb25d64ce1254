"""Sizes and marks that several parts of the picture share, in SVG units."""

WIDTH = 720
MARGIN = 19
GAP = 8
