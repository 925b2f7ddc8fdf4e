"""Texts that a page must show as text: markup, quotes, emoji, right-to-left text, and a NUL."""

HOSTILE = [
    "<script>alert(1)</script>",
    "\"quoted\" & 'so'",
    "🐟👩‍👩‍👧",
    "\u202e\u05d0\u05d1\u05d2",
    "</title></svg>",
    "a\u0000b"[:1] + "{{ 7*7 }}",
]
