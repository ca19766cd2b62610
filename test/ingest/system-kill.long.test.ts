/** An ingest of counters that is killed again and again, by the real command. */

import { spawn } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { Random } from "../../src/base/prng.ts";
import type { SqlRow } from "../../src/model/index.ts";
import { program } from "../collect/kit.ts";
import { contents, folder, ingested, plant, plimsoll, samples, useFolder } from "./system-kit.ts";
import { killWhen } from "../kill-by-progress.ts";

useFolder();

it("killed at any moment and given again, it ends with the store of an undisturbed run", async () => {
  plant("raw", 40, 7);
  samples("kill-samples");
  const paths = ["raw", "kill-samples"];
  expect(ingested("undisturbed", ...paths).code).toBe(0);
  const random = new Random(4);
  const entries = join(folder, "killed", "manifest");
  const batches = () => (existsSync(entries) ? readdirSync(entries).length : 0);
  let kills = 0;
  for (let attempt = 0; attempt < 8; attempt++) {
    const child = spawn(
      process.execPath,
      [program, "ingest", ...paths, "--store", "killed", "--batch", "5", "--threads", "2"],
      { cwd: folder, stdio: "ignore" },
    );
    const enough = batches() + 1 + random.below(3);
    if (!(await killWhen(child, () => batches() >= enough))) break;
    kills++;
  }
  expect(kills).toBeGreaterThan(0);
  expect(plimsoll("ingest", ...paths, "--store", "killed").code).toBe(0);
  const [killed, undisturbed] = [await contents("killed"), await contents("undisturbed")];
  for (const table of [0, 1, 2]) expect(killed[table]).toEqual(undisturbed[table]);
  const facts = (rows: SqlRow[] | undefined) => rows?.map(({ c: _, ...row }) => row);
  expect(facts(killed[3])).toEqual(facts(undisturbed[3]));
  expect(plimsoll("store", "check", "killed").code).toBe(0);
}, 120_000);
