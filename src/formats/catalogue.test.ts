import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { FormatError, UsageError } from "../base/errors.ts";
import { bytesSource } from "../base/source.ts";
import { CATALOGUE, detectFormat, findFormat, formatNamed, formatsWith } from "./catalogue.ts";
import type { Capability } from "./input-format.ts";

const folder = new URL("../../test/fixtures/accesses/", import.meta.url);
/** Of fixtures that are not named by the id of their format. */
const KINDS: Readonly<Record<string, string>> = { log: "fio", 24907: "strace" };

describe("formats of accesses", () => {
  it.each(readdirSync(folder).filter((name) => !/\.(md|c)$/.test(name)))(
    "%s is known by its content",
    (name) => {
      const head = readFileSync(new URL(name, folder)).subarray(0, 4096);
      const extension = name.split(".").at(-1) as string;
      const expected = KINDS[extension] ?? extension;
      expect(findFormat(head, name, "calls")?.id).toBe(expected);
      expect(findFormat(head, "-", "calls")?.id).toBe(expected);
      for (const format of formatsWith("calls"))
        if (format.id !== expected && format.id !== "csv")
          expect(format.recognizes(head, "-"), format.id).toBe(false);
    },
  );

  it("tell a table from a log of fio", () => {
    const find = (text: string) => findFormat(new TextEncoder().encode(text), "stdin", "calls")?.id;
    expect(find("1, 512, 0, 4\n")).toBe("csv");
    expect(find("1,4096,0,4096\n")).toBe("csv");
    expect(find("0, 20240, 0, 4096, 0\n1, 1642, 1, 4096, 0\n")).toBe("fio");
    expect(find("0, 20240, 0, 4096, 0\n1, 1642, 9, 4096, 0\n")).toBe("csv");
    expect(find("end;start;size\n")).toBe("csv");
    expect(find("# a comment\n1 512 0.5 0.75\n")).toBe("csv");
  });

  it("do not take text of other kinds for theirs", () => {
    for (const text of [
      "",
      "hello\n",
      '#include <stdio.h>\nint main(void) {\n  printf("x");\n}\n',
      '{"pid": 1}\n',
      "a,b,c\n1,2,3\n",
      "1,2,3\n",
      "\0\0\0\0",
      readFileSync(new URL("README.md", folder), "utf8"),
      readFileSync(new URL("sample.c", folder), "utf8"),
      readFileSync(new URL("catalogue.test.ts", import.meta.url), "utf8"),
    ])
      expect(
        findFormat(new TextEncoder().encode(text).subarray(0, 4096), "x", "calls"),
        text.slice(0, 20),
      ).toBeUndefined();
  });

  it("are listed when an input is none of them", () => {
    const detect = (text: string) => () =>
      detectFormat(bytesSource(new TextEncoder().encode(text), "thing"), "calls");
    expect(detect("hello")).toThrow(FormatError);
    expect(detect("hello")).toThrow(
      /^thing: unknown format \(known: .*darshan.*parquet.*strace.*fio.*csv\)$/,
    );
    expect(detect("pid,bytes,start,duration\n1,8,0,0.5\n")).toThrow(
      /^thing: CSV has no column end; needs pid, bytes, start, end$/,
    );
    expect(detect("name,start\n1,8\n")).toThrow(/unknown format/);
    expect(detect("")).toThrow(/^thing: the input is empty$/);
    expect(formatNamed("fio", "calls").id).toBe("fio");
    expect(() => formatNamed("fi", "calls")).toThrow(UsageError);
    expect(() => formatNamed("fi", "calls")).toThrow(
      /unknown format: fi \(known: .*darshan.*strace, fio, csv\)/,
    );
  });

  it("have ids of their own", () => {
    expect(new Set(CATALOGUE.map(({ id }) => id)).size).toBe(CATALOGUE.length);
  });

  it("say which command takes an input that cannot give what is wanted", () => {
    const detect =
      (text: string, ...wanted: Capability[]) =>
      () =>
        detectFormat(bytesSource(new TextEncoder().encode(text), "thing"), ...wanted);
    expect(detect("JobIDRaw|User|Start|End\n1|ada|0|1\n", "calls")).toThrow(
      "thing: this is a Slurm job list (sacct); use plimsoll ingest",
    );
    expect(detect("pid,bytes,start,end\n1,2,3,4\n", "rows", "series")).toThrow(
      "thing: this is a CSV table of accesses; use plimsoll report, findings, diff, bps or export",
    );
  });
});
