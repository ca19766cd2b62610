/** Offsets of calls that move a position: what the kernel says, or nothing. */
import { spawnSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { basename } from "node:path";
import { afterAll, expect, it } from "vitest";
import { type Access, straceBytes, Workshop, WRITE_FLAG, writtenAndRead } from "./kit.ts";

const shop = new Workshop();
afterAll(() => shop.remove());
const program = shop.build("offsets");

function newFolder(name: string): string {
  mkdirSync(shop.path(name));
  return shop.path(name);
}
const lineOf = ({ path, flags, offset, moved }: Access) =>
  `${basename(path)} ${flags & WRITE_FLAG ? "w" : "r"} ${offset} ${moved}`;

it("are those of lseek in every way to move a position", async () => {
  const { stdout, status } = spawnSync(program, [newFolder("plain")], { encoding: "utf8" });
  expect(status).toBe(0);
  const place = newFolder("recorded");
  const { accesses, exitCode } = await shop.record([program, place]);
  expect(exitCode).toBe(0);
  const own = accesses.filter(({ path }) => path.startsWith(place));
  // What lies behind the ends of files is read too; such reads have an offset and move nothing.
  const told = stdout.trim().split("\n");
  const single = told.filter((line) => !line.startsWith("after-threads"));
  const found = own.filter(({ path }) => basename(path) !== "threads").map(lineOf);
  expect([...found].sort()).toEqual([...single].sort());

  // The same bytes of each file as strace sees.
  const traced = newFolder("traced");
  const { bytes, calls } = straceBytes(shop, [program, traced], traced);
  expect(writtenAndRead(own, place)).toEqual(bytes);
  // Its text does not say offsets; those that follow from opens, seeks and copies of descriptors are the same.
  const followed = calls
    .filter(({ path, offset }) => path.startsWith(traced) && !Number.isNaN(offset))
    .filter(({ path }) => basename(path) !== "threads")
    .map(lineOf);
  expect(followed.filter((line) => !single.includes(line))).toEqual([]);
  // Where a write for appending goes, strace does not say.
  const sayable = single.filter((line) => !/^(diary|append) /.test(line));
  expect(followed.length).toBeGreaterThan(0.8 * sayable.length);

  // Of four threads at once an offset may be unknown, but none is wrong: those known do not overlap.
  const written = own.filter(({ path, flags }) => basename(path) === "threads" && flags & WRITE_FLAG);
  expect(written).toHaveLength(8001);
  const last = written.find(({ moved }) => moved === 100);
  expect(`after-threads w ${last?.offset} 100`).toBe(told.at(-1));
  const known = written.filter(({ offset }) => !Number.isNaN(offset)).sort((a, b) => a.offset - b.offset);
  let end = 0;
  for (const { offset, moved } of known) {
    expect(offset).toBeGreaterThanOrEqual(end);
    end = offset + moved;
  }
  expect(end).toBeLessThanOrEqual(4 * 2000 * 25.5 + 100);
});

it("of a file that several processes write at once are right or unknown", async () => {
  const place = newFolder("together");
  const script =
    'for i in 1 22 333 4444; do (for j in 1 2 3 4 5 6 7 8 9; do printf "%s\\n" $i; done) & done; wait';
  const { accesses } = await shop.record(["sh", "-c", `{ ${script}; } > all`], { cwd: place });
  const writes = accesses.filter(({ path, flags }) => path === `${place}/all` && flags & WRITE_FLAG);
  expect(writes).toHaveLength(36);
  const known = writes.filter(({ offset }) => !Number.isNaN(offset)).sort((a, b) => a.offset - b.offset);
  for (let i = 1; i < known.length; i++) {
    const [before, after] = [known[i - 1] as Access, known[i] as Access];
    expect(after.offset).toBeGreaterThanOrEqual(before.offset + before.moved);
  }
});
