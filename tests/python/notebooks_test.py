# SPDX-License-Identifier: BSD-3-Clause
# Executes the notebooks of a folder, and checks that they are stored without outputs: notebooks_test.py examples/notebooks
import importlib.util
import os
import pathlib
import sys

for package in ("nbclient", "nbformat", "ipykernel", "numpy"):
    if not importlib.util.find_spec(package):
        print(f"{package} is not installed")
        sys.exit(77)  # skipped

import nbclient
import nbformat

os.environ["PYDEVD_DISABLE_FILE_VALIDATION"] = "1"  # without warnings of the debugger
files = sorted(pathlib.Path(sys.argv[1]).glob("*.ipynb"))
assert files, "there are no notebooks"
for file in files:
    notebook = nbformat.read(file, as_version=4)
    nbformat.validate(notebook)
    for cell in notebook.cells:
        if cell.cell_type == "code":
            assert not cell.outputs and cell.execution_count is None, f"{file} has stored outputs; clear them"
    nbclient.NotebookClient(notebook, timeout=300, kernel_name="python3").execute()
    for cell in notebook.cells:
        for output in cell.get("outputs", []):
            assert output.get("name") != "stderr", f"{file} prints: {output['text']}"
    print(f"{file.name}: {len(notebook.cells)} cells")
