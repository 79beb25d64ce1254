"""stub"""

text = svg = None
