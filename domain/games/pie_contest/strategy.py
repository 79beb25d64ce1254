"""stub"""

greedy = None
