import { expect, it } from "vitest";
import { jobFiles } from "./job-files.ts";
import type { LayerRecord } from "./records.ts";

const NUMBERS = {
  ...{ opens: 1, reads: 2, writes: 0, stats: 0, bytesRead: 10, bytesWritten: 0 },
  ...{ readSeconds: 1, writeSeconds: 0.5, metaSeconds: 0.25, slowestSeconds: 0.75 },
  ...{ stripeCount: Number.NaN, stripeBytes: Number.NaN },
};

const record = (fileId: string, layer: string, more: Partial<LayerRecord> = {}): LayerRecord =>
  ({
    fileId,
    layer,
    path: `/${fileId}`,
    mount: "/",
    fsType: "xfs",
    osts: [],
    ...NUMBERS,
    ...more,
  }) as LayerRecord;

it("a file of one layer is what it would be among files of several", () => {
  const one = record("1", "POSIX", { stripeCount: 4, stripeBytes: 65536, osts: [3] });
  const alone = jobFiles([one, record("2", "POSIX")]);
  const among = jobFiles([one, record("2", "POSIX"), record("2", "STDIO")]);
  for (const { files, file } of [alone, among]) {
    expect(files.map(({ fileId }) => fileId)).toEqual(["1", "2"]);
    expect(file("1")).toBe(files[0]);
    expect(file("3")).toBeUndefined();
    const [first] = files;
    expect(first).toMatchObject({ fileId: "1", path: "/1", mount: "/", fsType: "xfs", called: one });
    expect([first?.bytesRead, first?.bytesWritten]).toEqual([10, 0]);
    expect([first?.seconds, first?.slowestSeconds]).toEqual([1.75, 0.75]);
    expect([first?.stripeCount, first?.stripeBytes, first?.osts]).toEqual([4, 65536, [3]]);
    expect([...(first?.layers ?? [])]).toEqual([["POSIX", one]]);
  }
  expect(among.files[1]?.seconds).toBe(3.5);
  // No layout is no stripes.
  expect(
    jobFiles([record("1", "POSIX", { stripeCount: 0, stripeBytes: 0 })]).files[0]?.stripeBytes,
  ).toBeNaN();
});

it("the layers of a file of one layer are a map with that entry", () => {
  const one = record("1", "STDIO");
  const layers = jobFiles([one]).files[0]?.layers as ReadonlyMap<string, LayerRecord>;
  expect(layers.size).toBe(1);
  expect([layers.get("STDIO"), layers.get("POSIX")]).toEqual([one, undefined]);
  expect([layers.has("STDIO"), layers.has("POSIX")]).toEqual([true, false]);
  expect([[...layers.keys()], [...layers.values()], [...layers.entries()]]).toEqual([
    ["STDIO"],
    [one],
    [["STDIO", one]],
  ]);
  const seen: [string, LayerRecord][] = [];
  layers.forEach((value, key) => {
    seen.push([key, value]);
  });
  expect(seen).toEqual([["STDIO", one]]);
});

it("datasets and variables are no files", () => {
  const list = [record("9", "H5D", { parentId: "1" }), record("1", "H5F"), record("8", "PNETCDF_VAR")];
  expect(jobFiles(list).files.map(({ fileId }) => fileId)).toEqual(["1"]);
  expect(jobFiles([]).files).toEqual([]);
});
