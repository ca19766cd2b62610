import { describe, expect, it } from "vitest";
import { FormatError } from "../../base/errors.ts";
import type { Header } from "./header.ts";
import { decode, Job, upToNul } from "./job.ts";

const header = (minor: number, bigEndian = false): Header => ({
  version: `3.${String(minor).padStart(2, "0")}`,
  minor,
  bigEndian,
  compression: "zlib",
  byteLength: minor >= 41 ? 1328 : 360,
  job: { offset: minor >= 41 ? 1328 : 360, length: 100 },
  names: { offset: 0, length: 0 },
  modules: [],
});

interface Plan {
  readonly minor?: number;
  readonly bigEndian?: boolean;
  readonly words?: readonly bigint[];
  readonly metadata?: string | Uint8Array;
  readonly text?: string | Uint8Array;
}

const toBytes = (text: string | Uint8Array) =>
  typeof text === "string" ? new TextEncoder().encode(text) : text;

/** Plain bytes of a job region, field by field. */
function plainJob(plan: Plan): Uint8Array {
  const minor = plan.minor ?? 41;
  const count = minor >= 41 ? 7 : 5;
  const text = toBytes(plan.text ?? "");
  const bytes = new Uint8Array(8 * count + 1024 + text.length + 1);
  const view = new DataView(bytes.buffer);
  const words = plan.words ?? Array.from({ length: count }, (_, i) => BigInt(i + 1));
  words.forEach((word, index) => {
    view.setBigInt64(8 * index, word, !(plan.bigEndian ?? false));
  });
  bytes.set(toBytes(plan.metadata ?? ""), 8 * count);
  bytes.set(text, 8 * count + 1024);
  return bytes;
}

const job = (plan: Plan): Job => new Job(plainJob(plan), header(plan.minor ?? 41, plan.bigEndian), "log");

describe.each([false, true])("the job record, big endian %s", (bigEndian) => {
  it("of format 3.41 has seven words, with nanoseconds", () => {
    const words = [
      -1n,
      1_700_000_000n,
      250_000_000n,
      1_700_000_002n,
      750_000_000n,
      2n ** 40n,
      2n ** 63n - 1n,
    ];
    const found = job({ bigEndian, words });
    expect([
      found.uid,
      found.startSeconds,
      found.startNanoseconds,
      found.endSeconds,
      found.endNanoseconds,
      found.nprocs,
      found.jobId,
    ]).toEqual(words);
    expect(found.runTimeSeconds).toBe(2.5);
  });

  it.each([0, 10, 20, 21])("of format minor %i has five words and lasts at least a second", (minor) => {
    const found = job({ minor, bigEndian, words: [1000n, 1_500_000_000n, 1_500_000_000n, 64n, 77n] });
    expect(found).toMatchObject({
      uid: 1000n,
      startSeconds: 1_500_000_000n,
      startNanoseconds: 0n,
      endSeconds: 1_500_000_000n,
      endNanoseconds: 0n,
      nprocs: 64n,
      jobId: 77n,
    });
    expect(found.runTimeSeconds).toBe(1);
    expect(
      job({ minor, bigEndian, words: [1n, 1_500_000_000n, 1_500_000_009n, 1n, 1n] }).runTimeSeconds,
    ).toBe(10);
  });
});

describe("a job region that is too short", () => {
  it.each([
    [41, 1080],
    [21, 1064],
    [0, 1064],
  ])("of format minor %i is an error below %i bytes", (minor, needed) => {
    const plain = plainJob({ minor });
    for (const length of [0, 8, needed - 1]) {
      try {
        new Job(plain.subarray(0, length), header(minor), "log");
        throw new Error("taken");
      } catch (error) {
        expect(error).toBeInstanceOf(FormatError);
        expect((error as FormatError).offset).toBe(minor >= 41 ? 1328 : 360);
        expect((error as FormatError).detail).toBe(
          `the job region holds ${length} plain bytes, the job record needs ${needed}`,
        );
      }
    }
    // Without any text it is whole.
    expect(new Job(plain.subarray(0, needed), header(minor), "log").commandLine).toBe("");
  });
});

describe("metadata", () => {
  it("is split at the first = of each line", () => {
    expect(
      job({ metadata: "lib_ver=3.5.0\nh=romio_no_indep_rw=true;cb_nodes=4\nempty=\n=odd\n" }).metadata,
    ).toEqual([
      ["lib_ver", "3.5.0"],
      ["h", "romio_no_indep_rw=true;cb_nodes=4"],
      ["empty", ""],
      ["", "odd"],
    ]);
  });

  it("keeps a note without = and passes over empty lines", () => {
    expect(job({ metadata: "a note\n\nk=v" }).metadata).toEqual([
      ["a note", ""],
      ["k", "v"],
    ]);
    expect(job({}).metadata).toEqual([]);
  });

  it("ends at its NUL, and at its field when it has none", () => {
    expect(job({ metadata: "a=b\0c=d" }).metadata).toEqual([["a", "b"]]);
    const full = new Uint8Array(1024).fill(0x78);
    expect(job({ metadata: full, text: "/bin/app" }).metadataBytes).toEqual(full);
    expect(job({ metadata: full, text: "/bin/app" }).commandLine).toBe("/bin/app");
  });
});

describe("the text", () => {
  it("begins with the command line, blanks and all", () => {
    expect(job({ text: "/bin/app  --x=1 \nxfs\t/" }).commandLine).toBe("/bin/app  --x=1 ");
    expect(job({ text: "/bin/app" }).commandLine).toBe("/bin/app");
    expect(job({ text: "\nxfs\t/" }).commandLine).toBe("");
  });

  it("ends at its NUL", () => {
    const found = job({ text: "/bin/app\nxfs\t/a\0\next4\t/b" });
    expect(found.mounts.map(({ path }) => path)).toEqual(["/a"]);
  });

  it("gives the mounts with the longest first, and equal ones in the order of the file", () => {
    const text = "x\nxfs\t/\nlustre\t/scratch/big\nnfs\t/home\ntmpfs\t/data\next4\t/scratch";
    expect(job({ text }).mounts.map(({ type, path }) => `${type} ${path}`)).toEqual([
      "lustre /scratch/big",
      "ext4 /scratch",
      "nfs /home",
      "tmpfs /data",
      "xfs /",
    ]);
  });

  it("keeps escapes and bytes that are not text as they are", () => {
    const found = job({ text: Uint8Array.of(0x78, 10, 0x61, 9, 0x2f, 0xff, 0x5c, 0x30, 0x34, 0x30) });
    const [mount] = found.mounts;
    expect(mount?.pathBytes).toEqual(Uint8Array.of(0x2f, 0xff, 0x5c, 0x30, 0x34, 0x30));
    expect(mount?.path).toBe("/\ufffd\\040");
    expect(job({ text: "x\nxfs\t/my\\040disk" }).mounts[0]?.path).toBe("/my\\040disk");
  });

  it("passes over lines without a tab; only the first tab divides", () => {
    expect(
      job({ text: "x\nnonsense\n\nxfs\t/a\tb\nnfs\t" }).mounts.map(({ type, path }) => [type, path]),
    ).toEqual([
      ["xfs", "/a\tb"],
      ["nfs", ""],
    ]);
  });

  it("finds the mount of a path: the longest that is a plain prefix, no matter where a name ends", () => {
    const found = job({ text: "x\nxfs\t/\nlustre\t/scratch\nlustre\t/scratch/big" });
    const mountOf = (path: string) => found.mountOf(toBytes(path))?.path;
    expect(mountOf("/scratch/big/file")).toBe("/scratch/big");
    expect(mountOf("/scratch/bigger")).toBe("/scratch/big");
    expect(mountOf("/scratch2/file")).toBe("/scratch");
    expect(mountOf("/scratch")).toBe("/scratch");
    expect(mountOf("/scratc")).toBe("/");
    expect(mountOf("<STDOUT>")).toBeUndefined();
    expect(mountOf("")).toBeUndefined();
  });
});

describe("bytes as text", () => {
  it("stop at the first NUL", () => {
    expect(upToNul(Uint8Array.of(1, 2, 0, 3, 0))).toEqual(Uint8Array.of(1, 2));
    expect(upToNul(Uint8Array.of(1, 2))).toEqual(Uint8Array.of(1, 2));
    expect(upToNul(Uint8Array.of(0))).toEqual(new Uint8Array(0));
  });

  it("keep a byte order mark", () => {
    expect(decode(Uint8Array.of(0xef, 0xbb, 0xbf, 0x61))).toBe("\ufeffa");
  });
});
