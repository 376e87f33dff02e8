# An alltoall in which every rank sends to rank 0 first, then to rank 1, and so on. Usage: rank_order.py RANKS BLOCK_BYTES
import json
import sys

p, b = int(sys.argv[1]), int(sys.argv[2])
block = lambda buffer, number: [[buffer, number * b, b]]
keep = [{"rank": r, "copy": [["input", r * b, b], ["output", r * b, b]]} for r in range(p)]
send = [{"from": r, "to": to, "read": block("input", to), "write": block("output", r)} for r in range(p) for to in range(p) if to != r]
print(json.dumps({"format": "quadrille-schedule/1", "collective": "alltoall", "algorithm": "rank-order", "ranks": p,
                  "block_bytes": b, "buffers": {"input": [p * b] * p, "output": [p * b] * p, "scratch": [0] * p},
                  "stages": [{"name": "exchange", "rounds": [{"local": keep, "messages": send}]}]}))
