# SPDX-License-Identifier: BSD-3-Clause
"""Runs every collective of a communicator on arrays and compares the results with what numpy computes from the ranks' data."""
import numpy as np

import quadrille as q


def data(rank, elements, dtype="f8", seed=0):
    """What a rank gives: whole numbers, so that sums are exact, and different for each rank."""
    return np.random.default_rng((seed, rank)).integers(1, 50, elements).astype(dtype)


def equal(got, expected):
    assert got.dtype == np.asarray(expected).dtype and (got == expected).all(), f"got {got}, expected {expected}"


def ways(ranks, name, *arguments, output, **options):
    """Runs a call in all its forms. Yields after each; then the output is to be checked. Clears the output in between."""
    before = output.copy()
    getattr(ranks, name)(*arguments, **options)
    yield
    output[...] = before
    request = getattr(ranks, "i" + name)(*arguments, **options)
    request.wait()
    assert request.is_over and request.test()
    yield
    if name.startswith("neighbor_"):
        return
    output[...] = before
    plan = getattr(ranks, "plan_" + name)(*arguments, **options)
    plan.execute()
    yield
    output[...] = before
    request = plan.start()
    del plan  # the request keeps what it needs
    while not request.test():
        pass
    yield


def regular(ranks, n, dtype, **options):
    p, me = ranks.size, ranks.rank
    everyone = [data(rank, p * n, dtype) for rank in range(p)]
    mine, out = everyone[me], np.zeros(p * n, dtype)
    for _ in ways(ranks, "alltoall", mine, out, output=out, **options):
        equal(out, np.concatenate([each[me * n:(me + 1) * n] for each in everyone]))
    for _ in ways(ranks, "allgather", mine[:n], out, output=out, **options):
        equal(out, np.concatenate([each[:n] for each in everyone]))
    for root in {0, p - 1}:
        buffer = mine.copy()
        for _ in ways(ranks, "broadcast", buffer, root, output=buffer, **options):
            equal(buffer, everyone[root])
        one = np.zeros(n, dtype)
        for _ in ways(ranks, "scatter", mine if me == root else None, one, root, output=one, **options):
            equal(one, everyone[root][me * n:(me + 1) * n])
        gathered = np.zeros(p * n, dtype) if me == root else None
        for _ in ways(ranks, "gather", mine[:n], gathered, output=gathered if me == root else one, root=root, **options):
            if me == root:
                equal(gathered, np.concatenate([each[:n] for each in everyone]))


def reductions(ranks, n, dtype, op="sum", ufunc=np.add, **options):
    p, me = ranks.size, ranks.rank
    everyone = [data(rank, p * n, dtype) for rank in range(p)]
    combined = lambda arrays: ufunc.reduce(np.stack(arrays), axis=0, dtype=dtype)
    mine, out, one = everyone[me], np.zeros(p * n, dtype), np.zeros(n, dtype)
    for _ in ways(ranks, "allreduce", mine, out, op, output=out, **options):
        equal(out, combined(everyone))
    result = out if me == p - 1 else None
    out[...] = 0
    for _ in ways(ranks, "reduce", mine, result, op, output=out, root=p - 1, **options):
        equal(out, combined(everyone) if me == p - 1 else np.zeros(p * n, dtype))
    for _ in ways(ranks, "reduce_scatter", mine, one, op, output=one, **options):
        equal(one, combined(everyone)[me * n:(me + 1) * n])
    for _ in ways(ranks, "scan", mine, out, op, output=out, **options):
        equal(out, combined(everyone[:me + 1]))
    out[...] = 0
    for _ in ways(ranks, "exscan", mine, out, op, output=out, **options):
        equal(out, combined(everyone[:me]) if me else np.zeros(p * n, dtype))


def irregular(ranks, dtype, **options):
    p, me = ranks.size, ranks.rank
    count = lambda sender, receiver: (2 * sender + receiver) % 4
    block = lambda sender, receiver: data(sender, 4, dtype, seed=receiver)[:count(sender, receiver)]
    sent, received = [count(me, rank) for rank in range(p)], np.array([count(rank, me) for rank in range(p)], "i4")
    mine = np.concatenate([block(me, rank) for rank in range(p)])
    out = np.zeros(received.sum(), dtype)
    for _ in ways(ranks, "alltoallv", mine, sent, out, received, output=out, **options):
        equal(out, np.concatenate([block(rank, me) for rank in range(p)]))
    places = 4 * np.arange(p)
    spread = np.zeros(4 * p, dtype)
    for _ in ways(ranks, "alltoallv", mine, sent, spread, received, output=spread, receive_displacements=places, **options):
        for rank in range(p):
            equal(spread[4 * rank:4 * rank + received[rank]], block(rank, me))

    counts = [rank + 1 for rank in range(p)]
    share = data(me, me + 1, dtype)
    everyone = np.concatenate([data(rank, rank + 1, dtype) for rank in range(p)])
    begin, out = me * (me + 1) // 2, np.zeros(len(everyone), dtype)
    for _ in ways(ranks, "allgatherv", share, out, counts, output=out, **options):
        equal(out, everyone)
    for _ in ways(ranks, "reduce_scatterv", everyone, share, counts, "max", output=share, **options):
        equal(share, everyone[begin:begin + me + 1])
    share, root = data(me, me + 1, dtype), p - 1
    gathered = np.zeros(len(everyone), dtype)
    arguments = (gathered, counts) if me == root else ()
    for _ in ways(ranks, "gatherv", share, *arguments, root=root, output=gathered, **options):
        equal(gathered, everyone if me == root else 0 * everyone)
    arguments = (everyone, counts) if me == root else (None, None)
    for _ in ways(ranks, "scatterv", *arguments, share, root=root, output=share, **options):
        equal(share, data(me, me + 1, dtype))


def in_place(ranks, n):
    p, me = ranks.size, ranks.rank
    everyone = [data(rank, p * n) for rank in range(p)]
    buffer = everyone[me].copy()
    for _ in ways(ranks, "alltoall", q.in_place, buffer, output=buffer):
        equal(buffer, np.concatenate([each[me * n:(me + 1) * n] for each in everyone]))
    buffer = everyone[me].copy()
    for _ in ways(ranks, "allreduce", q.in_place, buffer, output=buffer):
        equal(buffer, sum(everyone))
    buffer = np.zeros(p)
    buffer[me] = me + 1
    for _ in ways(ranks, "allgather", q.in_place, buffer, output=buffer):
        equal(buffer, np.arange(1.0, p + 1))
    buffer = everyone[me].copy()
    for _ in ways(ranks, "alltoallv", q.in_place, None, buffer, [n] * p, output=buffer):
        equal(buffer, np.concatenate([each[me * n:(me + 1) * n] for each in everyone]))
    buffer = np.concatenate([everyone[me], np.zeros(p * n)])  # a plan sends from one part and receives in another
    places = n * np.arange(p)
    ranks.plan_alltoallv(q.in_place, [n] * p, buffer, [n] * p, places, places + p * n).execute()
    equal(buffer, np.concatenate([everyone[me]] + [each[me * n:(me + 1) * n] for each in everyone]))


def neighbours(ranks):
    p, me = ranks.size, ranks.rank
    before, behind = (me - 1) % p, (me + 1) % p
    ring = q.Neighbors.on_grid([p], [True], me)
    assert ring.sources == ring.destinations == [before, behind]
    out = np.zeros(4)
    sent = lambda rank: np.array([10.0 * rank, 10 * rank + 1, 10 * rank + 2, 10 * rank + 3])
    expected = np.concatenate([sent(before)[2:], sent(behind)[:2]])  # what goes behind arrives from before
    for _ in ways(ranks, "neighbor_alltoall", ring, sent(me), out, output=out):
        equal(out, expected)
    for _ in ways(ranks, "neighbor_alltoallv", ring, sent(me), [2, 2], out, [2, 2], output=out, send_displacements=[0, 2]):
        equal(out, expected)
    for _ in ways(ranks, "neighbor_allgather", ring, sent(me)[:2], out, output=out):
        equal(out, np.concatenate([sent(before)[:2], sent(behind)[:2]]))
    one_way = q.Neighbors([before], [behind])
    for _ in ways(ranks, "neighbor_allgatherv", one_way, sent(me), out, [4], output=out):
        equal(out, sent(before))

    there, back = np.zeros(1), np.zeros(2)
    sends, receives = [(behind, sent(me)[:1].copy()), (before, sent(me)[1:3].copy())], [(before, there), (behind, back)]
    if p == 1:  # the first edge of two ranks meets the first
        receives = [(0, there), (0, back)]
    ranks.exchange(sends, receives)
    equal(there, sent(before)[:1])
    equal(back, sent(behind)[1:3])
    repeated = ranks.plan_exchange(sends, receives)
    for run in (lambda: ranks.iexchange(sends, receives).wait(), repeated.execute, lambda: repeated.start().wait()):
        there[...] = back[...] = 0
        run()
        equal(there, sent(before)[:1])
        equal(back, sent(behind)[1:3])


def views(ranks):
    """A matrix of 2 p rows is transposed by columns and rows that are not contiguous."""
    p, me = ranks.size, ranks.rank
    whole = np.arange(4.0 * p * p).reshape(2 * p, 2 * p)
    mine, turned = whole[2 * me:2 * me + 2].copy(), np.zeros((2, 2 * p))
    sends = [mine[:, 2 * rank:2 * rank + 2] for rank in range(p)]
    receives = [turned[:, 2 * rank:2 * rank + 2].T for rank in range(p)]
    for run in (lambda: ranks.alltoallw(sends, receives), lambda: ranks.ialltoallw(sends, receives).wait(),
                lambda: ranks.neighbor_alltoallw(q.Neighbors(range(p), range(p)), sends, receives),
                lambda: ranks.ineighbor_alltoallw(q.Neighbors(range(p), range(p)), sends, receives).wait()):
        turned[...] = 0
        run()
        equal(turned, whole.T[2 * me:2 * me + 2])
    ranks.alltoallw([mine[0, ::2] if rank == me else None for rank in range(p)],
                    [turned[1, ::-2] if rank == me else None for rank in range(p)])
    equal(turned[1, ::-2], mine[0, ::2])


@q.algorithm("allreduce")
def to_the_first(problem, rank):
    """Every rank sends its vector to rank 0, which combines them in the order of the ranks and sends the result to all."""
    p, whole = problem.ranks, slice(0, problem.block)
    yield q.copy(q.input[whole], q.output[whole])
    for source in range(1, p):
        yield q.send(0, q.input[whole]) if rank == source else q.receive(source, q.scratch[whole]) if rank == 0 else None
        yield q.combine(q.scratch[whole], q.output[whole], source_first=False) if rank == 0 else None
    yield [q.send(peer, q.output[whole]) for peer in range(1, p)] if rank == 0 else q.receive(0, q.output[whole])


def own_algorithm(ranks):
    p, me = ranks.size, ranks.rank
    mine, out = np.array([me + 1, -me]), np.zeros(2, int)
    expected = np.array([p * (p + 1) // 2, -p * (p - 1) // 2])
    for algorithm in (to_the_first, to_the_first(ranks=p, block=16, type="i64")):
        for _ in ways(ranks, "allreduce", mine, out, output=out, algorithm=algorithm):
            equal(out, expected)


def every_collective(ranks):
    for n, dtype in [(1, "f8"), (3, "i4"), (0, "f4"), (1000, "u1"), (2, "c16")]:
        regular(ranks, n, dtype)
    for n, dtype in [(1, "f8"), (3, "i4"), (100, "u2"), (0, "f4")]:
        reductions(ranks, n, dtype)
    reductions(ranks, 4, "i8", op="max", ufunc=np.maximum)
    reductions(ranks, 4, "i8", op=np.bitwise_xor, ufunc=np.bitwise_xor)
    for dtype in ("f8", "i2"):
        irregular(ranks, dtype)
    in_place(ranks, 3)
    neighbours(ranks)
    views(ranks)
    own_algorithm(ranks)
    ranks.barrier()
    ranks.ibarrier().wait()
