"""OpenAPI links from answers to the next operations."""

NEXT_OPERATIONS = {
    "match": "getMatch",
    "legal_moves": "listLegalMoves",
    "events": "listEvents",
    "move": "makeMove",
    "command": "sendCommand",
    "replay": "downloadReplay",
    "disputes": "listDisputes",
}
"""The operations that a client can perform on a match, by name."""

MATCH_LINKS = {
    name: {"operationId": operation, "parameters": {"match": "$response.body#/match/id"}}
    for name, operation in NEXT_OPERATIONS.items()
}
