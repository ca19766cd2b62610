/** `srun --mpi=pmi2` with MPICH on a Slurm cluster of this machine. */
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { noneLeft, Ranks } from "./mpi/kit.ts";
import { CLUSTER_START_MS, type SlurmCluster, slurmMissing, startSlurmCluster } from "../slurm-cluster.ts";
import { makePlace, plimsoll, program, writing } from "../adaptive/write-kit.ts";

const SLOW_MS = 150_000;
const ranks = new Ranks();
let cluster: SlurmCluster;

beforeAll(async () => {
  expect(slurmMissing()).toBeUndefined();
  await ranks.make();
  cluster = await startSlurmCluster({ nodes: 2, cpusPerNode: 4 });
}, CLUSTER_START_MS);
afterAll(async () => {
  await cluster?.stop();
  ranks.remove();
  expect(cluster === undefined || !existsSync(cluster.folder)).toBe(true);
}, SLOW_MS);

const node = process.execPath;
/** Two nodes; srun says when it waits for them, which is not of interest. */
const srun = (count: number, ...words: string[]) =>
  cluster.run("srun", ["--quiet", "-N", "2", "-n", String(count), ...words], { timeoutMs: 120_000 });

describe("ranks that srun started", () => {
  it(
    "find each other",
    async () => {
      const { code, stdout, stderr } = await srun(4, "--mpi=pmi2", node, ranks.program, "all");
      expect(stderr).toBe("");
      expect(code).toBe(0);
      expect(JSON.parse(stdout)).toMatchObject({ size: 4, ranks: [0, 1, 2, 3] });
    },
    SLOW_MS,
  );

  it(
    "end together when one fails or is ended",
    async () => {
      const thrown = await srun(4, "--mpi=pmi2", node, ranks.program, "throw");
      expect(thrown.code).not.toBe(0);
      expect(thrown.stderr).toContain("plimsoll: rank 2 of 4: the third rank has had enough");
      const left = await srun(4, "--mpi=pmi2", node, ranks.program, "exit");
      expect(left.code).not.toBe(0);
      expect(await noneLeft(ranks.program)).toBe(true);
    },
    SLOW_MS,
  );

  it(
    "are told how to be started when each believes to be alone",
    async () => {
      const { code, stderr } = await srun(2, "--mpi=none", node, ranks.program, "all");
      expect(code).not.toBe(0);
      expect(stderr).toMatch(
        /srun started 2 processes, but MPICH \S+ \(\S+\) sees 1: start it with srun --mpi=pmi2/,
      );
    },
    SLOW_MS,
  );

  it(
    "write a dataset",
    async () => {
      const [rows, columns] = [50, 64];
      const place = makePlace(join(ranks.folder, "place"), { targets: 3, ranks: 16, rows, columns });
      const { code, stderr } = await srun(6, "--mpi=pmi2", node, program, ...writing(place, columns));
      expect(stderr).toBe("");
      expect(code).toBe(0);
      expect(plimsoll("verify", place.dataset)).toMatchObject({ code: 0, err: "" });
      const values = new Float64Array(
        Uint8Array.from(plimsoll("read", place.dataset, "t", "--raw").bytes).buffer,
      );
      expect(values.length === 16 * rows * columns && values.every((value, i) => value === i)).toBe(true);
      expect(readdirSync(join(`${place.dataset}.dir`, ".plimsoll"))).toEqual(["run.json", "written.json"]);
    },
    SLOW_MS,
  );

  it(
    "do not mistake a batch script for ranks",
    async () => {
      const place = makePlace(join(ranks.folder, "batch"), { targets: 2, ranks: 4, rows: 10, columns: 8 });
      const line = [node, program, ...writing(place, 8)].map((word) => `'${word}'`).join(" ");
      const id = await cluster.submit(["-n", "4", "-o", join(ranks.folder, "batch.out"), "--wrap", line]);
      expect((await cluster.waitForJob(id)).state).toBe("COMPLETED");
      expect(plimsoll("verify", place.dataset)).toMatchObject({ code: 0, err: "" });
    },
    SLOW_MS,
  );
});
