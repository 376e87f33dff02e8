#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Writes irregular networks of 63 and 64 ranks as lists of edges: flow_networks.py FOLDER
import pathlib
import random
import sys

folder = pathlib.Path(sys.argv[1])


def torus(rows, columns, first=0):
    at = lambda r, c: first + r % rows * columns + c % columns
    return [(at(r, c), at(r + dr, c + dc)) for r in range(rows) for c in range(columns) for dr, dc in ((0, 1), (1, 0))]


def regular(ranks, degree, seed):
    generator = random.Random(seed)
    while True:
        ends = [rank for rank in range(ranks) for _ in range(degree)]
        generator.shuffle(ends)
        edges = {tuple(sorted(pair)) for pair in zip(ends[::2], ends[1::2])}
        if len(edges) == ranks * degree // 2 and all(a != b for a, b in edges):
            return sorted(edges)


def geometric(ranks, neighbours, seed):
    generator = random.Random(seed)
    places = [(generator.random(), generator.random()) for _ in range(ranks)]
    far = lambda a, b: (places[a][0] - places[b][0]) ** 2 + (places[a][1] - places[b][1]) ** 2
    edges = {tuple(sorted((a, b))) for a in range(ranks)
             for b in sorted((b for b in range(ranks) if b != a), key=lambda b: far(a, b))[:neighbours]}
    while True:  # joins the parts by their shortest edge
        part = {0}
        while more := {b for edge in edges for a, b in (edge, edge[::-1]) if a in part and b not in part}:
            part |= more
        if len(part) == ranks:
            return sorted(edges)
        edges.add(min(((a, b) for a in part for b in range(ranks) if b not in part), key=lambda edge: far(*edge)))


dead_links = {(0, 1), (9, 17), (36, 37)}
slow_links = {(0, 1), (9, 17), (36, 37), (20, 28), (50, 51), (13, 14)}
networks = {
    "torus-three-dead-links": [edge for edge in torus(8, 8) if edge not in dead_links],
    "torus-dead-node": torus(8, 8) + ["!27"],
    "torus-slow-links": [(a, b, "1/4" if (a, b) in slow_links else 1) for a, b in torus(8, 8)],
    "random-4-regular": regular(64, 4, seed=1),
    "two-tori-thin-link": torus(4, 8) + torus(4, 8, first=32) + [(0, 32, "1/4")],
    "random-geometric": geometric(64, 4, seed=1),
}
for name, edges in networks.items():
    lines = [edge if isinstance(edge, str) else " ".join(map(str, edge)) for edge in edges]
    (folder / name).write_text("\n".join(lines) + "\n")
