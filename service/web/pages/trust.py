"""The page that says what players have to trust, and what they can check."""

from flask import render_template

from service.web.blueprint import web


@web.get("/trust")
def trust() -> str:
    """Show who could cheat and how, what prevents it, and how players would notice."""
    return render_template("templates/trust.html")
