import { expect, it } from "vitest";
import { FileLeases } from "./file-leases.ts";
import { paperPolicy } from "./policies/paper.ts";

it("a lease leaves room for what a write needs beside its bytes", () => {
  const work = { writers: 2, targets: 1, sizes: 100 };
  const offsets = (overheadBytes?: number) => {
    const file = new FileLeases(0, 0, 0, paperPolicy.file(work, 0), overheadBytes);
    return [100, 30, 7].map((length, piece) => {
      const given = { piece, block: 0, at: 0, length, rank: 0 };
      return file.grant(given, 0, 0, 0, 0, Number.POSITIVE_INFINITY).offset;
    });
  };
  expect(offsets()).toEqual([0, 100, 130]);
  expect(offsets(4096)).toEqual([0, 4196, 8322]);
});
