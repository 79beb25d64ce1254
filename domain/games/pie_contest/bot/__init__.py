"""The bots that play Pie Contest."""
