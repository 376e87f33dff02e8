# SPDX-License-Identifier: BSD-3-Clause
# An alltoall on a 2 x 3 torus: along the rows, both ways at once, goes all that is for a column; then each column sorts it out.
import json
rows, columns, b = 2, 3, 1024  # bytes a block
at = lambda row, column: row % rows * columns + column % columns  # the rank there; also its block
blocks = lambda buffer, first, count=1: [buffer, first * b, count * b]  # a region
ranks = [(row, column) for row in range(rows) for column in range(columns)]
keep = [{"rank": at(r, c), "copy": [blocks("input", at(k, c)), blocks("scratch", at(k, c))]} for r, c in ranks for k in range(rows)]
along = [{"from": at(r, c), "to": at(r, c + way), "port": [1, way], "read": [blocks("input", at(k, c + way)) for k in range(rows)],
          "write": [blocks("scratch", at(k, c)) for k in range(rows)]} for r, c in ranks for way in (1, -1)]
down = [{"from": at(r, c), "to": at(r + 1, c), "port": [0, 1], "read": [blocks("scratch", at(r + 1, 0), columns)],
         "write": [blocks("output", at(r, 0), columns)]} for r, c in ranks]
mine = [{"rank": at(r, c), "copy": [blocks("scratch", at(r, 0), columns), blocks("output", at(r, 0), columns)]} for r, c in ranks]
size = [len(ranks) * b] * len(ranks)
print(json.dumps({"format": "quadrille-schedule/1", "collective": "alltoall", "algorithm": "rows-then-columns", "ranks": len(ranks),
                  "block_bytes": b, "buffers": {"input": size, "output": size, "scratch": size},
                  "stages": [{"name": "rows", "rounds": [{"local": keep, "messages": along}]},
                             {"name": "columns", "rounds": [{"local": mine, "messages": down}]}]}))
