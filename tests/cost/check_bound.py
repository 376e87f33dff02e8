#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Checks documents of the form quadrille-bound/1 (docs/bounds.md) without Quadrille. Prints a line for each bound, and exits 1 if
# one is not proved. Usage: check_bound.py FILE...
import heapq, json, sys
from fractions import Fraction


def vectors_of(d):
    """The vectors that ranks need: (bytes, {target: the ranks whose operands it needs})."""
    p, kind, root = d["ranks"], d["collective"], d.get("root")
    everyone, size = range(p), d["counts"] if kind.endswith("v") else [d.get("block_bytes", 0)] * p
    if kind == "alltoallv" and d.get("shared_blocks"):
        return [(max(row), {t: {s} for t in everyone if row[t]}) for s, row in enumerate(size)]
    if kind.startswith("alltoall"):
        return [(size[s][t] if kind == "alltoallv" else size[s], {t: {s}}) for s in everyone for t in everyone]
    if kind in ("broadcast", "reduce", "allreduce", "scan", "exscan", "barrier"):
        sources = {"broadcast": lambda t: {root}, "scan": lambda t: set(range(t + 1)), "exscan": lambda t: set(range(t))}
        needed = sources.get(kind, lambda t: set(everyone))
        return [(d.get("block_bytes", 0), {t: needed(t) for t in ([root] if kind == "reduce" else everyone)})]
    if kind.startswith("allgather"): return [(size[s], {t: {s} for t in everyone}) for s in everyone]
    if kind.startswith("gather"): return [(size[s], {root: {s}}) for s in everyone]
    if kind.startswith("scatter"): return [(size[t], {t: {root}}) for t in everyone]
    return [(size[t], {t: set(everyone)}) for t in everyone]  # reduce_scatter


def ways(links, prices, vertices, start):
    out, far = [[] for _ in range(vertices)], {start: 0}
    for (a, b), price in zip(links, prices): out[a].append((b, price))
    heap = [(0, start)]
    while heap:
        length, here = heapq.heappop(heap)
        for there, price in out[here] if length == far[here] else []:
            if length + price < far.get(there, length + price + 1):
                far[there] = length + price
                heapq.heappush(heap, (far[there], there))
    return far


def value_of(d, bound):
    p, k, figure, kind = d["ranks"], bound["ports"], bound["figure"], bound["kind"]
    assert k >= 1 and (kind == "time") == (figure == "time") and (kind == "spread") == (figure in ("c1", "node_rounds"))
    vectors = [(b, {t: s for t, s in needs.items() if s - {t}}) for b, needs in vectors_of(d) if b or d["collective"] == "barrier"]
    names = sorted(set(d.get("nodes", range(p))))
    node = [names.index(n) for n in d.get("nodes", range(p))]
    on_nodes = figure.startswith("node_") or figure == "matchings"
    party = node if on_nodes else list(range(p))
    links = d["network"]["links"] if figure == "c2_shared" else []
    capacities = d["network"].get("capacities", [1] * len(links)) if links else []
    machine = d["network"].get("machine_capacity", 1) if links else 1
    assert len(capacities) == len(links) and min(capacities + [machine]) >= 1
    count = d["network"]["vertices"] if figure == "c2_shared" else max(party) + 1
    per_port = k if figure == "c2" else 1
    members = bound.get("members", [])
    assert len(set(members)) == len(members) and all(0 <= m < count for m in members)
    traffic = figure == "c2" or figure.startswith("node_traffic")

    def leaving(side):  # the bytes that must leave the parties of a set
        ranks = {r for r in range(p) if party[r] in side}
        return sum(b * len({frozenset(s & ranks) for t, s in needs.items() if t not in ranks} - {frozenset()}) for b, needs in vectors)

    def hops(rounds):  # a rank's p - 1 blocks make at least so many, or None
        left, total, reach = p - 1, 0, 1
        for f in range(1, min(rounds, p) + 1):
            reach = reach * (rounds - f + 1) * k // f
            total, left = total + f * min(left, reach), left - min(left, reach)
        return Fraction(total * d["block_bytes"], k) if left == 0 else None

    pairs = {tuple(sorted((t, *s))) for _, needs in vectors for t, s in needs.items() if figure == "matchings"}
    pairs = [(node[a], node[b]) for a, b in pairs if node[a] != node[b]]
    everyone = set(range(count))
    if kind == "spread":
        [m] = members
        out = {party[t] for _, needs in vectors for t, s in needs.items() if m in {party[r] for r in s}}
        into = {party[r] for _, needs in vectors for t, s in needs.items() if party[t] == m for r in s}
        reached, rounds = 1, 0
        while reached < len((out if bound["outwards"] else into) | {m}): reached, rounds = reached * (k + 1), rounds + 1
        return rounds
    if kind == "crossing":
        senders = set(members) if bound["outwards"] else everyone - set(members)
        receivers = everyone - senders
        assert senders and receivers
        if figure == "matchings":
            return Fraction(sum((a in senders) != (b in senders) for a, b in pairs), min(len(senders), len(receivers)))
        shared_by = {"c2": k * min(len(senders), len(receivers)), "node_traffic_out": len(senders),
                     "node_traffic_in": len(receivers), "c2_shared": Fraction(sum(c for (a, b), c in zip(links, capacities) if a in senders and b in receivers), machine)}
        return Fraction(leaving(senders), shared_by[figure])
    if kind == "equal-part" and traffic:
        return Fraction(sum(leaving({m} if bound["outwards"] else everyone - {m}) for m in everyone), count * per_port)
    if kind == "results" and traffic:
        for_all = sum(b for b, needs in vectors if len(needs) == p and all(len(s) == p for s in needs.values()))
        return Fraction(2 * (count - 1) * for_all, count * per_port)
    if kind == "odd-set" and figure == "matchings":
        assert len(members) >= 3 and len(members) % 2
        return Fraction(sum(a in members and b in members for a, b in pairs), len(members) // 2)
    if kind == "flow" and figure == "c2_shared":
        prices = bound["prices"]
        assert len(prices) == len(links) and min(prices) >= 0 and sum(prices) > 0
        far = [ways(links, prices, count, r) for r in range(p)]
        into = [min((c for (a, b), c in zip(links, prices) if b == r), default=0) for r in range(p)]
        out = [min((c for (a, b), c in zip(links, prices) if a == r), default=0) for r in range(p)]
        total = 0
        for size, needs in vectors:
            if not needs: continue
            senders = {r for t, s in needs.items() for r in s - {t}}
            least = [max(far[r][t] for t, s in needs.items() for r in s - {t})]
            if len(needs) > 1 or any(len(s) > 1 for s in needs.values()):
                least += [sum(into[t] for t in needs), sum(out[r] for r in senders)]
                if len(needs) == p and all(len(s) == p for s in needs.values()):
                    least.append(sum(into) + sum(out) - max(a + b for a, b in zip(into, out)))
            total += size * max(least)
        return Fraction(total * machine, sum(price * c for price, c in zip(prices, capacities)))
    if kind == "compound" and figure == "c2" and d["collective"] == "alltoall": return hops(bound["rounds"])
    assert kind == "time"
    rounds, size, startup, byte = 0, Fraction(0), number(bound["startup_s"]), number(bound["byte_s"])
    nodes = any(part["figure"].startswith("node_") for part in bound["parts"])
    allowed = ("node_rounds", "node_traffic_out", "node_traffic_in") if nodes else ("c1", "c2", "c2_shared")
    assert not nodes or not bound["compound"]
    for part in bound["parts"]:
        assert part["ports"] == k and part["kind"] != "compound" and part["figure"] in allowed
        value = value_of(d, part)
        assert value == number(part["value"])
        if part["kind"] == "spread": rounds = max(rounds, value)
        else: size = max(size, value / k if nodes else value)
    assert startup >= 0 and byte >= 0 and (not bound["compound"] or d["collective"] == "alltoall")
    if not bound["by_rounds"]: return max(startup * rounds, startup * min(rounds, 1) + byte * size)
    if not bound["compound"] or not size: return startup * rounds + byte * size
    return min(startup * r + byte * max(size, hops(r)) for r in range(rounds, max(rounds, p) + 1) if hops(r) is not None)


def number(pair):
    return Fraction(int(pair[0]), int(pair[1]))


def is_proved(document, bound):
    try:
        return value_of(document, bound) == number(bound["value"])
    except (AssertionError, KeyError, ValueError, ZeroDivisionError, IndexError, TypeError):
        return False


if __name__ == "__main__":
    wrong = 0
    for file in sys.argv[1:]:
        with open(file) as text: documents = json.load(text)
        for document in documents if isinstance(documents, list) else [documents]:
            for bound in document["bounds"]:
                proved = is_proved(document, bound)
                wrong += not proved
                print(f"{'proved' if proved else 'NOT proved'}: {bound.get('figure')} at least {bound.get('value')}, {bound.get('kind')}")
    sys.exit(wrong > 0)
