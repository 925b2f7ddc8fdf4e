"""Work for worker processes: each is called with the data of a job. Workers import this file, so it imports little."""

import time
import warnings


class Data:
    """Data that counts how often it is sent to a worker."""

    def __init__(self, value=0):
        self.value, self.sent = value, 0

    def __getstate__(self):
        self.sent += 1
        return {"value": self.value, "sent": 0}


def return_value(data):
    return data.value


def return_process(_):
    import os

    return os.getpid()


def wait_forever(_):
    from shoal.progress import track

    track("waiting", 3, 10)
    time.sleep(3_600)


def allocate(_):
    held = []
    while True:
        held.append(bytearray(b"x" * 20_000_000))
        time.sleep(0.002)


def run_out_of_memory(_):
    raise MemoryError


def raise_own_error(_):
    from shoal.errors import BadFile

    raise BadFile("friends.csv, line 7: a link must have two ends. Got 1.")


def raise_bug(_):
    raise KeyError("<script>")


class Stubborn(Exception):
    """An error that cannot be unpickled."""

    def __init__(self, a, b):
        super().__init__(a)


def raise_stubborn(_):
    raise Stubborn(1, 2)


def return_lambda(_):
    return lambda: 1


def leave(_):
    import os

    os._exit(3)


def print_text(_):
    print("this is no answer")  # noqa: T201 - it must not mix with the answers


def warn_person(_):
    from shoal.errors import notice

    notice("2 links were dropped.")
    warnings.warn("of a library", stacklevel=1)
