"""The data room: it holds or loads."""
