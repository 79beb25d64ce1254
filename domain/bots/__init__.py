"""The strategies of the house bots: pure functions of what a seat may see and of 32 random bytes."""
