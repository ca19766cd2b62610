/** A bound on the records of files that a job holds: of one log, of all its logs together, of traces. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { LimitError } from "../../src/base/errors.ts";
import { Random } from "../../src/base/prng.ts";
import { recordLog } from "../../src/generate/recorder/record.ts";
import { Application } from "../../src/generate/single/index.ts";
import { readJob } from "../../src/inputs/node.ts";
import { nodeEncoders } from "../../src/node/encoders.ts";

const FILES = 20;

describe("records that a job holds", () => {
  let folder: string;
  const at = (name: string) => join(folder, name);

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "plimsoll-held-"));
    for (const seed of [1, 2]) {
      const job = new Application(1, new Random(seed));
      for (let k = 0; k < FILES; k++) {
        const file = job.lustre(`${seed}.${k}`, [0]);
        job.open("POSIX", 0, file);
        job.write("POSIX", 0, file, { offset: 0, bytes: 4096 });
        job.close("POSIX", 0, file);
      }
      writeFileSync(at(`${seed}.darshan`), recordLog({ ...job.plan("a", {}), jobId: 7 }, nodeEncoders).bytes);
    }
    const rows = Array.from({ length: FILES }, (_, i) => `1,10,${i},${i + 1},/data/${i},write`);
    writeFileSync(at("calls.csv"), `pid,bytes,start,end,file,op\n${rows.join("\n")}\n`);
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  const files = async (names: readonly string[], heldRecordsMax: number) =>
    (await readJob(names.map(at), { limits: { heldRecordsMax } })).job.files.length;

  it.each([
    // A log has a record of the layout of each file, too.
    [["1.darshan"], 2 * FILES, FILES],
    [["1.darshan", "2.darshan"], 4 * FILES, 2 * FILES],
    [["calls.csv"], FILES, FILES],
  ])("%s: as many as are allowed, and not one more", async (names, records, count) => {
    expect(await files(names, records)).toBe(count);
    await expect(files(names, records - 1)).rejects.toThrow(LimitError);
    await expect(files(names, records - 1)).rejects.toThrow(/than fit into memory/);
  });
});
