/** Walks through folders that the C library makes: one record each, and what the program does on the way has its right names. */
import { spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { CALL_ERROR } from "../../src/model/calls.ts";
import { Workshop } from "./kit.ts";

const shop = new Workshop();
afterAll(() => shop.remove());

it("are calls of the program, in folders that change too", async () => {
  const program = shop.build("walks", { flags: ["-D_FORTIFY_SOURCE=2", "-O2"] });
  const folder = shop.path("tree");
  for (const name of ["a", "b"]) {
    mkdirSync(join(folder, name), { recursive: true });
    writeFileSync(join(folder, name, "file"), name);
  }
  const plain = spawnSync(program, [folder], { encoding: "utf8" });
  expect([plain.status, plain.stderr.trim().split(/ *\n/)]).toEqual([
    0,
    ["0 5", "0 5", "0 4", "-1 0 No such file or directory", "0 3", "0 2"],
  ]);
  const { metadata, accesses, exitCode } = await shop.record([program, folder], { only: [shop.folder] });
  expect(exitCode).toBe(0);
  const absolute = (path: string) => (path.startsWith("/") ? path : join(folder, path));
  const expected = plain.stdout
    .trim()
    .split("\n")
    .map((line) => line.split(" ") as [string, string, string?]);
  const told = metadata.map(({ operation, path, flags }) => [
    `${operation}${(flags & CALL_ERROR) === 0 ? "" : "!"}`,
    path.replace("(names not found)", join(folder, "missing")),
  ]);
  expect(told).toEqual(
    expected.filter(([call]) => call !== "read").map(([call, path]) => [call, absolute(path)]),
  );
  expect(accesses.map(({ path, moved }) => [path, moved])).toEqual(
    expected.filter(([call]) => call === "read").map(([, path, bytes]) => [absolute(path), Number(bytes)]),
  );
  // The time of a walk is that of the C library, without the program's own on the way.
  expect(metadata.every(({ seconds }) => seconds >= 0 && seconds < 10)).toBe(true);
});
