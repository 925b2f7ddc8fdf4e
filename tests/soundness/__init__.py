"""Soundness: random data, and every count of shoal judged by definitions written a second time.

``make soundness MINUTES=10`` runs it. It imports only the public names of shoal, networkx and the standard library.

draw.py draws data and questions. oracle.py holds the definitions of knowledge and levels. A file judge_NAME.py asks
shoal and the oracle the same question, for one family of answers. judging.py lists the kinds of cases; run.py serves
them in turn and saves what failed; faults.py plants faults, so that each judge can be seen to fail.
"""
