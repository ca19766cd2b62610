/**
 * Polars reads the segments of a store as they are and finds the same numbers. It is 116 MB of native code that the product
 * never needs, so it is no dependency of ours: the test installs it from npm into a folder of its own.
 */
import { spawnSync } from "node:child_process";
import { createRequire } from "node:module";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { Store } from "../../src/store/index.ts";
import { Desk } from "../cluster/desk.ts";

const VERSION = "0.26.1";
const desk = new Desk();
afterAll(() => desk.remove());
let installed = false;

beforeAll(() => {
  const packages = ["nodejs-polars", `nodejs-polars-${process.platform}-${process.arch}-gnu`];
  const { status } = spawnSync(
    "npm",
    [
      "install",
      "--no-audit",
      "--no-fund",
      "--prefix",
      desk.folder,
      ...packages.map((name) => `${name}@${VERSION}`),
    ],
    { stdio: "ignore" },
  );
  installed = status === 0;
  desk.json(["generate", "reuse", "-o", "centre", "--scale", "0.002", "--background", "0.0001", "--tables"]);
  desk.json(["store", "compact", "centre/store", "--buckets", "4", "--by", "month", "--grace", "0"]);
}, 240_000);

interface Frame {
  readonly height: number;
  getColumn(name: string): { toArray(): readonly (bigint | number | string | null)[] };
}

it("counts, sums of 64 bits and texts are those of our own queries", async ({ skip }) => {
  if (!installed) skip("nodejs-polars cannot be installed here");
  const polars = createRequire(join(desk.folder, "x.js"))("nodejs-polars") as {
    readParquet(path: string): Frame;
  };
  const store = await Store.open(desk.path("centre/store"));
  const files = (table: string) =>
    store.batches().flatMap(({ tables }) => (tables[table] ?? []).map(({ file }) => join(store.path, file)));
  let [rows, read, ids] = [0, 0n, 0n];
  const mounts = new Set<unknown>();
  for (const file of files("accesses")) {
    const frame = polars.readParquet(file);
    rows += frame.height;
    for (const value of frame.getColumn("bytes_read").toArray()) read += BigInt(value ?? 0);
    for (const value of frame.getColumn("file_id").toArray()) ids += BigInt(value ?? 0);
    for (const value of frame.getColumn("mount").toArray()) mounts.add(value);
  }
  const runs = files("runs").reduce((sum, file) => sum + polars.readParquet(file).height, 0);
  const session = await store.query();
  const [row] = await session.rows(`select count(*) as n, sum(bytes_read) as r, sum(file_id::hugeint) as ids,
    count(distinct mount) as mounts, (select count(*) from runs) as runs from accesses`);
  session.close();
  await store.close();
  expect([rows, read, ids, mounts.size, runs]).toEqual([
    Number(row?.n),
    BigInt(row?.r as bigint),
    BigInt(row?.ids as bigint),
    Number(row?.mounts),
    Number(row?.runs),
  ]);
}, 120_000);
