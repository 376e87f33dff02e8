# SPDX-License-Identifier: BSD-3-Clause
"""The figures of bench/projection.sh.

  projection.py head                                                   the first line of the table of times
  projection.py measured PROGRAM HOSTS RATE SIDE OUT REPORT            a line of a run, from what it has printed and its report, if any
  projection.py projected PROGRAM HOSTS RATE RECORDED FILE PROFILE     lines from what the recorded run has printed, its projection
                                                                       as JSON, and the report of a profiled run
  projection.py smpi PROGRAM HOSTS RATE RECORDED REPLAYED              a line from what the recorded run has printed, and what
                                                                       bench/smpi_replay.sh has; none if SMPI cannot replay it
  projection.py table FILE                                             compares the lines of a table

A line has the program, the layout and rate of the hosts, the side (vendor or ours), and whether it is measured, projected,
uncorrected (a projection of an earlier version, whose prices are not corrected by residuals) or smpi. Then come the seconds of the whole, their band, the seconds inside collectives (mean of the
ranks, with the waiting for late ranks), their band, and what ran. A line of the side gain has the projected share by which ours is
shorter, its band, and the verdict.
Of programs that print "loop S inside S" the whole is the loop, of others it is the time from MPI_Init to MPI_Finalize.
"""
import csv
import json
import math
import os
import re
import statistics
import sys

COLUMNS = ["program", "hosts", "rate", "side", "what", "total_s", "total_low_s", "total_high_s", "inside_s", "inside_low_s",
           "inside_high_s", "by"]


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
        total, inside = report["seconds"] - own_s, report["balance"]["inside_s"]  # inside_s does not contain own_s
    line(program, hosts, rate, side, "measured", total, "", "", inside, "", "", by)


def seconds_by_collective(rows, seconds_of):
    sums = {}
    for row in rows:
        function = row.get("collective") or row["function"]
        sums[function] = sums.get(function, 0) + seconds_of(row)
    return sums


def by_collective(program, hosts, rate, projections, profile):
    """The library's side by collective: times of the profiled run, with waiting for late ranks, and of projections, without."""
    times = {"measured": seconds_by_collective(profile["rows"], lambda row: row["rank_seconds"] / profile["world_size"])}
    for what, projection in projections.items():
        times[what] = seconds_by_collective(projection["rows"], lambda row: row["vendor"]["seconds"])
    for function in sorted(times["measured"].keys() & times["projected"].keys()):
        for what, seconds in times.items():
            line(program, hosts, rate, "vendor", f"{what} in {function}", "", "", "", seconds[function], "", "", "")


def projected(program, hosts, rate, recorded, file, profile_file):
    outside = printed(recorded).get("outside", 0.0)  # neither recorded calls nor the loop, but gaps of the recording
    projection = json.load(open(file))
    for side in ("vendor", "ours"):
        run = projection[side]
        rows = sorted(projection["rows"], key=lambda row: -row[side]["seconds"])[:3]
        by = "; ".join(f"{row['function']} {row[side].get('algorithm', 'as recorded')}" for row in rows)
        waiting, inside = run["waiting_s"], run["collectives_s"]
        line(program, hosts, rate, side, "projected", *(run["total_s"][key] - outside for key in ("value", "low", "high")),
             inside["value"] + waiting["value"], inside["low"] + waiting["low"], inside["high"] + waiting["high"], by)
    line(program, hosts, rate, "gain", "projected", *(projection["gain"][key] for key in ("value", "low", "high")), "", "", "",
         projection["verdict"])
    if os.path.exists(profile_file):
        by_collective(program, hosts, rate, {"projected": projection}, json.load(open(profile_file)))


def smpi(program, hosts, rate, recorded, replayed):
    times = json.load(open(replayed))["smpi"]
    if times:
        outside = printed(recorded).get("outside", 0.0)
        line(program, hosts, rate, "vendor", "smpi", times["total_s"] - outside, "", "", times["collectives_s"], "", "", "")


WHOLE_PROGRAMS = ("fftw", "pw", "cp")
NOISE = 0.10  # a case counts if the range of its five runs is narrower, relative to their median
LEAST_SHARE = 0.30  # of the time in collectives, by the MPI library


def median(values):
    return statistics.median(values)


def percentile(values, share):
    values = sorted(values)
    return values[round(share * (len(values) - 1))]


class Case:
    """A program on a layout at a rate, by one side: what was measured and what was projected, of the total and inside collectives.

    `uncorrected` is the same case with the projection whose prices are not corrected by residuals; None if there is none.
    """

    def __init__(self, key, side, runs, projection, uncorrected=None):
        self.uncorrected = Case(key, side, runs, uncorrected) if uncorrected else None
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
        return self.noise(what) < NOISE and self.is_compared(what)

    def is_compared(self, what):
        """Whole programs are compared only by time in collectives: their report begins before MPI_Init, their recording after it."""
        return what == "inside" or self.program not in WHOLE_PROGRAMS

    def error(self, what):
        return self.projected[what] / self.measured(what) - 1

    def is_covered(self, what, band):
        return band[0] <= self.measured(what) <= band[1]

    def band_by_others(self, what, cases):
        """The projection, multiplied by the 10th and 90th percentiles of measured / projected of the side's other programs."""
        ratios = [each.measured(what) / each.projected[what] for each in cases if each.program != self.program and each.side == self.side]
        return (0, 0) if not ratios else tuple(self.projected[what] * percentile(ratios, share) for share in (0.1, 0.9))


def read(file):
    rows = {}
    for row in csv.DictReader(open(file)):
        if row["what"] not in ("measured", "projected", "uncorrected"):
            continue
        for key in COLUMNS[5:11]:
            row[key] = float(row[key]) if row[key] else None
        rows.setdefault((row["program"], row["hosts"], row["rate"]), {}).setdefault((row["side"], row["what"]), []).append(row)
    pairs = []
    for key, lines in rows.items():
        sides = [Case(key, side, lines[side, "measured"], lines[side, "projected"][0], *lines.get((side, "uncorrected"), []))
                 for side in ("vendor", "ours") if (side, "measured") in lines and (side, "projected") in lines]
        if len(sides) == 2:
            pairs.append(sides)
    return pairs


def percent(value, sign=True):
    return f"{100 * value:+.0f} %" if sign else f"{100 * value:.0f} %"


def ms(value):
    return f"{1000 * value:.0f}"


def markdown(head, rows, words=3):
    """Prints a table whose first columns, so many, are words; the others are figures."""
    print("| " + " | ".join(head) + " |")
    print("| " + " | ".join("---" if i < words else "---:" for i in range(len(head))) + " |")
    for row in rows:
        print("| " + " | ".join(row) + " |")


def gain(pair, times):
    return 1 - times(pair[1]) / times(pair[0])


def gains(pair):
    """The share by which ours is shorter, measured and projected: of the total, or of the time in collectives if only that is compared."""
    what = "total" if pair[0].is_compared("total") else "inside"
    return gain(pair, lambda case: case.measured(what)), gain(pair, lambda case: case.projected[what])


def uncorrected(pair):
    return [case.uncorrected for case in pair]


def case_row(pair):
    row = [pair[0].program, pair[0].hosts, pair[0].rate.removesuffix("mbit")]
    for case in pair:
        row += [ms(case.measured("inside")), ms(case.projected["inside"]), marked(case, "inside")]
    row += [marked(case, "total") for case in pair] + [percent(each) for each in gains(pair)]
    if all(uncorrected(pair)):
        row[-1] += f" ({percent(gains(uncorrected(pair))[1])})"
    return row


def marked(case, what):
    if not case.is_compared(what):
        return "–"
    error = percent(case.error(what)) + (f" ({percent(case.uncorrected.error(what))})" if case.uncorrected else "")
    return error + ("" if case.counts(what) else " ~")


def summary_row(what, cases, others):
    """Returns the median error of these cases, and the shares within 40 %, in the printed band and in the band by `others`."""
    errors = [abs(case.error(what)) for case in cases]

    def share(of):
        return percent(sum(of(case) for case in cases) / len(cases), False)

    return [percent(median(errors), False), share(lambda case: abs(case.error(what)) <= 0.4),
            share(lambda case: case.is_covered(what, case.bands[what])),
            share(lambda case: case.is_covered(what, case.band_by_others(what, others)))]


def summary(pairs):
    rows = []
    for what, words in (("inside", "in collectives"), ("total", "total")):
        for name, sides in (("the library's", ("vendor",)), ("ours", ("ours",)), ("both", ("vendor", "ours"))):
            compared = [case for pair in pairs for case in pair if case.side in sides and case.is_compared(what)]
            counted = [case for case in compared if case.counts(what)]
            if compared:
                rows.append([words, name, f"all {len(compared)}", *summary_row(what, compared, compared)])
            if counted:
                rows.append([words, name, f"the {len(counted)} that count", *summary_row(what, counted, compared)])
    markdown(["time", "of", "cases", "median error", "within 40 %", "in the printed band", "in the band by the others"], rows)
    counted = [pair for pair in pairs if all(case.counts("total") for case in pair)]
    for words, some in (("All pairs", pairs), ("Pairs in which both cases count", counted)):
        large = [gains(pair) for pair in some if abs(gains(pair)[0]) > 0.05]
        right = [each for each in large if each[0] * each[1] > 0]
        print(f"\n{words}: in {len(large)} of {len(some)} the measured gain or loss is above 5 %. In {len(right)} of these the projected one has the same sign.")


def collectives(file):
    """By collective, of the library's side: the median and the range of projected / measured over all programs."""
    times = {}
    for row in csv.DictReader(open(file)):
        if found := re.fullmatch("(measured|projected|uncorrected) in (.*)", row["what"]):
            times.setdefault((found[2], row["program"], row["hosts"], row["rate"]), {})[found[1]] = float(row["inside_s"])
    kinds = [what for what in ("projected", "uncorrected") if any(what in case for case in times.values())]
    ratios = {}
    for (function, *_), case in times.items():
        if case["measured"] > 0.05:
            ratios.setdefault(function, []).append({what: case[what] / case["measured"] for what in kinds if what in case})
    head, rows = ["collective", "cases"], [[function, str(len(cases))] for function, cases in sorted(ratios.items())]
    for what in kinds:
        head += [f"{what} / measured, median", "least", "most"]
        for row in rows:
            values = [case[what] for case in ratios[row[0]] if what in case]
            row += [f"{value:.2f}" for value in (median(values), min(values), max(values))] if values else ["–"] * 3
    markdown(head, rows, words=1)


def by_smpi(file, pairs):
    """Times in collectives, of the library's side: what was measured, and what this projection and SMPI make of it."""
    times = {(row["program"], row["hosts"], row["rate"]): float(row["inside_s"]) for row in csv.DictReader(open(file)) if row["what"] == "smpi"}
    rows, errors = [], []
    for vendor, _ in pairs:
        replayed = times.get((vendor.program, vendor.hosts, vendor.rate))
        if replayed:
            errors.append((abs(vendor.error("inside")), abs(replayed / vendor.measured("inside") - 1)))
            rows.append([vendor.program, vendor.hosts, vendor.rate.removesuffix("mbit"), ms(vendor.measured("inside")),
                         marked(vendor, "inside"), percent(replayed / vendor.measured("inside") - 1)])
    if rows:
        rows.append(["median error", "", "", ""] + [percent(median([each[side] for each in errors]), False) for side in (0, 1)])
        print()
        markdown(["program", "hosts", "Mbit/s", "the library's, ms", "projected", "by SMPI"], rows)


def held_out():
    lines = open(os.path.join(os.path.dirname(__file__), "programs", "held_out.txt"))
    return {line.split()[0] for line in lines if line.strip() and not line.startswith("#")}


def paired_gains(pair):
    """The measured gain of each pair of runs, in the order in which they ran."""
    what = "total" if pair[0].is_compared("total") else "inside"
    return [1 - ours / vendor for vendor, ours in zip(pair[0].runs[what], pair[1].runs[what])]


def is_outside_noise(pair):
    """All pairs of runs agree in the sign, and the gain or loss is 1 % or more. Of five equal pairs, one in sixteen would."""
    gains_of_pairs = paired_gains(pair)
    return abs(median(gains_of_pairs)) >= 0.01 and len({gain > 0 for gain in gains_of_pairs}) == 1


SPEAKS = {"run_it": 1, "keep_it": -1, "late_ranks": 0, "network": 0, "computing": 0}


def is_right(verdict, pair):
    """`run it` and `our choice would be longer` name a sign; `nothing to gain` says that ours is not shorter outside the noise."""
    measured_gain, sign = median(paired_gains(pair)), SPEAKS[verdict]
    return measured_gain * sign > 0 if sign else not (is_outside_noise(pair) and measured_gain > 0)


def of(count, all_of_them):
    return f"{count} of {all_of_them}" + (f" ({percent(count / all_of_them, False)})" if all_of_them else "")


def verdicts(file, pairs):
    """When the projection speaks, whether it is right, and whether bands cover what they say: of the programs on which decisions were
    made, and of those that had no part in any."""
    said = {(row["program"], row["hosts"], row["rate"]): row for row in csv.DictReader(open(file)) if row["side"] == "gain"}
    pairs = [pair for pair in pairs if (pair[0].program, pair[0].hosts, pair[0].rate) in said]
    if not pairs:
        return
    apart, rows = held_out(), []
    for name, some in (("decided on", [pair for pair in pairs if pair[0].program not in apart]),
                       ("held out", [pair for pair in pairs if pair[0].program in apart]), ("all", pairs)):
        if not some:
            continue
        lines = [said[pair[0].program, pair[0].hosts, pair[0].rate] for pair in some]
        speaking = [(row["by"], pair) for row, pair in zip(lines, some) if row["by"] in SPEAKS]
        true_gains = [row["by"] in SPEAKS for row, pair in zip(lines, some) if is_outside_noise(pair)]
        covered = [float(row["total_low_s"]) <= gains(pair)[0] <= float(row["total_high_s"]) for row, pair in zip(lines, some)]
        row = [name, str(len({pair[0].program for pair in some})), of(sum(is_right(*each) for each in speaking), len(speaking)),
               of(sum(true_gains), len(true_gains)), of(sum(covered), len(covered))]
        for what in ("inside", "total"):
            cases = [case for pair in some for case in pair if case.is_compared(what)]
            row.append(of(sum(case.is_covered(what, case.bands[what]) for case in cases), len(cases)))
        for what in ("inside", "total"):
            errors = [abs(case.error(what)) for pair in some for case in pair if case.is_compared(what)]
            row.append(f"{percent(median(errors), False)} of {len(errors)}" if errors else "–")
        rows.append(row)
    print("\nGoals: right in 95 %, speaks on 50 %, bands cover 75 to 90 %, errors 15 % in collectives and 8 % of totals.\n")
    markdown(["programs", "number", "right when it speaks", "speaks on gains outside the noise", "band of the gain covers",
              "of collectives", "of totals", "median error in collectives", "of totals"], rows, words=1)
    logs = [[math.log(case.measured("inside") / case.projected["inside"]) for case in pair] for pair in pairs
            if pair[0].program not in apart]
    if len(logs) > 2:
        means = [statistics.mean(each[side] for each in logs) for side in (0, 1)]
        common = statistics.mean((each[0] - means[0]) * (each[1] - means[1]) for each in logs)
        print(f"\nOf the programs decided on, both sides' errors in collectives have a common deviation of {max(0, common) ** 0.5:.2f} "
              "(common_spread in src/projection/draws.hpp).")


def table(file):
    pairs = read(file)
    compared = [pair for pair in pairs if pair[0].measured("inside") >= LEAST_SHARE * pair[0].measured("total")]
    has_both = all(all(uncorrected(pair)) for pair in pairs)
    if has_both:
        print("In parentheses: from prices that are not corrected by residuals.\n")
    markdown(["program", "hosts", "Mbit/s", "the library's, ms", "projected", "error", "ours, ms", "projected", "error",
              "total, library's", "total, ours", "gain", "projected"],
             [case_row(pair) for pair in pairs])
    print("\nPrices corrected by residuals:\n" if has_both else "")
    summary(compared)
    if has_both:
        print("\nUncorrected prices:\n")
        summary([uncorrected(pair) for pair in compared])
    print()
    collectives(file)
    by_smpi(file, pairs)
    verdicts(file, pairs)


COMMANDS = {"measured": measured, "projected": projected, "smpi": smpi, "table": table, "head": lambda: line(*COLUMNS)}
COMMANDS[sys.argv[1]](*sys.argv[2:])
