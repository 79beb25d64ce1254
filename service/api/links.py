"""Links from answers to the operations that may follow."""

NEXT_OPERATIONS = {
    "match": "getMatch",
    "legal_moves": "listLegalMoves",
    "events": "listEvents",
    "move": "makeMove",
    "command": "sendCommand",
    "replay": "downloadReplay",
    "disputes": "listDisputes",
}
"""What one may do with a match that one has in hand: the operations by name."""

MATCH_LINKS = {
    name: {"operationId": operation, "parameters": {"match": "$response.body#/match/id"}}
    for name, operation in NEXT_OPERATIONS.items()
}
