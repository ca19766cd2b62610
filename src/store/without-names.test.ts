import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { STORE_SCHEMA, storedJobs, storedMinutes } from "../model/index.ts";
import { exportFile } from "./export.ts";
import type { Store } from "./store.ts";
import { storeWith, temporaryFolder } from "./test-kit.ts";

const KEY = "a key of some length";

it("an export without names has none, and equal names are equal in all tables", async () => {
  const folder = temporaryFolder();
  const store: Store = await storeWith(join(folder, "store"), [[1, 2]]);
  const batch = store.beginBatch({ writer: "test" });
  const who = { job_key: [11n, 12n], job_id: ["815871", ""], cluster: { all: "secretcluster" } };
  await batch.append(storedJobs, 2, {
    ...who,
    ...{
      source: { all: "scheduler" },
      synthetic: { all: 0 },
      user_name: ["alice", "bob"],
      user_id: [1001n, 1002n],
    },
    ...{
      account: { all: "secretproject" },
      name: ["secretname", "secretname"],
      warnings: { all: "of alice" },
    },
  });
  await batch.append(storedMinutes, 2, {
    ...who,
    ...{
      file_system: { all: "secretfs" },
      target: { all: "OST0001" },
      minute_unix: [5n, 6n],
      user_id: [1001n, 1002n],
    },
    bytes_read: [7n, 8n],
  });
  await batch.commit();
  const read = async (name: string, key: string | undefined) => {
    const table = STORE_SCHEMA.find((one) => one.name === name);
    if (table === undefined) throw new Error(name);
    const path = join(folder, `${name}-${key}.ndjson`);
    await exportFile(store, table, path, {
      format: "ndjson",
      ...(key === undefined ? {} : { nameKey: key }),
    });
    const text = readFileSync(path, "utf8");
    return {
      text,
      rows: text
        .split("\n")
        .filter(Boolean)
        .map((line) => JSON.parse(line)),
    };
  };
  for (const { name } of STORE_SCHEMA) {
    const [plain, coded] = [await read(name, undefined), await read(name, KEY)];
    expect(coded.rows.length).toBe(plain.rows.length);
    expect(coded.text).not.toMatch(/alice|bob|secret|815871|1001|1002|scratch|darshan|"app"/);
  }
  const [jobs, minutes, other] = [
    await read("jobs", KEY),
    await read("minutes", KEY),
    await read("jobs", "another key"),
  ];
  const [job, minute] = [
    jobs.rows.find(({ job_id }) => job_id !== ""),
    minutes.rows.find(({ job_id }) => job_id !== ""),
  ];
  for (const column of ["job_id", "job_key", "cluster", "user_id"])
    expect(job[column]).toEqual(minute[column]);
  expect(jobs.rows[0].account).toBe(jobs.rows[1].account);
  expect(jobs.rows[0].user_name).not.toBe(jobs.rows[1].user_name);
  expect(other.rows[0].account).not.toBe(jobs.rows[0].account);
  expect(minute).toMatchObject({ target: "OST0001", minute_unix: 5, bytes_read: 7 });
  const [accesses, runs] = [await read("accesses", KEY), await read("runs", KEY)];
  expect(new Set(accesses.rows.map(({ run_id }) => run_id))).toEqual(
    new Set(runs.rows.map(({ run_id }) => run_id)),
  );
  await store.close();
});
