"""Texts that a page must show as text: markup, quotes, emoji, right-to-left text, a template, a NUL and an escape."""

HOSTILE = [
    "<script>alert(1)</script>",
    "\"quoted\" & 'so'",
    "🐟👩‍👩‍👧",
    "\u202e\u05d0\u05d1\u05d2",
    "</title></svg>",
    "{{ 7*7 }}",
    "a\u0000b",
    "\u001b[31mred",
]
