"""The pictures of all cards, as drawings by the name of their symbol."""
