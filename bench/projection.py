# SPDX-License-Identifier: BSD-3-Clause
"""The figures of bench/projection.sh.

  projection.py head                                                   the first line of the table of times
  projection.py measured PROGRAM HOSTS RATE SIDE OUT REPORT            a line of a run: what it has printed, and its report if it has one
  projection.py projected PROGRAM HOSTS RATE RECORDED VENDOR OURS      two lines: what the recorded run has printed, two projections
  projection.py table FILE                                             compares the lines of a table

A line has the program, the layout and rate of the hosts, the side (vendor or ours), measured or projected, the seconds of the
whole, its band, the seconds inside collectives (waiting for late ranks included, mean of the ranks), its band, and what ran.
Of programs that print "loop S inside S" the whole is the loop, of others it is the time from MPI_Init to MPI_Finalize.
"""
import csv
import json
import os
import re
import statistics
import sys

COLUMNS = ["program", "hosts", "rate", "side", "what", "total_s", "total_low_s", "total_high_s", "inside_s", "inside_low_s", "inside_high_s",
           "by"]


def printed(file):
    return {name: float(value) for name, value in re.findall(r"\b(loop|inside|outside) ([0-9.]+)", open(file, errors="replace").read())}


def line(*fields):
    csv.writer(sys.stdout, lineterminator="\n").writerow([f"{field:.6g}" if isinstance(field, float) else field for field in fields])


def ran(report):
    """What ran most of the time of each collective: the algorithm of most of its calls, or vendor."""
    words = []
    for row in sorted(report["rows"], key=lambda row: -row["share"])[:3]:
        ours = (row["what"] or "ours") if row["ours_calls"] * 2 > row["calls"] else "vendor"
        words.append(f"{row['collective']} {ours}")
    return "; ".join(words)


def measured(program, hosts, rate, side, out, report_file):
    said = printed(out)
    report = json.load(open(report_file)) if os.path.exists(report_file) else None
    by = ran(report) if report else ""
    own_s = report["balance"]["own_s"] if report else 0  # of making and trying plans, which the projection leaves out
    if "loop" in said:
        total, inside = said["loop"] - own_s, said["inside"] - own_s
    else:
        total, inside = report["seconds"] - own_s, report["balance"]["inside_s"]  # which does not count it
    line(program, hosts, rate, side, "measured", total, "", "", inside, "", "", by)


def projected(program, hosts, rate, recorded, vendor_file, ours_file):
    outside = printed(recorded).get("outside", 0.0)  # neither recorded calls nor the loop, but gaps of the recording
    for side, file in (("vendor", vendor_file), ("ours", ours_file)):
        projection = json.load(open(file))
        run = projection[side]
        waiting = run["waiting_s"]["value"]
        rows = sorted(projection["rows"], key=lambda row: -row[side]["seconds"])[:3]
        by = "; ".join(f"{row['function']} {row[side].get('algorithm', 'as recorded')}" for row in rows)
        line(program, hosts, rate, side, "projected", *(run["total_s"][key] - outside for key in ("value", "low", "high")),
             *(run["collectives_s"][key] + waiting for key in ("value", "low", "high")), by)


NOISE = 0.10  # a case counts if the range of its five runs is narrower, relative to their median
LEAST_SHARE = 0.30  # of the time in collectives, by the MPI library


def median(values):
    return statistics.median(values)


def percentile(values, share):
    values = sorted(values)
    return values[round(share * (len(values) - 1))]


class Case:
    """A program on a layout at a rate, by one side: what was measured and what was projected, of the total and inside collectives."""

    def __init__(self, key, side, runs, projection):
        self.program, self.hosts, self.rate = key
        self.side, self.by, self.projected_by = side, runs[0]["by"], projection["by"]
        self.runs = {what: [run[what + "_s"] for run in runs] for what in ("total", "inside")}
        self.projected = {what: projection[what + "_s"] for what in self.runs}
        self.bands = {what: (projection[what + "_low_s"], projection[what + "_high_s"]) for what in self.runs}

    def measured(self, what):
        return median(self.runs[what])

    def noise(self, what):
        return (max(self.runs[what]) - min(self.runs[what])) / self.measured(what)

    def counts(self, what):
        return self.noise(what) < NOISE

    def error(self, what):
        return self.projected[what] / self.measured(what) - 1

    def is_covered(self, what, band):
        return band[0] <= self.measured(what) <= band[1]

    def band_by_others(self, what, cases):
        """The projection times the 10th and the 90th percentile of measured / projected of the other programs, same side."""
        ratios = [each.measured(what) / each.projected[what] for each in cases if each.program != self.program and each.side == self.side]
        return (0, 0) if not ratios else tuple(self.projected[what] * percentile(ratios, share) for share in (0.1, 0.9))


def read(file):
    rows = {}
    for row in csv.DictReader(open(file)):
        for key in COLUMNS[5:11]:
            row[key] = float(row[key]) if row[key] else None
        rows.setdefault((row["program"], row["hosts"], row["rate"]), {}).setdefault((row["side"], row["what"]), []).append(row)
    pairs = []
    for key, lines in rows.items():
        sides = [Case(key, side, lines[side, "measured"], lines[side, "projected"][0]) for side in ("vendor", "ours")
                 if (side, "measured") in lines and (side, "projected") in lines]
        if len(sides) == 2:
            pairs.append(sides)
    return pairs


def percent(value, sign=True):
    return f"{100 * value:+.0f} %" if sign else f"{100 * value:.0f} %"


def ms(value):
    return f"{1000 * value:.0f}"


def markdown(head, rows):
    print("| " + " | ".join(head) + " |")
    print("| " + " | ".join("---" if i < 3 else "---:" for i in range(len(head))) + " |")
    for row in rows:
        print("| " + " | ".join(row) + " |")


def gain(sides, total):
    return 1 - total(sides[1]) / total(sides[0])


def table(file):
    pairs = [pair for pair in read(file)]
    rows = []
    for vendor, ours in pairs:
        row = [vendor.program, vendor.hosts, vendor.rate.removesuffix("mbit")]
        for case in (vendor, ours):
            mark = "" if case.counts("inside") else " ~"
            row += [ms(case.measured("inside")), ms(case.projected["inside"]), percent(case.error("inside")) + mark]
        for case in (vendor, ours):
            row += [percent(case.error("total")) + ("" if case.counts("total") else " ~")]
        row += [percent(gain((vendor, ours), lambda case: case.measured("total"))), percent(gain((vendor, ours), lambda case: case.projected["total"]))]
        rows.append(row)
    markdown(["program", "hosts", "Mbit/s", "vendor's, measured", "projected", "error", "ours, measured", "projected", "error",
              "total, vendor's", "total, ours", "gain, measured", "projected"], rows)
    print()
    summary([pair for pair in pairs if pair[0].measured("inside") >= LEAST_SHARE * pair[0].measured("total")])


def summary(pairs):
    cases = [case for pair in pairs for case in pair]
    rows = []
    for name, of in (("vendor's", "vendor"), ("ours", "ours"), ("both", "")):
        for what, words in (("inside", "in collectives"), ("total", "total")):
            own = [case for case in cases if case.side.startswith(of)]
            counted = [case for case in own if case.counts(what)]
            if not counted:
                continue
            errors = [abs(case.error(what)) for case in counted]
            rows.append([words, name, f"{len(counted)} of {len(own)}", percent(median(errors), False),
                         percent(sum(error <= 0.4 for error in errors) / len(errors), False),
                         percent(sum(case.is_covered(what, case.bands[what]) for case in counted) / len(counted), False),
                         percent(sum(case.is_covered(what, case.band_by_others(what, counted)) for case in counted) / len(counted), False)])
    markdown(["time", "of", "cases that count", "median error", "within 40 %", "within the printed band", "within the band by the others"], rows)
    certain = [pair for pair in pairs if all(case.counts("total") for case in pair)]
    large = [pair for pair in certain if abs(gain(pair, lambda case: case.measured("total"))) > 0.05]
    right = [pair for pair in large if gain(pair, lambda case: case.measured("total")) * gain(pair, lambda case: case.projected["total"]) > 0]
    print(f"\nThe gain is above 5 % either way in {len(large)} of {len(certain)} pairs of cases that count; its sign is right in {len(right)}.")


COMMANDS = {"measured": measured, "projected": projected, "table": table, "head": lambda: line(*COLUMNS)}
COMMANDS[sys.argv[1]](*sys.argv[2:])
