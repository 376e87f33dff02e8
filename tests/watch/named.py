#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""named.py SOURCE NAME KIND LIMIT SAID: what the output SAID lacks of what the comments HERE NAME in SOURCE expect; see faults.c.

Each line of SAID begins with the time when it was written. The message begins with `quadrille: `. It must come at most 3 s after
LIMIT, counted from the line `at the fault`. Prints what is missing, one a line, and exits with 1 if something is.
"""
import pathlib
import re
import sys

SOME = r"\d+(?:\.\.\d+)?"
BEGIN = re.compile(rf"(?:quadrille:)? *ranks? +({SOME}(?:(?:, +| and +){SOME})*)")


def ranks_of(text):
    """The ranks of "0, 2, 3", or "4..1023"."""
    ends = [part.split("..") for part in re.findall(SOME, text)]
    return {rank for end in ends for rank in range(int(end[0]), int(end[-1]) + 1)}


def expected(source, name):
    """For each set of ranks: its alternatives, each a line and the regular expressions."""
    result = {}
    for number, line in enumerate(source.read_text().splitlines(), 1):
        for ranks, words in re.findall(rf"HERE {name}: ranks? ([\d, ]+): (.*?)(?= *(?://|#) HERE|$)", line):
            result.setdefault(frozenset(ranks_of(ranks)), []).append((number, words.split("; ")))
    return result


def places(message):
    """For each rank: the text from a line that begins with this rank, up to the next one, or to a sentence of other ranks."""
    result, current = {}, set()
    for line in message:
        found = BEGIN.match(line)
        if found or not line.startswith(" "):
            current = ranks_of(found[1]) if found else set()
        for rank in current:
            result[rank] = result.get(rank, "") + line + "\n"
    return result


def lacks(message, source, line, ranks, words):
    said, text = places(message), "\n".join(message)
    place = rf"\b{re.escape(source.name)}:{line}\b"
    result = [f"rank {rank} at {source.name}:{line}" for rank in sorted(ranks) if not re.search(place, said.get(rank, ""))]
    return result + [f"'{word}'" for word in words if not re.search(word, text)]


def main():
    source, name, kind, limit = pathlib.Path(sys.argv[1]), sys.argv[2], sys.argv[3], float(sys.argv[4])
    lines = [line.split(" ", 1) for line in pathlib.Path(sys.argv[5]).read_text(errors="replace").splitlines()]
    begins = [i for i, line in enumerate(lines) if line[1].startswith("quadrille: ")]
    message = [line[1] for line in lines[begins[0]:]] if begins else []
    faults = [float(line[0]) for line in lines if line[1] == "at the fault"]
    missing = []
    if kind in ("quiet", "late"):
        missing += [f"'{end}'" for end in ("ended well", "exit code 0") if end not in [line[1] for line in lines]]
    if kind == "quiet":
        missing += [f"silence: {message[0]}"] if message else []
    elif not faults:
        missing.append("the fault: it was not reached")
    elif not message:
        missing.append("a message")
    else:
        took = float(lines[begins[0]][0]) - faults[0]
        if not 0 <= took <= limit + 3:
            missing.append(f"a message in time: it came {took:.1f} s after the fault")
        if kind == "late" and any("differ" in line for line in message):
            missing.append("'late' and not 'differs'")
        for ranks, alternatives in expected(source, name).items():
            missing += min((lacks(message, source, line, ranks, words) for line, words in alternatives), key=len)
    print("; ".join(dict.fromkeys(missing)))
    return bool(missing)


if __name__ == "__main__":
    sys.exit(main())
