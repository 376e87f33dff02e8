# SPDX-License-Identifier: BSD-3-Clause
"""Schedules of collective communication as values: made, verified, priced, simulated and drawn; and collectives on arrays.

    import quadrille as q
    s = q.alltoall("bruck:radix=2", ranks=8, block="1KiB")
    s.check()              # raises ScheduleError if it were wrong
    s.figures.c1           # 3 rounds
    s                      # in a notebook: its picture

    ranks = q.over(MPI.COMM_WORLD)     # mpi4py's
    ranks.alltoall(sent, received)     # arrays of numpy, or anything else with the buffer protocol

Sizes are bytes, or text with a unit such as "1KiB". docs/python.md of Quadrille says more.
"""

import inspect as _inspect
from os import fspath as _fspath

try:
    from . import _quadrille
except ImportError as error:
    import pathlib
    import sys
    import sysconfig

    built = [file.name for file in pathlib.Path(__file__).parent.glob("_quadrille.*")]
    if not built:
        raise ImportError(f"quadrille's module is not in {pathlib.Path(__file__).parent}; build and install Quadrille, and set "
                          "PYTHONPATH to lib/quadrille/python there") from None
    if not any(name.endswith(sysconfig.get_config_var("EXT_SUFFIX")) for name in built):
        raise ImportError(f"this is Python {sys.version.split()[0]}, and quadrille's module was built for another one: "
                          f"{', '.join(built)}; build it again with this Python") from error
    raise

from ._quadrille import (Communicator, DoesNotApply, Error, Exchange, Explanation, Figures, Finding, InPlace, Memory, Neighbors,
                         Operation, Page, Plan, Price, Problem, Race, Region, Report, Request, Schedule, ScheduleError, Simulation,
                         Tuning, algorithms, collectives, combine, copy, in_place, input, output, over, parse, receive, scratch, send)
__version__ = "@PROJECT_VERSION@"

if not _quadrille.built_for == _quadrille.library_version == __version__:
    raise ImportError(f"this is quadrille {__version__} for Python, its module was built for {_quadrille.built_for}, and the library "
                      f"libquadrille that was loaded is {_quadrille.library_version}; install the same version of all three")

from ._threads import run_threads


class Algorithm:
    """An algorithm of your own: a function that yields the rounds of one rank. `algorithm` makes it."""

    def __init__(self, collective, function, name=None):
        self.collective = collective
        self.function = function
        self.name = name or function.__name__
        self.__doc__ = function.__doc__
        self.family = _quadrille.Family(collective, self.name, function)

    def __call__(self, **problem):
        """Returns the schedule of the problem, such as ranks=8, block="1KiB"."""
        return schedule(self.collective, self, **problem)

    def check(self, ranks=range(1, 17), **problem):
        """Raises ScheduleError if the schedule among any of these numbers of ranks is wrong. Numbers for which the algorithm raises
        DoesNotApply are left out. Returns the numbers that were verified."""
        verified = []
        for count in ranks:
            try:
                made = self(ranks=count, **problem)
            except DoesNotApply:
                continue
            made.check()
            verified.append(count)
        return verified

    def __repr__(self):
        return f"<Algorithm: {self.collective}/{self.name}>"


def algorithm(collective, name=None):
    """Makes a function an algorithm of this collective.

    The function gets a Problem and a rank, and yields the rounds of this rank: each a list of send, receive, copy and combine. All
    ranks yield as many rounds; a plain `yield` is a round in which the rank does nothing. Text begins a stage with this name.

        @q.algorithm("alltoall")
        def one_round(problem, rank):
            b = problem.block
            at = lambda peer: slice(peer * b, (peer + 1) * b)
            others = [peer for peer in range(problem.ranks) if peer != rank]
            yield [q.copy(q.input[at(rank)], q.output[at(rank)]), *[q.send(peer, q.input[at(peer)]) for peer in others],
                   *[q.receive(peer, q.output[at(peer)]) for peer in others]]

        one_round.check(block=8)            # verifies it among 1 to 16 ranks
        one_round(ranks=8, block="1KiB")    # a Schedule
    """
    return lambda function: Algorithm(collective, function, name)


def schedule(collective, algorithm="", **problem):
    """Returns the schedule of an algorithm: its name with parameters, such as "bruck:radix=2", or one of your own."""
    return _quadrille.make_schedule(_problem(collective, problem), _made_of(algorithm))


_problem_arguments = ("ranks", "block", "counts", "root", "op", "type", "reproducible", "nodes", "grid")


def _problem(collective, arguments):
    """Returns the Problem. Says what is wrong in a sentence, without the signatures of C++."""
    unknown = [name for name in arguments if name not in _problem_arguments]
    if unknown:
        raise TypeError(f"{collective} has no argument '{unknown[0]}'; a problem has {', '.join(_problem_arguments)}")
    if "ranks" not in arguments:
        raise TypeError(f"{collective} needs the number of ranks, such as ranks=8")
    try:
        return Problem(collective, **arguments)
    except TypeError:
        given = ", ".join(f"{name}={value!r}" for name, value in arguments.items())
        raise TypeError(f"{collective} has an argument of a wrong type: {given}; ranks and root are whole numbers, sizes are bytes "
                        "or text with a unit") from None


def _made_of(algorithm):
    return algorithm.family if isinstance(algorithm, Algorithm) else algorithm


def explain(collective, *algorithms, machine=None, **problem):
    """Returns which algorithm a plan would take for the problem on this machine, or on a named one such as "hdr", and why. It is
    compared with algorithms of your own, which are verified first."""
    families = [each.family for each in algorithms if isinstance(each, Algorithm)]
    if len(families) < len(algorithms):
        raise TypeError("explain compares with algorithms of your own, made by quadrille.algorithm; it knows those of the library")
    return _quadrille.explain_problem(_problem(collective, problem), machine, families)


def race(collective, *algorithms, ranks, block=None, repetitions=9, seconds=2.0, op="sum", type="f64", **problem):
    """Runs algorithms side by side on real, checked data, for about so many seconds at each size.

    ranks: a number of threads, or a Communicator, whose ranks all call. block: a size, or a list of sizes."""
    count = ranks.size if isinstance(ranks, Communicator) else ranks
    blocks = block if isinstance(block, (list, tuple, range)) else [block]
    problems = [_problem(collective, dict(problem, ranks=count, block=each, op=op, type=type)) for each in blocks]
    made = [_made_of(each) for each in algorithms]
    return _in_group(ranks, lambda group: _quadrille.race_in_group(group, problems, made, op, type, repetitions, seconds))


def tune(ranks, collectives=(), sizes=(), *, seconds_per_cell=1.0, seconds=None, again=False, ways=8):
    """Measures which algorithms are the fastest and keeps the results as wisdom, as `quadrille tune` does.

    ranks: a Communicator, whose ranks all call, or a number of threads. collectives: names; all if none are given. sizes: bytes of
    a block, or text with a unit; nine from 8 B to 1 MiB if none are given. seconds: no cell is begun later. again: also measures
    cells that are known. ways: at most so many algorithms in a cell."""
    options = {"seconds_per_cell": seconds_per_cell, "seconds": seconds, "again": again, "ways": ways}
    return _in_group(ranks, lambda group: _quadrille.tune_group(group, list(collectives), list(sizes), **options))


def _in_group(ranks, function):
    return function(ranks) if isinstance(ranks, Communicator) else run_threads(ranks, function)[0]


def read_all(file):
    """Returns the schedules of a file, JSON or text."""
    return _quadrille.read_all(_fspath(file))


def read(file):
    """Returns the schedule of a file, JSON or text. `read_all` is for files with several."""
    found = read_all(file)
    if len(found) != 1:
        raise ValueError(f"'{file}' has {len(found)} schedules; read_all returns all of them")
    return found[0]


def launched_world():
    """Returns the Communicator of the ranks that mpirun or `quadrille run` started, this process among them, which must not use MPI
    itself. Call it once. From then on an exception that ends the program ends it on all ranks."""
    ranks = _quadrille.launched_group()
    _end_all_by_exceptions(ranks)
    return ranks


def _end_all_by_exceptions(ranks):
    import sys
    import weakref

    print_exception, group = sys.excepthook, weakref.ref(ranks)

    def hook(*exception):
        print_exception(*exception)
        sys.stdout.flush()
        sys.stderr.flush()
        if group():
            group().abort(1)

    sys.excepthook = hook


def run_launched(threads, function):
    """For programs that may be started in any way: if mpirun or `quadrille run` started this process, calls function(ranks) once, with
    the launched world; otherwise as run_threads. Returns the list of what the ranks of this process returned. Call it once."""
    if _quadrille.is_launched():
        return [function(launched_world())]
    return run_threads(threads, function)


def _schedule_of(text, is_right):
    """For pickle, which takes functions of Python only."""
    return _quadrille.schedule_of(text, is_right)


def wait_all(requests):
    """Waits for all requests, then raises the first error, if there was one."""
    first = None
    for request in requests:
        try:
            request.wait()
        except Error as error:
            first = first or error
    if first:
        raise first


def _made_by(algorithm="", *, ranks, block=None, counts=None, root=0, op="sum", type="f64", reproducible=False, nodes=(), grid=()):
    """Returns the schedule of an algorithm of {}: its name with parameters, such as "bruck:radix=2", or one of your own.

    ranks: how many. block: bytes of a block, or text with a unit. counts: bytes of each share, of a collective with counts. root: its
    rank. op, type: operator and elements of a reduction. reproducible: all algorithms give the same bits. nodes: the node of each
    rank. grid: the sides of the grid that the ranks form."""


def _of_collective(name):
    def make(algorithm="", **problem):
        return schedule(name, algorithm, **problem)

    make.__name__ = make.__qualname__ = name
    make.__doc__ = _made_by.__doc__.format(name)
    make.__signature__ = _inspect.signature(_made_by)
    return make


def _in_a_sentence(function, name):
    """Returns the function with errors of one sentence for wrong arguments, in place of a list of the signatures in C++."""
    def call(*arguments, **options):
        try:
            return function(*arguments, **options)
        except TypeError as error:
            found = str(error).split("Invoked with: ")
            if "incompatible" not in found[0]:
                raise
            signature, given = found[0].splitlines()[1].partition("(")[2], " ".join(found[1].split())
            signature = f"{name}({signature.partition(' -> ')[0]}".replace("quadrille._quadrille.", "")
        raise TypeError(f"call {signature}, not with ({given[:200]})")

    call.__name__ = call.__qualname__ = name
    call.__doc__ = function.__doc__
    return call


for _name in ("combine", "copy", "over", "parse", "receive", "send"):
    globals()[_name] = _in_a_sentence(globals()[_name], _name)
for _name in ("check", "draw", "price", "simulate", "verify", "view"):
    setattr(Schedule, _name, _in_a_sentence(getattr(Schedule, _name), _name))
Neighbors.__init__ = _in_a_sentence(Neighbors.__init__, "Neighbors")


globals().update({name: _of_collective(name) for name in collectives()})
__all__ = [name for name in globals() if not name.startswith("_")]


def __getattr__(name):
    """Called for names that the module does not have. Those of MPI have another one here."""
    meant = _quadrille.collective_of_mpi(name)
    raise AttributeError(f"module 'quadrille' has no attribute '{name}'" + (f"; did you mean '{meant}'?" if meant else ""))
