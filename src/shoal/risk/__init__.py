"""The risk room: it summarizes counts."""
