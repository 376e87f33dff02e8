# SPDX-License-Identifier: BSD-3-Clause
# Prints an alltoall among RANKS ranks, BLOCK bytes a block, as text: python3 both_sides.py RANKS BLOCK
# In round d every rank exchanges with the two ranks at distance d, one on each side.
import sys

p, b = int(sys.argv[1]), int(sys.argv[2])
rounds = p // 2 + 1
print(f"quadrille-schedule-text/1\ncollective alltoall\nalgorithm both-sides\nranks {p}\nblock_bytes {b}")
print(f"stage exchange first 0 rounds {rounds}")
for rank in range(p):
    print(f"rank {rank}\nround 0\n  copy input[{rank * b}:{b}] -> output[{rank * b}:{b}]")
    for distance in range(1, rounds):
        print(f"round {distance}")
        for partner in sorted({(rank + distance) % p, (rank - distance) % p}):
            print(f"  send to {partner} input[{partner * b}:{b}]\n  receive from {partner} output[{partner * b}:{b}]")
