"""stub"""


def seat_names(seats):
    """x"""
    return ("Ana", "Ben", "Cleo", "Dora", "Emil", "Fay", "Gus", "Hana")[:seats]


def tell(facts):
    """x"""
    return []
