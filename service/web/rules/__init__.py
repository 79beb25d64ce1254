"""A page of rules for each game that has one: `<slug>.html`, and a module of that name for its pictures."""
