import { readFileSync } from "node:fs";
import { basename } from "node:path";
import { describe, expect, it } from "vitest";
import { describeWithPublicData, publicLogs, publicLogTable } from "../../../test/reference-data.ts";
import { bytesSource } from "../../base/source.ts";
import { nodeCodecs } from "../../node/codecs.ts";
import { DarshanLog } from "./log.ts";
import { recordId } from "./record-id.ts";

describe("record ids", () => {
  it.each([
    ["", 10211412111675192767n],
    ["a", 2110215103713784748n],
    ["<STDIN>", 14734109647742566553n],
    ["<STDOUT>", 15920181672442173319n],
    ["<STDERR>", 7238257241479193519n],
    ["/data/run/file.dat", 4795708285672254784n],
    ["heatmap:POSIX", 16592106915301738621n],
    ["darshan-apmpi-header", 7713204788897956166n],
    ["/scratch/project/run0001/output/checkpoint.h5", 15371406523145928742n],
  ])("of %j is the one in the description of the format", (name, id) => {
    expect(recordId(name)).toBe(id);
    expect(recordId(new TextEncoder().encode(name))).toBe(id);
  });

  it("of text is that of its UTF-8 bytes", () => {
    expect(recordId("/größe")).toBe(
      recordId(new Uint8Array([0x2f, 0x67, 0x72, 0xc3, 0xb6, 0xc3, 0x9f, 0x65])),
    );
  });

  it("changes with every byte and with the length, whatever the length", () => {
    // Lengths around the groups of 8 and 24 bytes that the hash takes.
    for (const length of [1, 7, 8, 9, 15, 16, 17, 22, 23, 24, 25, 47, 48, 49]) {
      const name = new Uint8Array(length).fill(0x61);
      const ids = new Set([recordId(name), recordId(new Uint8Array(length + 1).fill(0x61))]);
      ids.add(recordId(Uint8Array.of(...name, 0)));
      for (let i = 0; i < length; i++) {
        const other = name.slice();
        other[i] = 0xe1;
        ids.add(recordId(other));
      }
      expect(ids.size).toBe(length + 3);
    }
  });
});

describeWithPublicData("record ids of published logs", () => {
  const rows = publicLogTable().map((row) => ({ log: row.log ?? "", right: row.name_hash_ok ?? "" }));
  const paths = new Map(publicLogs.map(({ file, path }) => [file, path]));

  it("the list names logs that are here", () => {
    expect(rows.length).toBeGreaterThan(30);
    expect(rows.filter(({ log }) => !paths.has(basename(log))).map(({ log }) => log)).toEqual([]);
  });

  it.each(rows)("of $log match their names in $right cases", ({ log: name, right }) => {
    const path = paths.get(basename(name)) as string;
    const log = new DarshanLog(bytesSource(readFileSync(path), name), { codecs: nodeCodecs });
    let count = 0;
    let matching = 0;
    for (const { id, bytes } of log.names.entries()) {
      count++;
      if (recordId(bytes) === id) matching++;
    }
    expect(`${matching}/${count}`).toBe(right);
  });
});
