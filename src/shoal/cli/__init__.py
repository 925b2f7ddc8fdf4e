"""The command line: the library in the shell. One file per command."""
