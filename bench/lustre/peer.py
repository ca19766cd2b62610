"""The same work as a script would do it: lines of job_stats by regular expression, then differences by job and counter."""
import re
import sys
import time

LINE = re.compile(rb"^  (\w+):\s+\{ samples:\s*(\d+), unit:\s*(\w+)(?:, min:\s*(\d+), max:\s*(\d+), sum:\s*(\d+))?")
JOB = re.compile(rb"^- job_id:\s*(.*)$")


def read(data):
    jobs = {}
    counters = None
    for line in data.split(b"\n"):
        match = LINE.match(line)
        if match:
            counters[(match[1], match[3])] = (int(match[2]), int(match[6] or 0))
            continue
        match = JOB.match(line)
        if match:
            counters = jobs[match[1]] = {}
    return jobs


def differences(before, now):
    samples = total = 0
    for job, counters in now.items():
        old = before.get(job, {})
        for key, (count, value) in counters.items():
            then = old.get(key, (0, 0))
            samples += count - then[0]
            total += value - then[1]
    return samples, total


texts = [open(path, "rb").read() for path in sys.argv[1:]]
for _ in range(2):
    start = time.process_time()
    before = read(texts[0])
    parse = time.process_time() - start
    now = read(texts[1])
    start = time.process_time()
    samples, total = differences(before, now)
    difference = time.process_time() - start
print(parse, difference, samples, total)
