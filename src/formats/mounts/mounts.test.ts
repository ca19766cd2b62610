import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { FormatError } from "../../base/errors.ts";
import { bytesSource } from "../../base/source.ts";
import { CATALOGUE, detectFormat } from "../catalogue.ts";
import { MMPMON_FILE, MOUNTSTATS_FILE, mountGrowth, readMounts, sharedMounts } from "./index.ts";

const fixture = (name: string) =>
  readFileSync(new URL(`../../../test/fixtures/mounts/${name}`, import.meta.url), "utf8");
const bytes = (text: string) => new TextEncoder().encode(text);
const side = (mountstats: string, mmpmon = "") =>
  readMounts([
    { path: MOUNTSTATS_FILE, bytes: bytes(mountstats) },
    { path: MMPMON_FILE, bytes: bytes(mmpmon) },
  ]);
const [before, after] = ["before", "after"].map((when) =>
  side(fixture(`${when}.mountstats`), fixture(`${when}.mmpmon`)),
) as [ReturnType<typeof side>, ReturnType<typeof side>];
const grown = mountGrowth(before.mounts, after.mounts);
const of = (fileSystem: string) => grown.filter((one) => one.fileSystem === fileSystem);

describe("mountstats of the kernel", () => {
  it("gives what programs and requests of NFS 4 did, once for a mount and its bind mount", () => {
    expect(of("filer1:/export/home/ada")).toEqual([]);
    const [home] = of("filer1:/export/home");
    expect(home).toMatchObject({ kind: "nfs", mount: "/home", fate: "whole" });
    expect(Object.fromEntries(home?.counts ?? [])).toEqual({
      ...{ bytes_read: 52_428_800n, bytes_written: 10_485_760n + 4096n, opens: 40n, closes: 41n },
      ...{ server_bytes_read: 20_971_520n, server_bytes_written: 10_485_760n + 4096n },
      ...{ reads: 20n, writes: 10n, metadata_calls: 1060n, read_usecs: 310_000n, write_usecs: 210_000n },
      ...{ retransmits: 3n, timeouts: 1n, queue_usecs: 13_000n, round_trip_usecs: 930_000n },
    });
  });

  it("reads NFS 3 with eight numbers a request, and names with spaces", () => {
    const [software] = of("filer2:/soft ware");
    expect(software?.mount).toBe("/opt/soft ware");
    expect(software?.counts.get("bytes_read")).toBe(1000n);
    expect(software?.counts.get("metadata_calls")).toBe(5n);
    expect(software?.counts.get("writes")).toBeUndefined();
  });

  it("says where Lustre and Storage Scale are mounted", () => {
    expect(after.lustre).toEqual(new Map([["lustre1", "/lustre"]]));
    expect(of("scale1")[0]?.mount).toBe("/gpfs/scale1");
    const twice = "device 10.1.0.5@o2ib:/lustre1 mounted on /b with fstype lustre\n";
    expect(side(fixture("after.mountstats") + twice).lustre.get("lustre1")).toBeNull();
  });

  it("keeps nothing of other mounts, and of what is kept reads the same", () => {
    const kept = sharedMounts(fixture("after.mountstats"));
    expect(kept).not.toMatch(/proc|ext4|rootfs/);
    expect(side(kept)).toEqual(side(fixture("after.mountstats")));
    expect(sharedMounts("device proc mounted on /proc with fstype proc\n")).toBe("");
  });

  it("names the line that it cannot read", () => {
    const broken = fixture("after.mountstats").replace(/READ: \d+/, "READ: -7");
    expect(() => side(broken)).toThrow(FormatError);
    expect(() => side(broken)).toThrow(/mountstats.*line \d+.*READ: expected 8 or 9 numbers, found: -7/);
    expect(() => side("age: 7\n")).toThrow(/line 1.*expected "device/);
    expect(() => side(fixture("after.mountstats").replace(/bytes:\t\d+/, "bytes:\tx"))).toThrow(
      /bytes: expected/,
    );
  });
});

describe("mmpmon -p of Storage Scale", () => {
  it("gives the growth of counters, and all of those that began again", () => {
    expect(Object.fromEntries(of("scale1")[0]?.counts ?? [])).toEqual({
      ...{ bytes_read: 1_073_741_824n, bytes_written: 2_147_483_648n, reads: 1024n, writes: 512n },
      ...{ opens: 4n, closes: 5n, metadata_calls: 12n, inode_updates: 6n },
    });
    expect(of("scale2")[0]).toMatchObject({ fate: "cleared" });
    expect(of("scale2")[0]?.counts.get("bytes_read")).toBe(0n);
  });

  it("leaves out what answers with an error, and names a counter that is missing", () => {
    expect(side("", "_fs_io_s_ _n_ 10.1.0.7 _nn_ n7 _rc_ 1 _t_ 1 _tu_ 2 _cl_ - _fs_ -\n").mounts).toEqual([]);
    const cut = fixture("after.mmpmon").replace(/ _wc_ \d+/, "");
    expect(() => side("", cut)).toThrow(/mmpmon.*line 1.*_wc_: expected a number, found nothing/);
  });
});

it("a mount that came, went or was made again in between is not compared with another", () => {
  const later = before.mounts.map((one) => ({ ...one, ageSeconds: 3n }));
  expect(mountGrowth(before.mounts, later).map(({ fate }) => fate)).toContain("remounted");
  expect(mountGrowth([], after.mounts).every(({ fate }) => fate === "remounted")).toBe(true);
  expect(mountGrowth(before.mounts, []).map(({ fate, counts }) => [fate, counts.size])).toEqual(
    before.mounts.map(() => ["unmounted", 0]),
  );
});

it.each([
  ["after.mountstats", "nfs-mountstats", "this is a dump of /proc/self/mountstats"],
  ["after.mmpmon", "mmpmon", "this is a dump of mmpmon -p"],
])("%s is known by its content, and a command that cannot use it says who can", (name, id, text) => {
  const head = bytes(fixture(name));
  expect(CATALOGUE.filter((format) => format.recognizes(head, "-")).map((format) => format.id)).toEqual([id]);
  expect(() => detectFormat(bytesSource(head, name), "rows", "series")).toThrow(
    new RegExp(`${text}; use plimsoll collect client, which .* after a job$`),
  );
});
