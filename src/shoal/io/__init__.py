"""How data comes in and goes out: files, formats, atomic writing, journals and digests."""
