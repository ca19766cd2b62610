// A sound log whose job record claims far more processes than its records show: work follows the records.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { inside } from "../../src/cli/darshan/test-kit.ts";
import { layOut, takeApart } from "../fuzz/build-log.ts";

const fixture = join(
  dirname(fileURLToPath(import.meta.url)),
  "..",
  "fixtures",
  "darshan",
  "mpiio4_dxt.darshan",
);
const BYTES_MAX = 256 * 2 ** 20;

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "plimsoll-claims-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The fixture, its job record with that many processes. */
function claiming(processes: bigint): string {
  const image = takeApart(readFileSync(fixture));
  const plain = Uint8Array.from(image.job.plain);
  new DataView(plain.buffer).setBigInt64(40, processes, !image.bigEndian);
  image.job = { plain };
  const path = join(folder, `${processes}.darshan`);
  writeFileSync(path, layOut(image));
  return path;
}

/** Runs a command and says how much its typed arrays and heap grew. */
async function measured(...words: string[]) {
  const before = process.memoryUsage();
  const outcome = await inside(...words);
  const after = process.memoryUsage();
  return {
    ...outcome,
    grownBytes: after.arrayBuffers - before.arrayBuffers + after.heapUsed - before.heapUsed,
  };
}

describe("a log that claims 1.5e9 processes", () => {
  it.each([
    "report",
    "report --full",
    "report --json",
    "report -o PAGE",
    "findings",
    "findings --json",
    "bps",
    "bps --by process",
    "darshan parse",
    "darshan parse --json",
  ])("takes no more than its records: %s", { timeout: 20_000 }, async (command) => {
    const page = join(folder, "page.html");
    const { code, err, out, grownBytes } = await measured(
      ...command.replace("PAGE", page).split(" "),
      claiming(1_500_000_000n),
    );
    expect(err).toBe("");
    expect(code).toBe(0);
    expect(out).not.toMatch(/NaN|Infinity/);
    expect(grownBytes).toBeLessThan(BYTES_MAX);
  });

  it("is compared with another", { timeout: 20_000 }, async () => {
    const { code, grownBytes } = await measured("diff", fixture, claiming(1_500_000_000n));
    expect(code).toBe(0);
    expect(grownBytes).toBeLessThan(BYTES_MAX);
  });
});

describe("more processes than MPI can number", () => {
  it.each([[4_000_000_000n], [2n ** 31n], [2n ** 63n - 1n]])(
    "%s is refused in one line",
    async (processes) => {
      for (const command of ["report", "findings"]) {
        const path = claiming(processes);
        const { code, out, err } = await inside(command, path);
        expect(err).toBe(
          `plimsoll: ${path}: the job record claims ${Number(processes)} processes; a job has at most 2147483647\n`,
        );
        expect(out).toBe("");
        expect(code).toBe(1);
      }
    },
  );

  it("is one log left out among several", async () => {
    const path = claiming(4_000_000_000n);
    const { code, err } = await inside("findings", fixture, path);
    expect(err).toContain(`skipped ${path}: the job record claims 4000000000 processes`);
    expect(code).toBe(3);
  });

  it("counts all logs of a job", async () => {
    const path = claiming(1_500_000_000n);
    const { err } = await inside("findings", path, path);
    expect(err).toContain("1500000000 processes beside 1500000000 of the logs before it");
  });
});
