# SPDX-License-Identifier: BSD-3-Clause
"""What ran, by the report of a run of tests/mpi_face/every.c.

  ran.py own REPORT            fails unless Quadrille ran calls of each collective
  ran.py rules QUADRILLE SIZES prints rules for `quadrille wrap --choose`, a run in each line: together they name each algorithm
                               that applies to each collective on nodes of these sizes
  ran.py chosen REPORT RULES   fails unless each rule's algorithm ran
"""
import json
import subprocess
import sys

# The collectives, the functions of MPI that call them, and whether the report has one row for all sizes.
FUNCTIONS = {
    "alltoall": ("Alltoall", False), "allgather": ("Allgather", False), "allgatherv": ("Allgatherv", True),
    "gather": ("Gather", False), "scatter": ("Scatter", False), "broadcast": ("Bcast", False), "reduce": ("Reduce", False),
    "allreduce": ("Allreduce", False), "reduce_scatter": ("Reduce_scatter_block", False),
    "reduce_scatterv": ("Reduce_scatter", True), "scan": ("Scan", False), "exscan": ("Exscan", False), "barrier": ("Barrier", True)}
EXCHANGED = {"Alltoallv", "Gatherv", "Scatterv"}  # without a plan, so rules name no algorithm for them
SIZES = 7  # the first is 8 B. With 11, there would be more than the 128 kinds of calls for which plans may be
CAUSES = ("QUADRILLE_CHOOSE says so", "rare", "a trial would cost more", "Quadrille took", "no algorithm of ours applies", "no data")


def rows(report):
    for row in json.load(open(report))["rows"]:
        for passed in row["passed"]:
            if not passed["why"].startswith(CAUSES):
                sys.exit(f"{row['collective']}: no cause of the list: {passed['why']}")
        yield row


def own(report):
    ran = {row["collective"] for row in rows(report) if row["ours_calls"] > 0}
    missing = ({function for function, _ in FUNCTIONS.values()} | EXCHANGED) - ran
    if missing:
        sys.exit(f"Quadrille ran no call of {', '.join(sorted(missing))}")


def applies(quadrille, collective, algorithm, sizes):
    if collective == "barrier":
        problem = []
    elif FUNCTIONS[collective][1]:
        problem = ["--counts", ",".join(["8"] * sum(int(size) for size in sizes.split(",")))]
    else:
        problem = ["--block", "8B"]
    command = [quadrille, "verify", collective, "--algorithm", algorithm, "--node-sizes", sizes, *problem]
    return subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode == 0


def algorithms(quadrille, collective):
    listed = json.loads(subprocess.run([quadrille, "list", collective, "--json"], capture_output=True, check=True).stdout)
    return [entry["id"] for entry in listed]


def rules(quadrille, sizes):
    runs = []
    for collective, (_, has_one_row) in FUNCTIONS.items():
        fitting = [each for each in algorithms(quadrille, collective) if applies(quadrille, collective, each, sizes)]
        if not fitting:
            sys.exit(f"no algorithm of {collective} applies")
        for number, algorithm in enumerate(fitting):
            in_run, size = (number, None) if has_one_row else divmod(number, SIZES)
            while len(runs) <= in_run:
                runs.append([])
            runs[in_run].append(f"{collective}={algorithm}" if has_one_row else f"{collective}:{8 << size}-{8 << size}={algorithm}")
    for run in runs:
        print(";".join(run))


def chosen(report, text):
    ran = {}
    for row in rows(report):
        ran.setdefault(row["collective"], []).append(row)
    for rule in text.split(";"):
        left, algorithm = rule.split("=")
        collective, _, size = left.partition(":")
        function = FUNCTIONS[collective][0]
        least = int(size.split("-")[0]) if size else 0
        fits = [row for row in ran.get(function, []) if not size or row["least_block_bytes"] <= least <= row["most_block_bytes"]]
        if not any((row["what"] or "").split(":")[0].split(" ")[0] == algorithm and row["ours_calls"] > 0 for row in fits):
            sys.exit(f"{rule}: not run, but {[(row['what'], row['why'], row['ours_calls']) for row in fits]}")


if __name__ == "__main__":
    {"own": own, "rules": rules, "chosen": chosen}[sys.argv[1]](*sys.argv[2:])
