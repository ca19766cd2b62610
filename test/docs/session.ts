/**
 * Sessions of a tutorial: ```console blocks with commands after "$ " and the output that matters. "…" stands for any text in a line, and
 * alone for any lines. In a block marked `varies`, times, rates, shares and factors may be others, and columns as wide as these need.
 */
import { spawnSync } from "node:child_process";
import { expect } from "vitest";

interface Step {
  readonly line: number;
  readonly command: string;
  readonly expected: readonly string[];
  readonly varies: boolean;
}

export function stepsOf(markdown: string): Step[] {
  const steps: { line: number; command: string; expected: string[]; varies: boolean }[] = [];
  let block: "none" | "session" | "other" = "none";
  let varies = false;
  for (const [i, text] of markdown.split("\n").entries()) {
    if (text.startsWith("```")) {
      const opens: boolean = block === "none";
      block = opens ? (text.startsWith("```console") ? "session" : "other") : "none";
      varies = opens && text.endsWith(" varies");
    } else if (block === "session" && text.startsWith("$ "))
      steps.push({ line: i + 1, command: text.slice(2), expected: [], varies });
    else if (block === "session") steps.at(-1)?.expected.push(text);
  }
  return steps;
}

const MEASURED = /\d[\d.,]*(?= ?(?:s|ms|µs|us|[kMGT]?B\/s|%|×)(?![\w]))/g;

function linePattern(line: string, varies: boolean): RegExp {
  const parts = line.split("…").map((part) => {
    const marked = varies ? part.replace(MEASURED, "\0") : part;
    const escaped = marked.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
    // The unit goes with the size of the number.
    return varies
      ? escaped.replace(/\0 ?(µs|us|ms|s|[kMGT]?B\/s|%|×)/g, "[\\d.,]+\\s?(?:[mµu]?s|[kMGT]?B\\/s|%|×)")
      : escaped;
  });
  const pattern = parts.join(".*");
  return new RegExp(`^${varies ? pattern.replace(/ +/g, " +") : pattern}$`, "u");
}

/** Whether lines are as expected, by trying each "…" line with as few lines as possible first. */
export function matches(lines: readonly string[], expected: readonly string[], varies = false): boolean {
  const patterns = expected.map((line) => (line === "…" ? undefined : linePattern(line, varies)));
  const fits = (at: number, pattern: number): boolean => {
    if (pattern === patterns.length) return at === lines.length;
    const wanted = patterns[pattern];
    if (wanted !== undefined)
      return at < lines.length && wanted.test(lines[at] as string) && fits(at + 1, pattern + 1);
    for (let next = at; next <= lines.length; next++) if (fits(next, pattern + 1)) return true;
    return false;
  };
  return fits(0, 0);
}

/** Runs every command of a text in order, in one folder. */
export function runSession(markdown: string, cwd: string, path: string): number {
  const steps = stepsOf(markdown);
  for (const { line, command, expected, varies } of steps) {
    // In one stream, as a reader sees it.
    const { stdout, status } = spawnSync("bash", ["-c", `exec 2>&1\n${command}`], {
      cwd,
      encoding: "utf8",
      env: {
        PATH: `${path}:${process.env.PATH}`,
        HOME: cwd,
        XDG_STATE_HOME: cwd,
        LC_ALL: "C.UTF-8",
        TZ: "UTC",
      },
      maxBuffer: 2 ** 26,
    });
    expect(status, `line ${line}: ${command}\n${stdout}`).toBe(0);
    const lines = stdout.replace(/\n$/, "").split("\n");
    if (expected.length > 0 && !matches(lines, expected, varies))
      expect(stdout, `line ${line}: ${command}`).toBe(expected.join("\n"));
  }
  return steps.length;
}
