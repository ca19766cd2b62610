import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { posix, stdio } from "../../../formats/darshan/modules/index.ts";
import type { Finding } from "../../../model/finding.ts";
import type { Job } from "../job.ts";
import { judge } from "../judge.ts";
import { countersJob } from "../rules/test-kit.ts";
import { singleJob } from "../test-kit.ts";
import { type Entry, snippetOf } from "./entry.ts";
import { SNIPPETS } from "./index.ts";
import { cString, fortranString, pythonString } from "./literals.ts";

const RULES = new URL("../rules/", import.meta.url);
const ENTRIES = Object.values(SNIPPETS) as unknown as readonly Entry<unknown>[];

describe("the table", () => {
  it("has each id once", () => {
    expect(new Set(ENTRIES.map(({ id }) => id)).size).toBe(ENTRIES.length);
  });

  it("has C for code, and nothing else than commands where it has none", () => {
    for (const { id, mpi, plain } of ENTRIES)
      for (const variants of [mpi, plain].filter((one) => one !== undefined))
        expect([id, variants.c !== undefined || variants.shell !== undefined]).toEqual([id, true]);
  });

  it("is where all snippets of rules come from", () => {
    for (const name of readdirSync(RULES).filter(
      (one) => /(?<!test|-kit)\.ts$/.test(one) && !one.includes(".test."),
    )) {
      const text = readFileSync(new URL(name, RULES), "utf8");
      expect([name, text.match(/\blanguage:/g), text.match(/\bcode:/g)]).toEqual([name, null, null]);
      // No second decision: a branch takes change, advice and code together.
      for (const [, value] of text.matchAll(/\bsnippet:\s*([^;]{0,60})/g))
        expect([name, value]).toEqual([name, expect.stringMatching(/^(snippetFor|setStripe|hints)\(/)]);
    }
  });
});

describe("a snippet", () => {
  const NO_MOUNTS = new Set<string>();
  const program = { language: "c", mpi: true, torch: false } as const;

  it("is in the language of the program, in C where the entry has none", () => {
    const of = (language: "c" | "fortran" | "python") =>
      snippetOf({ ...program, language }, SNIPPETS.collectiveCall, { way: "read" }, NO_MOUNTS).language;
    expect([of("c"), of("fortran"), of("python")]).toEqual(["c", "fortran", "python"]);
    const pnetcdf = snippetOf(
      { ...program, language: "python" },
      SNIPPETS.pnetcdfNonblocking,
      undefined,
      NO_MOUNTS,
    );
    expect(pnetcdf.language).toBe("c");
  });

  it("is a command for every language where there is nothing but commands", () => {
    const snippet = snippetOf(
      { ...program, language: "python" },
      SNIPPETS.anyOst,
      { path: "/scratch/a/b", way: "write" },
      NO_MOUNTS,
    );
    expect(snippet.language).toBe("shell");
  });

  it("has no MPI for a program without it", () => {
    const alone = { ...program, mpi: false };
    for (const { id, plain } of ENTRIES)
      if (plain === undefined)
        expect(id).toMatch(/^(mpi|collective|own-part|open-together|host|hdf5|pnetcdf)/);
    expect(snippetOf(alone, SNIPPETS.statOnce, undefined, NO_MOUNTS).code).not.toContain("MPI");
    expect(snippetOf(program, SNIPPETS.statOnce, undefined, NO_MOUNTS).code).toContain("MPI_Bcast");
  });

  it("begins with a remark where a placeholder stands", () => {
    const { code } = snippetOf(program, SNIPPETS.oneStripe, { path: "(record 7)" }, NO_MOUNTS);
    expect(code).toMatch(/^# DIR: fill in the directory; .*\nlfs setstripe -c 1 DIR\n/);
  });

  it("gives a tiny file no buffer of megabytes", () => {
    for (const way of ["read", "write"] as const) {
      const of = (fileBytes: number) =>
        snippetOf(program, SNIPPETS.streamBuffer, { way, fileBytes }, NO_MOUNTS).code;
      expect(of(800)).not.toContain("setvbuf");
      expect(of(100_000)).toContain("131072");
      expect(of(5e9)).toContain("4194304");
    }
  });

  it("quotes names for its language", () => {
    expect(cString('a"\\b?\n1')).toBe('"a\\"\\\\b\\?\\0121"');
    expect(cString("\u202e")).toBe('"\\342\\200\\256"');
    expect(pythonString('a"\n\u202e')).toBe('"a\\"\\n\\U0000202e"');
    expect(fortranString("it's")).toBe("'it''s'");
    expect(fortranString("a\nb")).toBe("'FILE'");
  });
});

const WRITES = /fwrite|pwrite|\bwrite\(|_write|iwrite|H5Dwrite|H5Fcreate|setstripe|O_WRONLY|"w/;

/** Findings with a snippet. */
const snippets = (job: Job) => judge(job).findings.flatMap((one) => (one.snippet === undefined ? [] : [one]));
const codes = (findings: readonly Finding[]) => findings.map(({ id, snippet }) => `${id}: ${snippet?.code}`);

describe("findings", () => {
  const reads = countersJob(1, [
    {
      module: posix,
      path: "/scratch/alice/input",
      rank: 0,
      values: {
        ...{
          OPENS: 2000,
          READS: 400_000,
          BYTES_READ: 400_000 * 512,
          MAX_BYTE_READ: 1 << 20,
          SIZE_READ_100_1K: 400_000,
        },
        ...{
          STATS: 20_000,
          SEEKS: 800_000,
          F_READ_TIME: 60,
          F_META_TIME: 20,
          MEM_NOT_ALIGNED: 300_000,
          MEM_ALIGNMENT: 8,
        },
        ...{ ACCESS1_ACCESS: 512, ACCESS1_COUNT: 400_000 },
      },
    },
    {
      module: stdio,
      path: "/scratch/alice/settings",
      rank: 0,
      values: { OPENS: 1, READS: 50_000, BYTES_READ: 50_000 * 8, MAX_BYTE_READ: 799, F_READ_TIME: 5 },
    },
  ]);

  it("on a single process that only reads have neither MPI nor writes", () => {
    const found = snippets(reads);
    expect(found.length).toBeGreaterThan(3);
    for (const code of codes(found)) {
      expect(code).not.toMatch(/MPI/);
      expect(code).not.toMatch(WRITES);
      expect(code).not.toContain("setvbuf");
    }
  });

  it("on a Python program are Python or commands", () => {
    const job = {
      ...reads,
      kept: new Map(),
      runs: reads.runs.map((run) => ({ ...run, commandLine: "python3 x.py" })),
    };
    const languages = new Set(snippets(job).map(({ snippet }) => snippet?.language));
    expect([...languages].filter((name) => name !== "python" && name !== "shell")).toEqual([]);
    expect(languages).toContain("python");
  });

  it("never give a command a name that the log hides", () => {
    const job = singleJob("stripe-one");
    const hidden = (path: string) => path.replace(/.*/s, "(record 9301541831694517)");
    // Files are views whose values are getters.
    const files = job.files.map((file) => Object.create(file, { path: { value: hidden(file.path) } }));
    const found = snippets({ ...job, kept: new Map(), files }).filter(
      ({ snippet }) => snippet?.language === "shell",
    );
    expect(found.map(({ id }) => id)).toContain("stripe-one");
    for (const code of codes(found)) {
      expect(code).not.toContain("(record");
      expect(code).toContain("DIR");
    }
  });
});
