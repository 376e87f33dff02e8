# SPDX-License-Identifier: BSD-3-Clause
"""run_threads. Its caller does not run the ranks, but waits for them, so that Ctrl-C and the end of the program can end them."""

import atexit
import operator
import sys
import threading

from . import _quadrille

_open = set()  # the groups whose ranks run


class _Group:
    """The ranks of one call of run_threads."""

    def __init__(self, function):
        self.function = function
        self.lock = threading.Lock()
        self.running = {}  # the communicator of each thread in which the function runs
        self.ended_by = None
        self.is_over = threading.Event()
        self.results = self.error = None

    def run(self, threads):
        try:
            self.results = _quadrille.run_ranks(threads, self._as_rank)
        except BaseException as error:
            self.error = error
        _open.discard(self)
        self.is_over.set()

    def _as_rank(self, ranks):
        me = threading.get_ident()
        with self.lock:
            if self.ended_by:
                raise self.ended_by
            self.running[me] = ranks
        try:
            return self.function(ranks)
        finally:
            with self.lock:
                self.running.pop(me, None)

    def end(self, kind):
        """Ranks that wait for others get an Error (peer_lost), and all ranks an exception of this kind at their next line."""
        with self.lock:
            self.ended_by = kind
            for thread in self.running:
                _quadrille.raise_in_thread(thread, kind)
            for ranks in self.running.values():
                _quadrille.fail_threads(ranks)

    def end_and_wait(self):
        self.end(KeyboardInterrupt)
        try:
            if not self.is_over.wait(1):
                with self.lock:
                    left = sorted(ranks.rank for ranks in self.running.values())
                print(f"run_threads waits for {'rank' if len(left) == 1 else 'ranks'} {', '.join(map(str, left))}, in a call "
                      "that Python cannot interrupt; interrupt again to leave it running", file=sys.stderr, flush=True)
                while not self.is_over.wait(_glance):
                    pass
        except KeyboardInterrupt:
            pass  # the caller raises the first one


_glance = 0.1  # seconds; in other threads than the main one, exceptions of PyThreadState_SetAsyncExc do not end a wait


def run_threads(threads, function):
    """Calls function(ranks) as each rank of a group of threads. Returns the list of what it returned, by rank, or raises the first
    exception. Ctrl-C ends the ranks: those that wait for others get an Error (peer_lost), and all ranks a KeyboardInterrupt at their
    next line of Python."""
    group = _Group(function)
    runner = threading.Thread(target=group.run, args=(operator.index(threads),), name="quadrille.run_threads", daemon=True)
    try:
        _open.add(group)
        runner.start()
        while not group.is_over.wait(_glance):
            pass
    except BaseException:
        group.end_and_wait()
        raise
    if group.ended_by:
        raise group.ended_by
    if group.error is not None:
        try:
            raise group.error
        finally:
            group.error = None  # no cycle with the exception's frames
    return group.results


@atexit.register
def _end_all():
    """Ends the ranks of threads that the program does not wait for."""
    left = list(_open)
    for group in left:
        group.end(SystemExit)
    for group in left:
        group.is_over.wait(1)
