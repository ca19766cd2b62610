import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { builtFile } from "../../node/built.ts";

const folder = mkdtempSync(join(tmpdir(), "plimsoll-cluster-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const path = (name: string) => join(folder, name);

function plimsoll(words: readonly string[], env: NodeJS.ProcessEnv = process.env) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [builtFile("start.cjs"), ...words], {
    encoding: "utf8",
    cwd: folder,
    env,
  });
  return { status, stdout, stderr };
}

it("without Slurm on the path says so in one line, and makes nothing", () => {
  const { status, stderr } = plimsoll(["cluster", "ingest", "logs", "--store", "s", "--run", "r"], {
    PATH: "/none",
  });
  expect(status).toBe(2);
  expect(stderr).toMatch(/^plimsoll: sbatch not found: .*--local N.*\n$/);
  expect([existsSync(path("s")), existsSync(path("r"))]).toEqual([false, false]);
});

it("--dry-run prints scripts and how they would be submitted, and makes nothing", () => {
  const words = ["cluster", "ingest", "logs", "--store", "s", "--tasks", "4", "--run", "r", "--dry-run"];
  const { status, stdout } = plimsoll([...words, "--sbatch", "-p io -t 5"]);
  expect(status).toBe(0);
  expect(stdout).toContain(`sbatch --parsable --job-name=plimsoll-ingest-map --array=1-4 `);
  expect(stdout).toContain(
    `--dependency=afterok:JOB --kill-on-invalid-dep=yes -p io -t 5 ${path("r")}/merge.sh`,
  );
  expect(stdout).toContain(`plimsoll ingest --store=${path("s")} --slice=4/4 -- ${path("logs")}`);
  const { stages } = JSON.parse(plimsoll([...words, "--json"]).stdout);
  expect(stages.map(({ tasks }: { tasks: string[] }) => tasks.length)).toEqual([4, 1]);
  expect([existsSync(path("s")), existsSync(path("r"))]).toEqual([false, false]);
});
