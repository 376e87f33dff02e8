# SPDX-License-Identifier: BSD-3-Clause
"""What an alltoall costs when it is called from Python: medians of the same calls by Quadrille and by the MPI library, from Python
and from C++, in one process, in turns. Times are microseconds; "beyond C++" is the difference of the medians.

    mpirun -n 1 python3 bench/python_calls.py build/release/bench/python_calls.so [CALLS] [ELEMENTS OF A BLOCK...]
"""
import ctypes
import statistics
import sys
import time

import numpy as np
from mpi4py import MPI

import quadrille as q

turns = 10
names = ("quadrille C++", "quadrille", "kept plan", "MPI C", "mpi4py")


def in_python(call, *arguments):
    def run(seconds):
        clock = time.perf_counter
        for i in range(len(seconds)):
            begin = clock()
            call(*arguments)
            seconds[i] = clock() - begin

    return run


def in_c(function, world, sent, received):
    def address(array):
        return array.ctypes.data_as(ctypes.c_void_p)

    def run(seconds):
        function(ctypes.c_void_p(MPI._addressof(world)), address(sent), address(received), ctypes.c_int64(len(sent)),
                 ctypes.c_int64(len(seconds)), address(seconds))

    return run


def medians(world, ranks, library, elements, calls):
    sent = np.arange(float(elements * ranks.size))
    received = np.zeros_like(sent)
    plan = ranks.plan_alltoall(sent, received)
    runs = (in_c(library.time_quadrille, world, sent, received), in_python(ranks.alltoall, sent, received), in_python(plan.execute),
            in_c(library.time_mpi, world, sent, received), in_python(world.Alltoall, sent, received))
    times = [[] for _ in runs]
    for run in runs:
        run(np.zeros(100))
    for _ in range(turns):
        for run, all_seconds in zip(runs, times):
            seconds = np.zeros(max(calls // turns, 1))
            world.Barrier()
            run(seconds)
            all_seconds.extend(seconds)
    return [statistics.median(all_seconds) * 1e6 for all_seconds in times]


def main():
    world = MPI.COMM_WORLD
    ranks = q.over(world)
    library = ctypes.CDLL(sys.argv[1])
    calls = int(sys.argv[2]) if len(sys.argv) > 2 else 100_000
    if ranks.rank == 0:
        print(f"{ranks.size} ranks, medians of {calls} calls on rank 0, in microseconds")
        print("block bytes", *(f"{name:>14}" for name in names), f"{'beyond C++':>14}")
    for elements in [int(text) for text in sys.argv[3:]] or [1, 16, 256, 4096]:
        found = medians(world, ranks, library, elements, calls)
        if ranks.rank == 0:
            print(f"{8 * elements:11}", *(f"{each:14.3f}" for each in found), f"{found[1] - found[0]:14.3f}")


main()
