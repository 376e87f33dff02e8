# SPDX-License-Identifier: BSD-3-Clause
# Runs the Python code of a document, one block after the other in one program: docs_test.py docs/python.md
import importlib.util
import os
import re
import sys
import tempfile

if not importlib.util.find_spec("numpy"):
    print("numpy is not installed")
    sys.exit(77)  # skipped
text = open(sys.argv[1], encoding="utf-8").read()
blocks = list(re.finditer(r"^```python\n(.*?)^```$", text, re.MULTILINE | re.DOTALL))
assert blocks, "the document has no Python code"
namespace = {"__name__": "docs"}
with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    for block in blocks:
        line = text[: block.start(1)].count("\n")
        exec(compile("\n" * line + block[1], sys.argv[1], "exec"), namespace)
    os.chdir("/")
