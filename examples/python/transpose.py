# SPDX-License-Identifier: BSD-3-Clause
"""Transposes a matrix, distributed by blocks of rows: by an alltoall of packed blocks, and by an alltoallw of views, which needs no
packing. It runs on four threads, or as it is launched: mpirun -n 6 python3 transpose.py"""
import sys

import numpy as np

import quadrille as q


def transposed(ranks, rows):
    """Each rank has k rows of a matrix of n x n elements, and gets k rows of the transposed matrix."""
    k, n = rows.shape
    packed = np.ascontiguousarray(rows.reshape(k, ranks.size, k).transpose(1, 2, 0))  # block j: its columns for rank j, as rows
    received = np.empty_like(packed)
    ranks.alltoall(packed, received)
    return received.transpose(1, 0, 2).reshape(k, n)


def transposed_by_views(ranks, rows):
    """The same without packing. Both ends of a block list its elements in the same order: those of a column of `rows`."""
    k, result = len(rows), np.empty_like(rows)
    blocks = [slice(rank * k, (rank + 1) * k) for rank in range(ranks.size)]
    ranks.alltoallw([rows[:, block] for block in blocks], [result[:, block].T for block in blocks])
    return result


def transposes(ranks):
    k, n = 3, 3 * ranks.size
    mine = slice(ranks.rank * k, (ranks.rank + 1) * k)
    whole = np.arange(float(n * n)).reshape(n, n)
    right = np.array([all((way(ranks, whole[mine]) == whole.T[mine]).all() for way in (transposed, transposed_by_views))])
    ranks.allreduce(q.in_place, right, np.logical_and)
    if ranks.rank == 0:
        print(f"{n} x {n} elements transposed among {ranks.size} ranks: {'right' if right[0] else 'wrong'}")
    return bool(right[0])


if __name__ == "__main__":
    sys.exit(not all(q.run_launched(4, transposes)))
