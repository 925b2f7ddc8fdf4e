"""Steps of an engine: each runs in a thread of its own, so that Ctrl-C and time limits end it at once."""

from __future__ import annotations

import threading
from collections.abc import Callable

from shoal.progress import check, track

TICK = 0.05
"""Seconds between two looks at signals, time limits and progress."""


def watch_step(
    step: Callable[[], object], what: str, measure: Callable[[], float], interrupt: Callable[[], object]
) -> BaseException | None:
    """Run a step in a thread; a signal or the end of the time interrupts it. Return the error with which it failed.

    Parameters
    ----------
    step
        The step.
    what
        Its name, for progress.
    measure
        How much of it is done, in percent.
    interrupt
        Ends it soon. It is called again until the step has ended: one that has not begun yet cannot be interrupted.
    """
    check()
    failed: list[BaseException] = []
    ended = threading.Event()

    def work() -> None:
        try:
            step()
        except BaseException as error:
            failed.append(error)
        finally:
            ended.set()

    thread = threading.Thread(target=work, name=f"shoal {what}", daemon=True)
    thread.start()
    try:
        while not ended.wait(TICK):
            track(what, max(0, min(99, int(measure()))), 100)
        track(what, 100, 100)
    except BaseException:
        while not ended.wait(TICK):
            interrupt()
        raise
    finally:
        thread.join()
    return failed[0] if failed else None
