# SPDX-License-Identifier: BSD-3-Clause
"""Runs every collective as it is launched: launched.py world (mpirun, quadrille run), launched.py mpi4py or handles (mpirun).
launched.py exception: one rank raises an exception, which ends all."""
import importlib.util
import sys

import quadrille as q

way = sys.argv[1]
for package in ("numpy", "mpi4py") if way == "mpi4py" else ("numpy",):
    if not importlib.util.find_spec(package):
        print(f"skipped: {package} is not installed")
        sys.exit(77)

import numpy as np

from every_collective import every_collective


def told(ranks, what):
    ranks.barrier()
    if ranks.rank == 0:
        print(what, "-", ranks.size, "ranks: right")


def compare_with_mpi4py(world):
    """The program's own collectives and ours on the same communicator."""
    ranks = q.over(world)
    assert (ranks.rank, ranks.size) == (world.rank, world.size)
    sent, ours, theirs = np.arange(3.0 * ranks.size) + 1000 * ranks.rank, np.zeros(3 * ranks.size), np.zeros(3 * ranks.size)
    request = ranks.ialltoall(sent, ours)
    world.Alltoall(sent, theirs)
    request.wait()
    assert (ours == theirs).all()
    ranks.allreduce(sent, ours, np.maximum)
    world.Allreduce(sent, theirs, MPI.MAX)
    assert (ours == theirs).all()


def use_groups_that_end(split, free, world_size, world_rank):
    """Plans outlive their communicator."""
    half = split(world_rank % 2, world_rank)
    members = q.over(half)
    size = (world_size + 1 - world_rank % 2) // 2
    assert members.size == size
    total = np.ones(1)
    plan = members.plan_allreduce(q.in_place, total)
    members.allreduce(q.in_place, total)
    assert total[0] == size
    free(half)
    plan.execute()
    assert total[0] == size ** 2
    return plan


def is_refused(call, sentence):
    try:
        call()
    except q.Error as error:
        assert error.code == "misuse" and sentence in str(error), error
    else:
        raise AssertionError(f"not refused: {sentence}")


def fail_on_one(ranks):
    if ranks.rank == ranks.size - 1:
        raise ZeroDivisionError("on purpose")
    ranks.barrier()


if way == "exception":
    q.run_launched(2, fail_on_one)

if way == "world":
    ranks = q.launched_world()
    every_collective(ranks)
    told(ranks, ranks.transport)
    sys.exit()

if way == "mpi4py":
    from mpi4py import MPI

    compare_with_mpi4py(MPI.COMM_WORLD)
    split, free = MPI.COMM_WORLD.Split, lambda comm: comm.Free()
else:
    import mpi_by_ctypes

    MPI = mpi_by_ctypes.stand_in()
    split, free = MPI.COMM_WORLD.split, lambda comm: comm.free()

ranks = q.over(MPI.COMM_WORLD)
every_collective(ranks)
by_vendor = np.zeros(ranks.size)
ranks.alltoall(np.arange(1.0 * ranks.size), by_vendor, algorithm="vendor")
assert (by_vendor == ranks.rank).all()
assert q.over(MPI.COMM_WORLD) is ranks  # so that a use of one is seen by all
plan = use_groups_that_end(split, free, ranks.size, ranks.rank)
is_refused(lambda: q.over(MPI.COMM_NULL), "MPI_COMM_NULL")
told(ranks, MPI.Get_library_version().split(",")[0].split("\n")[0])
MPI.Finalize()
is_refused(lambda: q.over(MPI.COMM_WORLD), "MPI is not initialised, or finalised already")
is_refused(ranks.barrier, "MPI_Finalize")
