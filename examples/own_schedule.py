# SPDX-License-Identifier: BSD-3-Clause
# An alltoall among 6 ranks on a 2 x 3 torus. First, blocks move along rows (both ways at once) to their column, then along columns.
import json

rows, columns, b = 2, 3, 1024  # b: bytes of a block
ranks = [(row, column) for row in range(rows) for column in range(columns)]
at = lambda row, column: row % rows * columns + column % columns  # the rank there, and the number of its block
blocks = lambda buffer, first, count=1: [buffer, first * b, count * b]  # a region
row_of = lambda buffer, row: blocks(buffer, at(row, 0), columns)
keep = [{"rank": at(r, c), "copy": [blocks("input", at(k, c)), blocks("scratch", at(k, c))]} for r, c in ranks for k in range(rows)]
along = [{"from": at(r, c), "to": at(r, c + way), "port": [1, way], "read": [blocks("input", at(k, c + way)) for k in range(rows)],
          "write": [blocks("scratch", at(k, c)) for k in range(rows)]} for r, c in ranks for way in (1, -1)]
mine = [{"rank": at(r, c), "copy": [row_of("scratch", r), row_of("output", r)]} for r, c in ranks]
across = [{"from": at(r, c), "to": at(r + 1, c), "port": [0, 1], "read": [row_of("scratch", (r + 1) % rows)],
           "write": [row_of("output", r)]} for r, c in ranks]
stages = [("along the rows", keep, along), ("in the columns", mine, across)]
print(json.dumps({"format": "quadrille-schedule/1", "collective": "alltoall", "algorithm": "rows-then-columns", "ranks": 6,
                  "block_bytes": b, "buffers": {name: [6 * b] * 6 for name in ("input", "output", "scratch")},
                  "stages": [{"name": name, "rounds": [{"local": local, "messages": messages}]} for name, local, messages in stages]}))
