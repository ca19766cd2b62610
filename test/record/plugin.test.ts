/** I/O that no wrapper sees, in plug-ins and in mapped files: the kernel's counters tell of it. */
import { spawnSync } from "node:child_process";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, it } from "vitest";
import { unseenNotes } from "../../src/record/unseen.ts";
import { Workshop } from "./kit.ts";

const plimsoll = join(dirname(dirname(dirname(fileURLToPath(import.meta.url)))), "bin", "plimsoll");
const shop = new Workshop();
afterAll(() => shop.remove());
const program = shop.build("plugin", { flags: ["-ldl"] });
const library = shop.build("plugin", { flags: ["-shared", "-fPIC", "-DPLUGIN"], as: "plugin.so" });
let runs = 0;

function record(...words: string[]) {
  const folder = shop.path(`trace-${++runs}`);
  const { status, stderr } = spawnSync(plimsoll, ["record", "-o", folder, "--", program, ...words], {
    cwd: shop.folder,
    encoding: "utf8",
  });
  return { status, stderr, notes: unseenNotes(folder) };
}

describe("a plug-in", () => {
  it.each([
    ["deep", "that binds to the C library first (RTLD_DEEPBIND)"],
    ["own", "with a C library of its own (dlmopen)"],
  ])("%s: %s runs as ever, and its bytes are told", (way) => {
    const { status, notes } = record(way, library, shop.path("written"));
    expect(status).toBe(0);
    expect(notes).toMatchObject([
      { id: "unseen-bytes", text: expect.stringMatching(/^Not recorded: 200 kB written, /) },
    ]);
  });
});

describe("a mapped file", () => {
  const isInMemory = spawnSync("stat", ["-f", "-c", "%T", shop.folder], { encoding: "utf8" }).stdout.trim();

  it("is told with its bytes, and with what devices moved beyond the calls", () => {
    const { status, stderr, notes } = record("mapped", shop.path("mapped"));
    expect(status).toBe(0);
    expect(stderr).toMatch(
      /8\.39 MB mapped into memory by 1 call: reads and writes there are not recorded\./,
    );
    // In memory no device has part in it.
    if (isInMemory === "tmpfs") return;
    expect(notes).toMatchObject([
      {
        id: "unseen-devices",
        text: expect.stringMatching(
          /^Devices moved more than the recorded calls \(\d+(\.\d+)? MB written\): mapped files/,
        ),
      },
    ]);
  });

  it("is told without what the trace itself takes of the device", () => {
    // 100,000 calls make a trace of over 3 MB, beside a mapping of which one page is written.
    const { status, notes } = record("mapped-little", shop.path("mapped-little"));
    expect([status, notes]).toEqual([0, []]);
  });
});
