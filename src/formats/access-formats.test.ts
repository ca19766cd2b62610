import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { FormatError, UsageError } from "../base/errors.ts";
import { bytesSource } from "../base/source.ts";
import { ACCESS_FORMATS, accessFormat, detectAccessFormat, findAccessFormat } from "./access-formats.ts";

const folder = new URL("../../test/fixtures/accesses/", import.meta.url);
const KINDS: Readonly<Record<string, string>> = {
  strace: "strace",
  log: "fio",
  csv: "csv",
  darshan: "darshan",
  24907: "strace",
};

describe("formats of accesses", () => {
  it.each(readdirSync(folder).filter((name) => !/\.(md|c)$/.test(name)))(
    "%s is known by its content",
    (name) => {
      const head = readFileSync(new URL(name, folder)).subarray(0, 4096);
      const expected = KINDS[name.split(".").at(-1) as string];
      expect(expected).toBeDefined();
      expect(findAccessFormat(head, name)?.id).toBe(expected);
      expect(findAccessFormat(head, "-")?.id).toBe(expected);
      for (const format of ACCESS_FORMATS)
        if (format.id !== expected && format.id !== "csv")
          expect(format.recognizes(head, "-"), format.id).toBe(false);
    },
  );

  it("tell a table from a log of fio", () => {
    const find = (text: string) => findAccessFormat(new TextEncoder().encode(text), "stdin")?.id;
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
      readFileSync(new URL("access-formats.test.ts", import.meta.url), "utf8"),
    ])
      expect(
        findAccessFormat(new TextEncoder().encode(text).subarray(0, 4096), "x"),
        text.slice(0, 20),
      ).toBeUndefined();
  });

  it("are listed when an input is none of them", () => {
    const detect = (text: string) => () =>
      detectAccessFormat(bytesSource(new TextEncoder().encode(text), "thing"));
    expect(detect("hello")).toThrow(FormatError);
    expect(detect("hello")).toThrow(/^thing: unknown trace format \(have: .*Darshan log.*strace.*fio.*CSV/);
    expect(detect("")).toThrow(/^thing: the input is empty/);
    expect(accessFormat("fio").id).toBe("fio");
    expect(() => accessFormat("fi")).toThrow(UsageError);
    expect(() => accessFormat("fi")).toThrow(
      /unknown format of accesses: fi \(have: .*darshan.*strace, fio, csv\)/,
    );
  });

  it("have ids of their own", () => {
    expect(new Set(ACCESS_FORMATS.map(({ id }) => id)).size).toBe(ACCESS_FORMATS.length);
  });
});
