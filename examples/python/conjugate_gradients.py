# SPDX-License-Identifier: BSD-3-Clause
"""Solves A x = b by conjugate gradients, with A = tridiag(-1, 2.5, -1) and distributed rows. Scalar products are allreduces. It
runs on four threads, or as it is launched: mpirun -n 6 python3 conjugate_gradients.py"""
import sys

import numpy as np

import quadrille as q


class Rows:
    """The rows of A of one rank. A row needs the elements before and after its own, so neighbouring ranks exchange the ends of
    their parts: a plan, because it is repeated on the same buffers."""

    def __init__(self, ranks, rows):
        self.ranks = ranks
        self.part = np.zeros(rows + 2)  # with one element of the rank before and one of the rank behind
        self.sum = np.zeros(1)
        me, last = ranks.rank, ranks.size - 1
        sends = [(me - 1, self.part[1:2])] * (me > 0) + [(me + 1, self.part[-2:-1])] * (me < last)
        receives = [(me - 1, self.part[:1])] * (me > 0) + [(me + 1, self.part[-1:])] * (me < last)
        self.exchange = ranks.plan_exchange(sends, receives)
        self.add = ranks.plan_allreduce(q.in_place, self.sum)

    def product(self, x):
        self.part[1:-1] = x
        self.exchange.execute()
        return 2.5 * x - self.part[:-2] - self.part[2:]

    def dot(self, x, y):
        self.sum[0] = x @ y
        self.add.execute()
        return self.sum[0]


def solution(a, b):
    x, residual, direction = np.zeros_like(b), b.copy(), b.copy()
    enough = 1e-24 * a.dot(b, b)
    square = a.dot(residual, residual)  # equal on all ranks, so all leave the loop together
    for _ in range(45):
        if square <= enough:
            break
        image = a.product(direction)
        length = square / a.dot(direction, image)
        x += length * direction
        residual -= length * image
        before, square = square, a.dot(residual, residual)
        direction = residual + square / before * direction
    return x


def solves(ranks):
    n = 50  # rows for each rank
    end = n * ranks.size
    every = np.append(0.0, np.sin(np.arange(float(end)) ** 2))  # with an element before the first row
    every = np.append(every, 0.0)
    mine = slice(n * ranks.rank + 1, n * (ranks.rank + 1) + 1)
    b = 2.5 * every[mine] - every[mine.start - 1:mine.stop - 1] - every[mine.start + 1:mine.stop + 1]
    error = np.array([np.abs(solution(Rows(ranks, n), b) - every[mine]).max()])
    ranks.allreduce(q.in_place, error, np.maximum)
    if ranks.rank == 0:
        print(f"{end} unknowns, solved up to {error[0]:.0e}")
    return error[0] < 1e-9


if __name__ == "__main__":
    sys.exit(not all(q.run_launched(4, solves)))
