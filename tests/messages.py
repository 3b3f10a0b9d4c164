"""Tables of bad input: what is written, and the words that a message about it must have."""


def assert_says(message: str, words: str) -> None:
    """Assert that a message has all of these words; they are separated by `` … ``."""
    for part in words.split(" … "):
        assert part in message
