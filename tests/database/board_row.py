"""The values of a board's row that have no default."""

BOARD = {
    "game": "perudo",
    "position": "",
    "move": 1,
    "turn": 0,
    "lines": 1,
    "chain": bytes(32),
    "started_at": 1_800_000_000,
    "moved_at": 2**40,
}
BOARD_1 = {**BOARD, "id": 1, "recent": ""}
