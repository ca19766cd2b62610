import { spawnSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import fc from "fast-check";
import { commandLine, scriptWord, shellWord } from "./command-line.ts";

/** What bash takes a word for. */
function asBash(words: readonly string[]): string[] {
  const { stdout, stderr } = spawnSync("bash", ["-c", `printf '%s\\0' ${words.join(" ")}`], {
    encoding: "utf8",
  });
  expect(stderr).toBe("");
  return stdout.split("\0").slice(0, -1);
}

describe("a word of a command", () => {
  it.each([
    "/scratch/a b",
    "/scratch/it's",
    '/scratch/"x"',
    "/scratch/$(touch hacked)`id`$HOME;&|<>*?[a]{b,c}!!~#",
    "/scratch/new\nline\ttab\r",
    "/scratch/back\\slash\\n",
    "/scratch/\u202eleft",
    "/scratch/ümlaut 😀",
    "/scratch/a\\'\n'b",
  ])("is %j again in bash, on one line", (path) => {
    expect(shellWord(path)).not.toMatch(/[\n\r\u202e]/);
    expect(asBash([shellWord(path)])).toEqual([path]);
  });

  it("is the same text for any name", () => {
    const name = fc
      .string({ unit: "binary", minLength: 1, maxLength: 20 })
      .map((text) => text.replaceAll("\0", "?"));
    fc.assert(
      fc.property(fc.array(name, { minLength: 1, maxLength: 20 }), (names) => {
        const paths = names.map((one) => `/scratch/${one}`).filter((one) => !/\p{Cs}/u.test(one));
        expect(asBash(paths.map(shellWord))).toEqual(paths);
      }),
      { numRuns: 20 },
    );
  });

  it("that begins with a dash is no option", () => {
    expect(shellWord("-rf")).toBe("./-rf");
    expect(shellWord("--help me")).toBe("'./--help me'");
    expect(shellWord("-")).toBe("-");
  });

  it("has the bytes of a name that is not UTF-8", () => {
    expect(shellWord("a\udcff")).toBe("$'a\\377'");
  });
});

it("a command keeps its options, and quotes what a shell would read otherwise", () => {
  expect(commandLine(["a=b,c/d", "", undefined, "*", "-x", "=ls"])).toBe("a=b,c/d '' '*' -x '=ls'");
});

it("a script has line ends as they are, for shells that know no other way", () => {
  expect(scriptWord("a\nb'c")).toBe("'a\nb'\\''c'");
});
