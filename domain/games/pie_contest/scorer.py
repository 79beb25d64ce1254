"""stub"""

audit = None
