"""Metadata storm: tasks tell their state by files that are made, asked for, renamed and removed. Mended: states are kept in
memory, and what is done is one line each in one file. --count: tasks."""
import os

import common

options = common.options(6000, "tasks")
folder = os.path.join(options.folder, "states")
os.makedirs(folder, exist_ok=True)


def with_files(task):
    base = os.path.join(folder, f"task-{task}")
    if os.path.exists(base + ".done"):
        return
    with open(base + ".running", "w") as file:
        file.write("running\n")
    os.rename(base + ".running", base + ".done")
    os.stat(base + ".done")
    os.remove(base + ".done")


states = {}
for task in range(options.count):
    if options.mended:
        states[task] = "done"
    else:
        with_files(task)
        states[task] = "done"
with open(os.path.join(folder, "journal"), "w") as journal:
    journal.writelines(f"{task} {state}\n" for task, state in states.items())
