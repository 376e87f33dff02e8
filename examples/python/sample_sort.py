# SPDX-License-Identifier: BSD-3-Clause
"""Keys sorted across ranks: sample sort with alltoallv. It runs on four threads, or as it is launched: mpirun -n 6 python3
sample_sort.py"""
import sys

import numpy as np

import quadrille as q


def sorted_across(ranks, keys):
    """Each rank gives at least one key and gets a part of all keys, sorted. No key of a rank is less than one of a lower rank."""
    p, keys = ranks.size, np.sort(keys)

    # p keys of each rank, at regular distances, tell how all keys are distributed.
    samples, all_samples = keys[np.arange(p) * len(keys) // p], np.empty(p * p, keys.dtype)
    ranks.allgather(samples, all_samples)
    all_samples.sort()

    # Rank r gets the keys from sample p r up to sample p (r + 1).
    ends = np.append(np.searchsorted(keys, all_samples[p::p]), len(keys))
    send_counts, receive_counts = np.diff(ends, prepend=0), np.empty(p, ends.dtype)
    ranks.alltoall(send_counts, receive_counts)

    received = np.empty(receive_counts.sum(), keys.dtype)
    ranks.alltoallv(keys, send_counts, received, receive_counts)
    received.sort()
    return received


def sorts(ranks):
    keys = np.random.default_rng(ranks.rank).integers(0, 5000, 1000 + 100 * ranks.rank)
    mine = sorted_across(ranks, keys)

    before = mine[-1:].copy() if len(mine) else np.zeros(1, keys.dtype)
    ranks.exscan(q.in_place, before, "max")  # the greatest key of all lower ranks
    follows = np.array([ranks.rank == 0 or len(mine) == 0 or before[0] <= mine[0]])
    ranks.allreduce(q.in_place, follows, "land")
    given, got = np.array([len(keys), keys.sum()]), np.array([len(mine), mine.sum()])
    for totals in (given, got):
        ranks.allreduce(q.in_place, totals)
    same = (given == got).all()
    if ranks.rank == 0:
        print(f"keys among {ranks.size} ranks: {'sorted' if follows[0] else 'not sorted'}, "
              f"{'and all are there' if same else 'but not all are there'}")
    return bool(follows[0] and same)


if __name__ == "__main__":
    sys.exit(not all(q.run_launched(4, sorts)))
