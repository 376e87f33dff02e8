# SPDX-License-Identifier: BSD-3-Clause
# Runs the programs of a folder on threads and by `quadrille run`: examples_test.py QUADRILLE examples/python
import importlib.util
import pathlib
import subprocess
import sys

if not importlib.util.find_spec("numpy"):
    print("numpy is not installed")
    sys.exit(77)  # skipped

files = sorted(pathlib.Path(sys.argv[2]).glob("*.py"))
assert files, "there are no programs"
for file in files:
    for launcher, ranks in ([], 4), ([sys.argv[1], "run", "-n", "3"], 3):
        ran = subprocess.run([*launcher, sys.executable, file], capture_output=True, text=True, timeout=60)
        assert ran.returncode == 0 and not ran.stderr, f"{file.name}: {ran.stdout}{ran.stderr}"
        told = {4: ("12 x 12", "among 4", "200 unknowns"), 3: ("9 x 9", "among 3", "150 unknowns")}[ranks]
        assert any(word in ran.stdout for word in told) and ran.stdout.count("\n") == 1, ran.stdout
        print(ran.stdout, end="")
