/** What collectors and a scheduler left, into a store by the real command. */

import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { ask, ingested, ostJobs, samples, T0, useFolder, write } from "./system-kit.ts";

useFolder();

describe("what collectors and a scheduler left", () => {
  it("is summed per job, with nodes that say nothing counted; runs of one id are told apart", async () => {
    samples("samples");
    const result = ingested("samples-store", "samples");
    expect(result).toMatchObject({
      code: 0,
      foreign: 1,
      nodesDropped: {
        "no sample before the job": 1,
        "the client counts only some processes (stats_track)": 1,
      },
      dropped: { "odd [reqs]": 3 },
      counts: { nodesCounted: 3, schedulerJobs: 3, waiting: 1 },
    });
    const [jobs, minutes, targets] = await ask(
      "samples-store",
      `select job_id, state, nodes_counted as c, nodes_dropped as d, bytes_written as w, writes as n, opens, bytes_read as r,
         lnet_sent_bytes as s, lnet_received_bytes as l, node_memory_bytes as m, warnings from job_totals order by start_unix_ns, job_id`,
      "select job_id, bytes_written, why, bytes_read from minutes order by job_id",
      "select server, bytes_read from targets",
    );
    expect(jobs?.map((row) => Object.values(row))).toEqual([
      ["9002", "FAILED", null, null, null, null, null, null, null, null, null, null],
      [
        ...["9001", "REQUEUED", 2n, 2n, 12n * 4096n, 12n, 12n, 0n, 600n, 1200n, 2n ** 35n],
        "1 node: no sample before the job\n1 node: the client counts only some processes (stats_track)",
      ],
      [
        ...["9001", "COMPLETED", 1n, 0n, 3n * 4096n, 3n, 3n, 0n, null, null, 2n ** 35n],
        "1 node: counters were cleared during the job; counted from the reset",
      ],
    ]);
    // Bytes that are no UTF-8 are Latin-1.
    expect(minutes?.map((row) => Object.values(row))).toEqual([
      ["9001", 2n ** 62n + 1n, "begun", null],
      ["é\0x", 2n ** 62n + 1n, "begun", null],
      ["ÿA", 2n ** 62n + 1n, "begun", null],
    ]);
    expect(targets).toEqual([{ server: "oss7", bytes_read: 5n }]);
    expect(ingested("samples-store", "samples")).toMatchObject({ new: 0, foreign: 1 });
  });

  it("a time that the store has from elsewhere is not counted twice", async () => {
    for (const minute of [0, 1, 2])
      write(
        join("both", `fs-OST0011-${T0 + 60 * minute}.job_stats`),
        ostJobs([{ id: "9001", written: 100 * (minute + 1), opens: 0 }], T0 + 60 * minute),
      );
    expect(ingested("samples-store", "both").counts).toMatchObject({ readings: 1, knownReadings: 2 });
    const [rows] = await ask(
      "samples-store",
      "select bytes_written as w from minutes where job_id = '9001' order by w",
    );
    expect(rows?.map(({ w }) => w)).toEqual([100n, 2n ** 62n + 1n]);
  });
});
