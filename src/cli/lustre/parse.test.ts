/** lustre parse as a user runs it. */

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { inside } from "../darshan/test-kit.ts";

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "plimsoll-lustre-"));
});
afterAll(() => rmSync(folder, { recursive: true }));

function save(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

const JOBS = [
  "obdfilter.fs-OST000a.job_stats=\njob_stats:\n- job_id:          a\tb\n  snapshot_time:   1687275235",
  "  read_bytes:      { samples:           2, unit: bytes, min:    4096, max:16777216, sum:103588344744749056 }",
  "  sync:            { samples:           0, unit:  reqs }\nhealth_check=healthy\nmemused=77\n",
].join("\n");

describe("lustre parse", () => {
  it("prints a table with units, one line for each counter whatever the id", async () => {
    const path = save("dump.txt", JOBS);
    const { code, out, err } = await inside("lustre", "parse", path);
    expect(code).toBe(0);
    expect(out).toBe(
      [
        ...["# job_stats fs-OST000a, 1 jobs", "job\tcounter\tunit\tsamples\tmin\tmax\tsum\tsumsq"],
        ...["a?b\tread_bytes\tbytes\t2\t4096\t16777216\t103588344744749056\t", "a?b\tsync\treqs\t0\t\t\t\t"],
        ...["# setting health_check", "health_check\thealthy", ""],
      ].join("\n"),
    );
    expect(err).toContain("left out: memused");
    const shorter = await inside("lustre", "parse", "--nonzero", path);
    expect(shorter.out).not.toContain("sync");
  });

  it("--json keeps every digit", async () => {
    const { code, out } = await inside("lustre", "parse", "--json", save("dump.txt", JOBS));
    expect(code).toBe(0);
    const { files } = JSON.parse(out);
    expect(files[0].readings[0]).toMatchObject({
      kind: "job_stats",
      target: "fs-OST000a",
      fileSystem: "fs",
      cut: false,
    });
    expect(files[0].readings[0].jobs).toMatchObject([
      {
        jobId: "a\tb",
        snapshotUnixNs: "1687275235000000000",
        startUnixNs: null,
        counters: [
          {
            name: "read_bytes",
            unit: "bytes",
            samples: 2,
            min: 4096,
            max: 16777216,
            sum: "103588344744749056",
          },
          { name: "sync", unit: "reqs", samples: 0 },
        ],
      },
    ]);
    expect(files[0].leftOut).toEqual({ memused: 1 });
  });

  it("takes lines of time for the time of what follows, and warns of none of them", async () => {
    const stats = (written: number) =>
      `obdfilter.fs-OST000a.stats=\nsnapshot_time             1700000040.000005 secs.usecs\nwrite_bytes               5 samples [bytes] 1 4096 ${written}\n`;
    const path = save(
      "timed.log",
      `1700000040\n${JOBS}### 2023-11-14T22:15:00Z\n${stats(1)}1700000160.5\n${stats(2)}`,
    );
    const { code, out, err } = await inside("lustre", "parse", path);
    expect(code).toBe(0);
    expect(err).toBe(`plimsoll: ${path}: without counters and left out: memused\n`);
    expect(out.match(/^# .*$/gm)).toEqual([
      "# job_stats fs-OST000a, 1 jobs, read at 2023-11-14T22:14:00Z",
      "# setting health_check, read at 2023-11-14T22:14:00Z",
      "# ost_stats fs-OST000a, read at 2023-11-14T22:15:00Z",
      "# ost_stats fs-OST000a, read at 2023-11-14T22:16:00.500Z",
    ]);
    const { files } = JSON.parse((await inside("lustre", "parse", "--json", path)).out);
    expect(files[0].readings.map(({ readUnixNs }: { readUnixNs: string }) => readUnixNs)).toEqual([
      ...["1700000040000000000", "1700000040000000000", "1700000100000000000", "1700000160500000000"],
    ]);
    // Lines are counted in the file, not in the part.
    const broken = save(
      "broken.log",
      `1700000040\n${stats(1)}1700000100\n${stats(2).replace("5 samples", "5 samplex")}`,
    );
    expect((await inside("lustre", "parse", broken)).err).toContain("the first is line 8");
  });

  it("says what is wrong in one line: cut text, other files, an empty one", async () => {
    const cut = await inside("lustre", "parse", save("cut.txt", JOBS.slice(0, 190)));
    expect(cut.code).toBe(0);
    expect(cut.err).toMatch(/cut\.txt: job_stats fs-OST000a, 1 jobs: .*the text is truncated/);
    const other = save("other.txt", "hello\n");
    const alone = await inside("lustre", "parse", other);
    expect(alone.code).toBe(1);
    expect(alone.err).toMatch(/other\.txt: no Lustre counters found; expected/);
    const among = await inside("lustre", "parse", save("dump.txt", JOBS), other);
    expect(among.code).toBe(3);
    expect(among.out).toContain("read_bytes");
    const empty = save("empty", "");
    expect((await inside("lustre", "parse", empty)).code).toBe(1);
    const told = await inside("lustre", "parse", "--path", "mdt/fs-MDT0000/job_stats", empty);
    expect(told).toMatchObject({ code: 0, out: expect.stringContaining("# job_stats fs-MDT0000, 0 jobs") });
  });

  it("says who takes an input of another kind", async () => {
    const table = save("table.csv", "pid,bytes,start,end\n1,2,3,4\n");
    const { code, err } = await inside("lustre", "parse", table);
    expect(code).toBe(1);
    expect(err).toContain("this is a CSV table of accesses");
    expect(err).toContain("use plimsoll report, findings, diff, bps or export");
  });
});
