/** Buffered streams: what they read and write is in the trace, however the program uses them. */
import { mkdirSync } from "node:fs";
import { afterAll, describe, expect, it } from "vitest";
import { POSIX_LAYER, STDIO_LAYER } from "../../src/model/calls.ts";
import { unseenNotes } from "../../src/record/unseen.ts";
import { straceBytes, Workshop, writtenAndRead } from "./kit.ts";

const shop = new Workshop();
afterAll(() => shop.remove());
let folders = 0;
const newFolder = () => {
  const folder = shop.path(`place-${++folders}`);
  mkdirSync(folder);
  return folder;
};

describe.each([
  ["plain", ["-O2"]],
  ["fortified", ["-O2", "-D_FORTIFY_SOURCE=2"]],
])("a %s program", (name, flags) => {
  const program = shop.build("streams", { flags, as: `streams-${name}` });

  it("has the bytes of every file that strace sees, in both directions, and the same calls", async () => {
    const [traced, recorded] = [newFolder(), newFolder()];
    const expected = straceBytes(shop, [program, traced], traced);
    expect(Object.keys(expected.bytes).length).toBeGreaterThan(10);
    const { exitCode, accesses, metadata, folder } = await shop.record([program, recorded]);
    expect(exitCode).toBe(0);
    // The file of tmpfile has a number for a name.
    expect(writtenAndRead(accesses, recorded)).toEqual(expected.bytes);
    expect(accesses.filter(({ path }) => path.startsWith(recorded))).toHaveLength(expected.accesses);
    expect(unseenNotes(folder)).toEqual([]);
    const layers = new Set(
      metadata.filter(({ path }) => path.startsWith(recorded)).map(({ layer }) => layer),
    );
    expect(layers).toEqual(new Set([STDIO_LAYER]));
    expect(layers).not.toContain(POSIX_LAYER);
  });

  it("is the same without metadata calls", async () => {
    const [traced, recorded] = [newFolder(), newFolder()];
    const expected = straceBytes(shop, [program, traced], traced);
    const { accesses, metadata } = await shop.record([program, recorded], { metadata: false });
    expect(writtenAndRead(accesses, recorded)).toEqual(expected.bytes);
    expect(metadata).toEqual([]);
  });
});
