"""Shell names: what is escaped is found again, and a long name takes no square of time."""

import time
from itertools import product

import pytest

from shoal.parts import escape, split_words, unescape


def test_parts_of_a_name_are_found_again():
    for letters in product("a\\:+,\n", repeat=4):
        word = "".join(letters)
        assert unescape(escape(word)) == word
        for mark in ":+,":
            assert [unescape(part) for part in split_words(f"{escape(word)}{mark}{escape(word)}", mark)] == [word, word]


BACKSLASHES = [("a\\", ["a\\"], ["a"]), ("\\:", ["\\:"], [":"]), ("\\\\:", ["\\\\", ""], ["\\", ""]), ("", [""], [""])]


@pytest.mark.parametrize(("text", "parts", "words"), BACKSLASHES)
def test_a_backslash_protects_the_next_character_only(text, parts, words):
    assert split_words(text, ":") == parts
    assert [unescape(part) for part in parts] == words


def test_a_long_name_takes_no_square_of_time():
    long = "a+" * 400_000
    start = time.process_time()
    assert split_words(f"columns:{escape(long)}", ":") == ["columns", escape(long)]
    assert unescape(escape(long)) == long
    assert time.process_time() - start < 10  # a square takes minutes
