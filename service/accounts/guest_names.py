"""Names for players who have not chosen one: three words, such as Golden Orchard Waffle."""

import secrets
from typing import Final

NAME_ADJECTIVES: Final = (
    "Crispy", "Golden", "Sugared", "Toasted", "Buttered", "Glazed", "Floury", "Caramel", "Cinnamon", "Crunchy",
    "Frosted", "Fluffy", "Gingery", "Honeyed", "Jammy", "Lemony", "Minty", "Nutty", "Powdered", "Vanilla",
    "Almond", "Apple", "Baked", "Berry", "Braided", "Brown", "Candied", "Cheesy", "Cherry", "Creamy",
    "Crumbly", "Dainty", "Double", "Dusted", "Feathery", "Filled", "Flaky", "Fresh", "Fruity", "Hazel",
    "Iced", "Layered", "Light", "Marbled", "Mellow", "Oaty", "Orange", "Peachy", "Peppery", "Plump",
    "Raisin", "Rolled", "Rosy", "Rustic", "Salted", "Seeded", "Silky", "Spiced", "Stuffed", "Sunny",
    "Sweet", "Tangy", "Tender", "Twisted", "Velvet", "Walnut", "Warm", "Whipped", "Whole", "Zesty",
)  # fmt: skip
NAME_PLACES: Final = (
    "Alpine", "Autumn", "Barley", "Bay", "Birch", "Bridge", "Brook", "Canal", "Castle", "Cedar",
    "Cliff", "Clover", "Cottage", "Country", "Creek", "Dawn", "Delta", "Dune", "Evening", "Fern",
    "Field", "Forest", "Garden", "Grove", "Harbour", "Harvest", "Heath", "Hedge", "Hill", "Hollow",
    "Island", "Ivy", "Lake", "Lane", "Maple", "Market", "Marsh", "Meadow", "Midnight", "Mill",
    "Moon", "Morning", "Moss", "Mountain", "Oak", "Ocean", "Orchard", "Park", "Pebble", "Pine",
    "Pond", "Prairie", "Rain", "Ridge", "River", "Snow", "Spring", "Star", "Summer", "Sunset",
    "Thistle", "Tower", "Valley", "Village", "Willow", "Winter",
)  # fmt: skip
NAME_NOUNS: Final = (
    "Bagel", "Biscuit", "Brioche", "Brownie", "Bun", "Cookie", "Cracker", "Croissant", "Crumpet", "Cupcake",
    "Dumpling", "Eclair", "Macaroon", "Muffin", "Pancake", "Pretzel", "Scone", "Strudel", "Tartlet", "Waffle",
    "Baguette", "Blini", "Bread", "Cannoli", "Churro", "Cobbler", "Crepe", "Crostata", "Crouton", "Danish",
    "Doughnut", "Focaccia", "Fritter", "Galette", "Gingerbread", "Granola", "Loaf", "Madeleine", "Meringue", "Nougat",
    "Panini", "Pastry", "Pita", "Popover", "Profiterole", "Pudding", "Rusk", "Shortbread", "Sponge", "Turnover",
)  # fmt: skip
SUGGESTED_ADJECTIVES: Final = NAME_ADJECTIVES[:20]


def random_name() -> str:
    """Return one of 231,000 names, each equally likely. It may be taken already."""
    return " ".join(secrets.choice(words) for words in (NAME_ADJECTIVES, NAME_PLACES, NAME_NOUNS))
