import { expect, it } from "vitest";
import { FileLeases } from "./file-leases.ts";
import { staticPolicy } from "./policies/static.ts";

const work = { writers: 2, targets: 1, sizes: 100 };
const piece = (number: number, length: number) => ({ piece: number, block: 0, at: 0, length, rank: 0 });

function openFile(overheadBytes?: number): FileLeases {
  const file = new FileLeases(0, 0, 0, staticPolicy.file(work, 0), overheadBytes);
  file.state = "open";
  return file;
}

const grant = (file: FileLeases, number: number, length: number) =>
  file.grant(piece(number, length), 0, 0, 0, 0, Number.POSITIVE_INFINITY);

it("a lease leaves room for what a write needs beside its bytes", () => {
  const offsets = (overheadBytes?: number) => {
    const file = openFile(overheadBytes);
    return [100, 30, 7].map((length, number) => grant(file, number, length).offset);
  };
  expect(offsets()).toEqual([0, 100, 130]);
  expect(offsets(4096)).toEqual([0, 4196, 8322]);
});

it("a lease is for an open file, has bytes, and is used whole or not at all", () => {
  const file = openFile();
  expect(() => grant(file, 0, 0)).toThrow("a lease has bytes");
  expect(() => file.release(grant(file, 0, 100), 1, 40)).toThrow("used whole or not at all");
  file.state = "closed";
  expect(() => grant(file, 1, 1)).toThrow("a lease is for an open file");
});
