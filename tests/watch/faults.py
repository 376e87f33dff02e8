#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""As faults.c, with mpi4py."""
import sys
import time

import numpy


def iterate(count):
    for _ in range(count):
        given[:] = 0.5 * given + me
        world.Allreduce(given[:4], taken[:4])
        world.Bcast(given[:100])
        world.Alltoall(given[: 10 * ranks], taken[: 10 * ranks])
        world.Barrier()  # HERE sleeps: rank 1: sleep # HERE late_barrier: rank 1: late


def reached():
    if me == 1:
        print("at the fault", file=sys.stderr, flush=True)


def none():
    iterate(190)


def skip():
    reached()
    if me != 1:
        world.Barrier()  # HERE skip: ranks 0, 2, 3: Barrier
    world.Allreduce(given[:4], taken[:4])  # HERE skip: rank 1: Allreduce


def swap():
    reached()
    if me == 1:
        world.Bcast(given[:100])  # HERE swap: rank 1: Bcast; root 0; differs
    else:
        world.Allreduce(given[:4], taken[:4])  # HERE swap: ranks 0, 2, 3: Allreduce


def other_root():
    reached()
    world.Bcast(given[:100], root=2 if me == 1 else 0)  # HERE other_root: rank 1: Bcast; root 2
    world.Barrier()


def solve():
    if me == 1:
        raise ValueError("no solution")
    world.Allreduce(given[:4], taken[:4])  # HERE exception: ranks 0, 2, 3: Allreduce


def exception():
    reached()
    try:
        solve()
    except ValueError:
        world.Bcast(given[:10])  # HERE exception: rank 1: Bcast


def spin():
    while True:  # HERE spins: rank 1: spin
        pass  # HERE spins: rank 1: spin


def spins():
    reached()
    if me == 1:
        spin()
    world.Barrier()  # HERE spins: ranks 0, 2, 3: Barrier


def doze():
    time.sleep(1000)  # HERE sleeps: rank 1: sleep


def sleeps():
    reached()
    if me == 1:
        doze()
    world.Barrier()  # HERE sleeps: ranks 0, 2, 3: Barrier


def pickled():
    reached()
    if me == 1:
        world.recv(source=3, tag=7)  # HERE pickled: rank 1: tag 7
    world.gather(me, root=0)


def other_type():
    reached()
    values = numpy.ones(4, "i8" if me == 1 else "f8")
    world.Allreduce(values, values.copy())  # HERE other_type: rank 1: Allreduce; f64


def late_barrier():
    reached()
    if me == 1:
        time.sleep(4.5)  # HERE late_barrier: rank 1: late
    world.Barrier()


kinds = {none: "quiet", skip: "hang", swap: "hang quick", other_root: "check", exception: "hang", spins: "hang quick",
         sleeps: "hang", pickled: "hang", other_type: "check", late_barrier: "late"}
names = {fault.__name__: fault for fault in kinds}
if sys.argv[1] == "list":
    for name, fault in names.items():
        print(name, 4, kinds[fault])
    sys.exit()

from mpi4py import MPI

world = MPI.COMM_WORLD
me, ranks = world.rank, world.size
given, taken = numpy.zeros(1000), numpy.zeros(1000)
iterate(10)
names[sys.argv[1]]()
world.Barrier()
if me == 0:
    print("ended well")
