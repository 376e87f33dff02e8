# SPDX-License-Identifier: BSD-3-Clause
# Executes the notebooks of a folder, and compares what they show with the outputs that are stored in them: notebooks_test.py FOLDER
# With --renew as well, it stores what differs. In cells with the tag "timed", the figures differ in each run, and only the text
# between them is compared.
import importlib.util
import json
import os
import pathlib
import re
import sys

for package in ("nbclient", "nbformat", "ipykernel", "numpy"):
    if not importlib.util.find_spec(package):
        print(f"{package} is not installed")
        sys.exit(77)  # skipped

import nbclient
import nbformat


def joined(outputs):
    """Returns the outputs, of which the kernel may have sent a text in several parts."""
    whole = []
    for output in outputs:
        if whole and output.output_type == "stream" and whole[-1].get("name") == output.name:
            whole[-1].text += output.text
        else:
            whole.append(output)
    return whole


def shown(cell):
    """Returns what a reader sees below a cell."""
    outputs = [output.get("data", output.get("text", output)) for output in cell.outputs]
    text = json.dumps(outputs, ensure_ascii=False, indent=1, sort_keys=True)
    return re.sub(r" *\d+(\.\d+)?", " #", text) if "timed" in cell.metadata.get("tags", []) else text


os.environ["PYDEVD_DISABLE_FILE_VALIDATION"] = "1"  # without warnings of the debugger
files = sorted(pathlib.Path(sys.argv[1]).glob("*.ipynb"))
assert files, "there are no notebooks"
stale = 0
for file in files:
    stored = nbformat.read(file, as_version=4)
    nbformat.validate(stored)
    fresh = nbclient.NotebookClient(nbformat.from_dict(stored), timeout=300, kernel_name="python3", record_timing=False).execute()
    before = stale
    for old, new in zip(stored.cells, fresh.cells):
        if new.cell_type != "code":
            continue
        new.outputs = joined(new.outputs)
        for output in new.outputs:
            assert output.get("name") != "stderr", f"{file} prints: {output['text']}"
        if shown(old) != shown(new):
            print(f"{file.name}, {old.id} has stored\n{shown(old)}\nand shows\n{shown(new)}")
            old.outputs, old.execution_count = new.outputs, new.execution_count
            stale += 1
    if stale > before and "--renew" in sys.argv:
        nbformat.write(stored, file)
    print(f"{file.name}: {len(stored.cells)} cells")
if stale and "--renew" not in sys.argv:
    sys.exit(f"{stale} outputs are stale; to store them: python3 {sys.argv[0]} {sys.argv[1]} --renew")
