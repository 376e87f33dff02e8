# SPDX-License-Identifier: BSD-3-Clause
# Collectives of mpi4py with known results, with buffers and with pickled objects.
from array import array

from mpi4py import MPI

world = MPI.COMM_WORLD
n, me = world.Get_size(), world.Get_rank()


def expect(what, value, wanted):
    if value != wanted:
        print(f"wrong: {what} on rank {me}: {value} instead of {wanted}", flush=True)
        world.Abort(1)


for turn in range(20):
    world.Barrier()
    out = array("i", [-1] * n)
    world.Alltoall(array("i", [100 * me + i for i in range(n)]), out)
    expect("Alltoall", list(out), [100 * i + me for i in range(n)])
    total = array("d", [me, 1])
    world.Allreduce(MPI.IN_PLACE, total, MPI.SUM)
    expect("Allreduce", list(total), [n * (n - 1) / 2, n])
    counts, places = [i + 1 for i in range(n)], [i * (i + 1) // 2 for i in range(n)]
    out = array("i", [-1] * sum(counts))
    world.Allgatherv(array("i", [me] * (me + 1)), [out, counts, places, MPI.INT])
    expect("Allgatherv", list(out), [i for i in range(n) for _ in range(i + 1)])
    out = array("i", [-1] * n)
    world.Alltoallv([array("i", [me] * n), [1] * n, range(n), MPI.INT], [out, [1] * n, range(n), MPI.INT])
    expect("Alltoallv", list(out), list(range(n)))
    expect("bcast", world.bcast({"turn": turn} if me == n - 1 else None, root=n - 1), {"turn": turn})
    expect("allgather", world.allgather("x" * me), ["x" * i for i in range(n)])
    expect("alltoall", world.alltoall([(me, i) for i in range(n)]), [(i, me) for i in range(n)])
    expect("reduce", world.reduce(me, root=0), n * (n - 1) // 2 if me == 0 else None)
    expect("scan", world.scan(1), me + 1)
    expect("gather", world.gather(me, root=0), list(range(n)) if me == 0 else None)
    expect("scatter", world.scatter([10 * i for i in range(n)] if me == 0 else None, root=0), 10 * me)
if me == 0:
    print("all as expected")
