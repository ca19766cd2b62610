import { describe, expect, it } from "vitest";
import type { JobFile } from "./job.ts";
import { ostLoads } from "./osts.ts";
import type { LayerRecord } from "./records.ts";
import { OstSums } from "./traced-osts.ts";

/** Numbers that are not given were not recorded. */
const record = (values: Partial<LayerRecord>): LayerRecord =>
  new Proxy(values, {
    get: (target, key) => (key in target ? target[key as keyof LayerRecord] : Number.NaN),
  }) as LayerRecord;

function file(values: Partial<JobFile>, layers: Readonly<Record<string, Partial<LayerRecord>>>): JobFile {
  return {
    bytesRead: Number.NaN,
    bytesWritten: Number.NaN,
    stripeBytes: 100,
    osts: [],
    layers: new Map(Object.entries(layers).map(([layer, one]) => [layer, record({ layer, ...one })])),
    ...values,
  } as JobFile;
}

describe("load of OSTs from files", () => {
  it("is spread evenly over the stripes that a file reached", () => {
    const files = [
      // 250 bytes: three stripes of 100, so the fourth OST has the file but nothing of it.
      file(
        { osts: [5, 2, 7, 9], bytesWritten: 300, bytesRead: 30 },
        {
          POSIX: {
            maxByteWritten: 249,
            writes: 6,
            reads: 3,
            writeSeconds: 1.5,
            readSeconds: 0.3,
            metaSeconds: 9,
          },
        },
      ),
      file({ osts: [2], bytesRead: 50 }, { STDIO: { reads: 4, readSeconds: 2 } }),
      file({ osts: [], bytesRead: 1e9 }, { POSIX: { reads: 1 } }),
    ];
    expect(ostLoads(files, new Map())).toEqual([
      { ost: 2, files: 2, bytesRead: 60, bytesWritten: 100, seconds: 2.6, calls: 7, source: "files" },
      { ost: 5, files: 1, bytesRead: 10, bytesWritten: 100, seconds: 0.6, calls: 3, source: "files" },
      { ost: 7, files: 1, bytesRead: 10, bytesWritten: 100, seconds: 0.6, calls: 3, source: "files" },
    ]);
  });

  it("names OSTs of a file that was opened only", () => {
    expect(ostLoads([file({ osts: [3, 4] }, { POSIX: { opens: 1 } })], new Map())).toEqual([
      { ost: 3, files: 1, bytesRead: 0, bytesWritten: 0, seconds: 0, calls: 0, source: "files" },
      { ost: 4, files: 1, bytesRead: 0, bytesWritten: 0, seconds: 0, calls: 0, source: "files" },
    ]);
    expect(ostLoads([], new Map())).toEqual([]);
  });

  it("comes from traces where they know it", () => {
    const sums = new OstSums();
    sums.add(true, 640, 0.5, 3);
    const files = [file({ osts: [1, 2], bytesWritten: 999 }, { POSIX: { maxByteWritten: 5000, writes: 9 } })];
    expect(ostLoads(files, new Map([[1, sums]]))).toEqual([
      { ost: 1, files: 1, bytesRead: 0, bytesWritten: 640, seconds: 0.5, calls: 3, source: "trace" },
      { ost: 2, files: 1, bytesRead: 0, bytesWritten: 0, seconds: 0, calls: 0, source: "trace" },
    ]);
  });
});
