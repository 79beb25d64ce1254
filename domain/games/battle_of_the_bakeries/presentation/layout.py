"""Sizes shared by several parts of the picture, in SVG units."""

WIDTH = 720
MARGIN = 19
GAP = 8
