"""The sections of the page of an audit."""
