"""Reading and writing of files: formats, atomic writing, journals and digests."""
