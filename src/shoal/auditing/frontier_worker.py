"""A worker: a process of its own that makes releases for a frontier, one after the other.

It is a plain Python process and not a fork or a spawned copy, so that a script that calls :func:`shoal.frontier` needs
no guard. It gets a question and then plans by its input, and answers with points by its output. When its input ends it
ends too, in the middle of its work if need be: nobody waits for the answer any more.
"""

from __future__ import annotations

import os
import pickle
import sys
from queue import SimpleQueue
from threading import Thread
from typing import Any

from shoal.terminal import cut

READY = "ready"
START = "import sys; sys.path[:] = sys.argv[1:]; from shoal.auditing.frontier_worker import work; work()"
"""What the process runs: it finds shoal, and whatever the data are made of, where its parent does."""


def work() -> None:
    """Answer plans until the input ends."""
    with os.fdopen(os.dup(1), "wb") as answers:
        os.dup2(2, 1)  # what a library prints must not end up among the answers
        plans: SimpleQueue[Any] = SimpleQueue()
        Thread(target=_listen, args=(plans,), daemon=True).start()
        from shoal.auditing.frontier_trial import tried

        question = plans.get()
        _answer(answers, question if isinstance(question, Exception) else READY)
        while True:
            _answer(answers, tried(plans.get(), question))


def _answer(answers: Any, reply: Any) -> None:
    try:
        pickle.dump(reply, answers)
        answers.flush()
    except BrokenPipeError:
        os._exit(0)


def _listen(plans: SimpleQueue[Any]) -> None:
    """Pass on what comes, and end the process where nothing comes any more."""
    while True:
        try:
            plans.put(pickle.load(sys.stdin.buffer))
        except EOFError:
            os._exit(0)
        except Exception as error:  # data of a class that only the parent knows
            plans.put(RuntimeError(f"{type(error).__name__}: {cut(error)}"))
            return
