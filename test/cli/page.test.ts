import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, expect, it } from "vitest";

const root = fileURLToPath(new URL("../..", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "plimsoll-page-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const page = (output: string) =>
  spawnSync(join(root, "bin", "plimsoll"), ["page", "-o", output], { cwd: folder, encoding: "utf8" });

it("plimsoll page writes the page that the build made, or says why not", () => {
  expect(page("drop.html")).toMatchObject({
    status: 0,
    stdout: "Wrote drop.html; open it in a browser and drop a log\n",
  });
  const built = readFileSync(join(root, "dist", "plimsoll.html"));
  expect(readFileSync(join(folder, "drop.html")).equals(built)).toBe(true);
  expect(page("missing/drop.html")).toMatchObject({
    status: 1,
    stderr: "plimsoll: cannot write missing/drop.html: no such folder\n",
  });
  expect(readdirSync(folder)).toEqual(["drop.html"]);
});
