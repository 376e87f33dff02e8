#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Turns a recording into what SMPI replays: a time-independent trace of each rank, a platform and a list of hosts.

Usage: replay_trace.py RECORDING.json FOLDER --node-sizes 6x4 --machine FILE.toml [--placement cyclic]
                       [--overhead US] [--computing FACTOR] [--away FACTOR]

RECORDING.json is what `quadrille recording FOLDER --json` prints. Writes rank-N, traces, hosts and platform.xml to FOLDER, and prints
a line of JSON: `ranks`, `nodes`, `calls`, `outside_s` (mean of the ranks: time outside of collectives), `overhead_s` (of a message, for
the options smpi/os and smpi/or). If SMPI cannot replay the recording, the line has a `reason` instead.

bench/smpi_replay.sh calls this; docs/smpi.md says what the replay includes."""
import argparse
import json
import pathlib
import sys
import tomllib


MADE_TOGETHER = {"Comm_dup", "Comm_dup_with_info", "Comm_split", "Comm_split_type", "Comm_create", "Cart_create", "Cart_sub",
                 "Graph_create", "Dist_graph_create", "Dist_graph_create_adjacent"}


def fail(sentence):
    print(sentence, file=sys.stderr)
    sys.exit(2)


class CannotReplay(Exception):
    pass


def node_sizes(text):
    """Ranks of each node: "4x6" are four nodes of six, "1,2,3" three nodes."""
    sizes = []
    for part in text.split(","):
        *count, size = part.split("x")
        sizes += [int(size)] * (int(*count) if count else 1)
    return sizes


def node_of_ranks(sizes, placement):
    if placement == "block":
        return [node for node, size in enumerate(sizes) for _ in range(size)]
    turns = [(turn, node) for node, size in enumerate(sizes) for turn in range(size)]
    return [node for _, node in sorted(turns)]


class Actions:
    """Texts of calls. A call is the tuple of the sites of all ranks."""

    def __init__(self, recording):
        self.sites = recording["sites"]
        self.ranks = recording["world_size"]

    def counts(self, site):
        counts = site.get("counts", [])
        if len(counts) != self.ranks:
            raise CannotReplay(f"the counts of {site['function']} were not recorded")
        return counts

    def text(self, rank, call):
        site = self.sites[call[rank]]
        function, block, root = site["function"], site.get("block_bytes", 0), site.get("root", 0)
        if any(self.sites[other]["function"] != function for other in call):
            raise CannotReplay(f"some ranks call {function}, others do not")
        spaced = lambda counts: " ".join(map(str, counts))
        match function:
            case "Barrier":
                return "barrier"
            case "Bcast":
                return f"bcast {block} {root}"
            case "Reduce":
                return f"reduce {block} 0 {root}"
            case "Allreduce" | "Scan" | "Exscan":
                return f"{function.lower()} {block} 0"
            case "Gather" | "Scatter":
                block = self.sites[call[root]].get("block_bytes", 0)
                return f"{function.lower()} {block} {block} {root}"
            case "Allgather" | "Alltoall":
                return f"{function.lower()} {block} {block}"
            case "Reduce_scatter":
                return f"reducescatter {spaced(self.counts(site))} 0"
            case "Reduce_scatter_block":
                return f"reducescatter {spaced([block] * self.ranks)} 0"
            case "Allgatherv":
                counts = self.counts(site)
                return f"allgatherv {counts[rank]} {spaced(counts)}"
            case "Gatherv":
                counts = self.counts(self.sites[call[root]])
                return f"gatherv {counts[rank]} {spaced(counts)} {root}"
            case "Scatterv":
                counts = self.counts(self.sites[call[root]])
                return f"scatterv {spaced(counts)} {counts[rank]} {root}"
            case "Alltoallv" | "Alltoallw":
                sent = self.counts(site)
                received = [self.counts(self.sites[other])[rank] for other in call]
                return f"alltoallv {sum(sent)} {spaced(sent)} {sum(received)} {spaced(received)}"
        raise CannotReplay(f"the replay of SMPI has no {function}")


def is_on_world(recording, site):
    communicator = recording["communicators"][site["communicator"]]
    return not communicator["is_inter"] and communicator["members"] == list(range(recording["world_size"]))


def check(recording):
    """The replay has one communicator and blocking collectives."""
    for site in recording["sites"]:
        kind, function = site["kind"], site.get("function", "")
        if kind in ("start", "completion"):
            raise CannotReplay(f"the replay of SMPI has no nonblocking collectives, and there is {function}")
        if kind == "others":
            raise CannotReplay("sites of some collectives were not recorded")
        if kind == "collective" and not is_on_world(recording, site):
            raise CannotReplay(f"the replay of SMPI knows MPI_COMM_WORLD only, and there is {function} on another communicator")
    if len(recording["ranks"]) != recording["world_size"]:
        raise CannotReplay("recordings of ranks are missing")


def by_rank(recording, is_taken, value):
    """Returns for each communicator, and there for each rank, the values of the entries that are taken, in their order."""
    found = {}
    for rank, entries in enumerate(recording["calls"]):
        for entry in entries:
            if is_taken[entry[0]]:
                communicator = recording["sites"][entry[0]]["communicator"]
                found.setdefault(communicator, [[] for _ in recording["ranks"]])[rank].append(value(entry))
    return found


class Trace:
    """Writes the actions of a rank. What lies between collectives becomes one action."""

    def __init__(self, path, rank):
        self.file = open(path, "w", encoding="ascii")
        self.rank = rank
        self.sleep_s = self.outside_s = 0.0
        self.write("init")

    def write(self, action):
        self.file.write(f"{self.rank} {action}\n")

    def act(self, action):
        if self.sleep_s > 0:
            self.write(f"sleep {self.sleep_s:.9f}")
            self.outside_s += self.sleep_s
            self.sleep_s = 0.0
        self.write(action)

    def end(self):
        self.act("finalize")
        self.file.close()
        return self.outside_s


def write_traces(recording, folder, computing, away):
    """Returns the calls of a rank, and the mean seconds outside of collectives."""
    sites, ranks = recording["sites"], recording["world_size"]
    actions = Actions(recording)
    is_call = [site["kind"] == "collective" for site in sites]
    is_making = [site["kind"] == "making" and site["function"] in MADE_TOGETHER and is_on_world(recording, site) for site in sites]
    made = by_rank(recording, is_call, lambda entry: entry[0])
    if any(len(set(map(len, of_ranks))) > 1 for of_ranks in made.values()):
        raise CannotReplay("ranks have different numbers of calls")
    calls = {communicator: list(zip(*of_ranks)) for communicator, of_ranks in made.items()}
    durations = by_rank(recording, is_making, lambda entry: entry[3])
    makings = {communicator: list(map(min, zip(*of_ranks))) for communicator, of_ranks in durations.items()}
    outside_s = 0.0
    for rank, entries in enumerate(recording["calls"]):
        next_call = {communicator: iter(of_all) for communicator, of_all in calls.items()}
        next_making = {communicator: iter(of_all) for communicator, of_all in makings.items()}
        texts = {}
        trace = Trace(folder / f"rank-{rank}", rank)
        for site, gap_ns, away_ns, duration_ns in entries:
            trace.sleep_s += (gap_ns * computing + away_ns * away) * 1e-9
            if is_call[site]:
                call = next(next_call[sites[site]["communicator"]])
                if call not in texts:
                    texts[call] = actions.text(rank, call)
                trace.act(texts[call])
            elif is_making[site]:  # all wait for each other, and it takes what it took where it was shortest, as in `quadrille project`
                trace.act("barrier")
                trace.sleep_s += next(next_making[sites[site]["communicator"]], duration_ns) * 1e-9
            else:
                trace.sleep_s += duration_ns * 1e-9
        outside_s += trace.end()
    (folder / "traces").write_text("".join(f"{folder / f'rank-{rank}'}\n" for rank in range(ranks)))
    return sum(map(len, calls.values())), outside_s / ranks


def write_platform(folder, nodes, figures, overhead_us):
    """A cluster: each node has one link for all its ranks, and memory for messages between them. Returns the overhead of a message."""
    inside_s, startup_s = figures["inside_startup_us"] * 1e-6, figures["startup_us"] * 1e-6
    # Of the sender and of the receiver. SMPI has the same overhead for messages inside nodes and between them.
    overhead_s = min(inside_s, startup_s) / 2 if overhead_us is None else overhead_us * 1e-6
    rate = 1e6 / max(figures["node_us_per_byte"], figures["us_per_byte"])
    latency_s = max(startup_s - 2 * overhead_s, 0) / 2  # of each of two links
    (folder / "platform.xml").write_text(f"""<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
  <cluster id="hosts" prefix="h" suffix="" radical="0-{nodes - 1}" speed="1Gf" bw="{rate:.6g}Bps" lat="{latency_s:.6g}s"
           sharing_policy="SPLITDUPLEX" loopback_bw="{1e6 / max(figures["inside_us_per_byte"], 1e-9):.6g}Bps"
           loopback_lat="{max(inside_s - 2 * overhead_s, 0):.6g}s" />
</platform>
""")
    return overhead_s


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("recording")
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--node-sizes", required=True, type=node_sizes)
    parser.add_argument("--placement", choices=("block", "cyclic"), default="block")
    parser.add_argument("--machine", required=True)
    parser.add_argument("--overhead", type=float)
    parser.add_argument("--computing", type=float, default=1)
    parser.add_argument("--away", type=float, default=1)
    options = parser.parse_args()
    with open(options.recording, encoding="utf-8") as file:
        recording = json.load(file)
    with open(options.machine, "rb") as file:
        figures = tomllib.load(file).get("max-rate")
    if figures is None:
        fail(f"{options.machine} has no figures of max-rate")
    nodes = node_of_ranks(options.node_sizes, options.placement)
    if len(nodes) != recording["world_size"]:
        fail(f"--node-sizes has {len(nodes)} ranks, and the recording {recording['world_size']}")
    try:
        check(recording)
        calls, outside_s = write_traces(recording, options.folder, options.computing, options.away)
    except CannotReplay as cannot:
        print(json.dumps({"reason": str(cannot)}))
        return
    (options.folder / "hosts").write_text("".join(f"h{node}\n" for node in nodes))
    overhead_s = write_platform(options.folder, max(nodes) + 1, figures, options.overhead)
    print(json.dumps({"ranks": len(nodes), "nodes": max(nodes) + 1, "calls": calls, "outside_s": outside_s, "overhead_s": overhead_s}))


if __name__ == "__main__":
    main()
