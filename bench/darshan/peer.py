"""Reads logs through PyDarshan: every record of every module. Prints the seconds of each round.

peer.py ROUNDS LOG...
"""
import sys
import time

import darshan

rounds = int(sys.argv[1])
for _ in range(rounds):
    start = time.perf_counter()
    for path in sys.argv[2:]:
        with darshan.DarshanReport(path, read_all=True, dtype="numpy") as report:
            assert report.records is not None
    print(f"{time.perf_counter() - start:.9f}")
