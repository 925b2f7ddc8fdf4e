"""The local web app: the same questions and answers as on the command line, in a browser on the same machine.

The server listens on 127.0.0.1 only. It holds data in memory and writes nothing to disk. Counting runs in worker
processes, with the same calls as the command line.
"""
