# SPDX-License-Identifier: BSD-3-Clause
"""recording_check.py JSON EXPECTATION: checks a recording of recorded.c, vectors.c or recorded.F90."""
import json
import sys

with open(sys.argv[1], encoding="utf-8") as file:
    recording = json.load(file)
expectation = sys.argv[2]
sites, communicators = recording["sites"], recording["communicators"]


def times(rank, **fields):
    """The sums of a rank's sites with these fields."""
    found = [each for each in rank["times"] if all(sites[each["site"]].get(key) == value for key, value in fields.items())]
    return {key: sum(each[key] for each in found) for key in ("calls", "gap_s", "away_s", "duration_s")}


def expect(what, is_so):
    if not is_so:
        sys.exit(f"not as expected: {what}")


def expect_calls(count, **fields):
    for rank in recording["ranks"]:
        calls = times(rank, **fields)["calls"]
        expect(f"{fields} at rank {rank['rank']}: {calls} calls instead of {count}", calls == count)


def check_loops():
    """100 ms of computing by the thread's own clock before the allreduces."""
    expect_calls(100, function="Allreduce", operation="sum", type="f64", block_bytes=8)
    for rank in recording["ranks"]:
        computing = times(rank, function="Allreduce", operation="sum")["gap_s"]
        expect(f"{computing} s of computing instead of 0.1 s", 0.1 <= computing < 0.2)


def check_calls():
    check_loops()
    expect_calls(100, function="Alltoall", block_bytes=100)
    expect_calls(20, function="Bcast", kind="collective", root=3, block_bytes=64)
    for rank in recording["ranks"]:
        asleep = times(rank, function="Bcast", kind="collective")
        expect(f"20 sleeps of 10 ms are {asleep}", asleep["away_s"] >= 0.19 and asleep["gap_s"] < 0.05)
    pairs = [number for number, each in enumerate(communicators) if each["members"] in ([0, 1], [2, 3])]
    expect("two communicators of each pair", len(pairs) == 4)
    for number in pairs:
        each = communicators[number]
        expect("the first one has a name", each["nth"] == 1 or each["name"] == "pair")
        own = [rank for rank in recording["ranks"] if rank["rank"] in each["members"]]
        for rank in own:
            calls = times(rank, function="Barrier", communicator=number)["calls"]
            expect(f"{calls} barriers on {each}", calls == (3, 5)[each["nth"]])
    expect_calls(1, function="Comm_split", kind="making")
    expect_calls(2, function="Comm_dup", kind="making")
    expect_calls(1, function="Finalize", kind="making")
    for k in range(7):
        expect_calls(10, function="Alltoallv", counts=[10 + k] * 4)
    expect_calls(1, function="Allgatherv", counts=[1, 2, 3, 4])
    for rank in recording["ranks"]:
        number = rank["rank"]
        gathered = times(rank, function="Gatherv", root=1, block_bytes=10 if number == 1 else number + 1)
        expect("a gatherv has the counts of the root, or the own one", gathered["calls"] == 1)
    expect_calls(1, function="Allreduce", operation="?", block_bytes=8)
    for kind in ("start", "completion"):
        expect_calls(10, function="Iallreduce", kind=kind, operation="sum")
        expect_calls(4, function="Ibarrier", kind=kind)
        expect_calls(6, function="Bcast_init", kind=kind, block_bytes=32)
    expect_calls(1, function="Bcast_init", kind="making")
    for rank in recording["ranks"]:
        expect("computing while a collective runs", times(rank, function="Iallreduce", kind="completion")["gap_s"] >= 2e-3)
        messages = {each["function"]: each for each in rank["point_to_point"]}
        late = rank["rank"] % 2
        expect("messages", messages["Recv" if late else "Send"]["calls"] == (5 if late else 9))
        if late:
            expect("a receiver waits", times(rank, kind="point-to-point")["duration_s"] > 0)
        expect("the end", rank["has_ended"])
    check_entries()


def check_entries():
    """The entries add up to the sums: exactly in number, closely in time."""
    for rank, calls in zip(recording["ranks"], recording["calls"]):
        expect("all entries", len(calls) == sum(each["calls"] for each in rank["times"]))
        for column, key in ((1, "gap_s"), (3, "duration_s")):
            entries, sums = sum(call[column] for call in calls) * 1e-9, sum(each[key] for each in rank["times"])
            expect(f"{key}: {entries} instead of {sums}", abs(entries - sums) < 0.05 * sums)


expect("a recording", recording["format"] == "quadrille-recording" and recording["format_version"] == 1)
if expectation == "calls":
    expect("four ranks", len(recording["ranks"]) == 4)
    expect("no threads", not any(rank["uses_wall_time"] for rank in recording["ranks"]))
    check_calls()
elif expectation == "folded":
    expect("folds", recording["is_folded"])
    check_calls()
elif expectation == "threads":
    expect("wall time", all(rank["uses_wall_time"] for rank in recording["ranks"]))
    expect_calls(100, function="Alltoall", block_bytes=100)
elif expectation == "killed":
    check_loops()
    check_entries()
    for rank in recording["ranks"]:  # when rank 1 has left the last call, the others have entered it
        expect("all calls", times(rank, function="Alltoall")["calls"] in ((100,) if rank["rank"] == 1 else (99, 100)))
    expect("no rank ended", not any(rank["has_ended"] for rank in recording["ranks"]))
elif expectation == "vectors":
    for rank in recording["ranks"]:
        own = [each for each in rank["times"] if sites[each["site"]]["function"] == "Alltoallv"]
        expect("1,000 vectors", len(own) == 1000)
        expect("all calls", sum(each["calls"] for each in own) == 1500)
        sent = sum(each["calls"] * sites[each["site"]]["block_bytes"] for each in own)
        expect(f"{sent} bytes", abs(sent - 4 * sum(range(1500))) < 0.2 * 4 * sum(range(1500)))
    expect("sampled", any(each.get("are_sampled") for each in sites))
elif expectation == "fortran":
    expect_calls(30, function="Alltoall", block_bytes=100)
    expect_calls(4, function="Barrier")
    expect_calls(1, function="Comm_split", kind="making")
    expect_calls(1, function="Comm_dup", kind="making")
    for kind in ("start", "completion"):
        expect_calls(3, function="Ibcast", kind=kind, block_bytes=40)
    twins = [each for each in communicators if len(each["members"]) == 2 and each["nth"] == 1]
    expect("two duplicates", len(twins) == 2)
    for number, function in ((0, "Send"), (1, "Recv"), (1, "Iprobe")):
        functions = {each["function"]: each["calls"] for each in recording["ranks"][number]["point_to_point"]}
        expect(f"{function} of {functions}", functions.get(function, 0) >= 5)
        expect(f"one count of each {function}", function == "Iprobe" or functions[function] == 5)
else:
    sys.exit(f"there is no expectation {expectation}")
