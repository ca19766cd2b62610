/**
 * The text format of Prometheus, version 0.0.4, read strictly and from its description alone: an independent check of what our page
 * prints. Any departure is an error with the line.
 */

export interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  /** As printed. */
  readonly text: string;
  readonly value: number;
}

export interface Family {
  readonly name: string;
  readonly type: string;
  readonly help: string;
  readonly samples: Sample[];
}

const NAME = /^[a-zA-Z_:][a-zA-Z0-9_:]*/;
const LABEL = /^[a-zA-Z_][a-zA-Z0-9_]*/;
const TYPES = new Set(["counter", "gauge", "histogram", "summary", "untyped"]);

export function parseExposition(text: string): Map<string, Family> {
  if (!text.endsWith("\n")) throw new Error("the last line has no line feed");
  if (text.includes("\r")) throw new Error("a carriage return");
  const families = new Map<string, Family>();
  const series = new Set<string>();
  let current: Family | undefined;
  const helps = new Map<string, string>();
  for (const [index, line] of text.slice(0, -1).split("\n").entries()) {
    const fail = (why: string): never => {
      throw new Error(`line ${index + 1}: ${why}: ${line}`);
    };
    if (line === "") continue;
    if (line.startsWith("#")) {
      const [, word = "", name = "", rest = ""] =
        /^# (HELP|TYPE) (\S+) ?(.*)$/.exec(line) ?? fail("a comment");
      if (NAME.exec(name)?.[0] !== name) fail("the name of a metric");
      if (word === "HELP") {
        if (helps.has(name)) fail("HELP twice");
        if (/\\(?![\\n])/.test(rest.replace(/\\\\/g, ""))) fail("an escape in HELP");
        helps.set(name, rest);
      } else {
        if (families.has(name)) fail("TYPE twice, or after samples");
        if (!TYPES.has(rest)) fail("a type");
        current = {
          name,
          type: rest,
          help: helps.get(name) ?? fail("TYPE without HELP before"),
          samples: [],
        };
        families.set(name, current);
      }
      continue;
    }
    const sample = parseSample(line, fail);
    if (sample.name !== current?.name) fail("a sample outside of its group");
    const key = JSON.stringify([sample.name, Object.entries(sample.labels).sort()]);
    if (series.has(key)) fail("the same series twice");
    series.add(key);
    if (current?.type === "counter") {
      if (!sample.name.endsWith("_total")) fail("a counter that does not end in _total");
      if (!(sample.value >= 0)) fail("a counter below 0");
    }
    current?.samples.push(sample);
  }
  return families;
}

function parseSample(line: string, fail: (why: string) => never): Sample {
  const name = NAME.exec(line)?.[0] ?? fail("no name");
  let at = name.length;
  const labels: Record<string, string> = {};
  if (line[at] === "{") {
    at++;
    while (line[at] !== "}") {
      const label = LABEL.exec(line.slice(at))?.[0] ?? fail("no name of a label");
      if (label.startsWith("__")) fail("a label that Prometheus keeps for itself");
      if (label in labels) fail("a label twice");
      at += label.length;
      if (line.slice(at, at + 2) !== '="') fail('expected ="');
      at += 2;
      let value = "";
      for (; line[at] !== '"'; at++) {
        if (at >= line.length) fail("no end of a label");
        if (line[at] !== "\\") {
          value += line[at];
          continue;
        }
        at++;
        const escaped = { "\\": "\\", '"': '"', n: "\n" }[line[at] as string];
        value += escaped ?? fail("an escape");
      }
      at++;
      labels[label] = value;
      if (line[at] === ",") at++;
      else if (line[at] !== "}") fail("expected , or }");
    }
    at++;
  }
  if (line[at] !== " ") fail("expected a blank before the value");
  const text = line.slice(at + 1);
  if (!/^([+-]?\d+(\.\d+)?(e[+-]?\d+)?|NaN|[+-]Inf)$/.test(text)) fail("no value");
  return { name, labels, text, value: Number(text.replace("Inf", "Infinity")) };
}

/** Counters of bytes exceed what a double holds; seconds have parts. */
const exact = (text: string): bigint | number => (/^\d+$/.test(text) ? BigInt(text) : Number(text));

/** What became smaller from one page to the next, of the same series. */
export function fallen(before: Map<string, Family>, after: Map<string, Family>): string[] {
  const values = (families: Map<string, Family>) =>
    new Map(
      [...families.values()]
        .filter(({ type }) => type === "counter")
        .flatMap(({ samples }) =>
          samples.map(
            ({ name, labels, text }) => [`${name} ${JSON.stringify(labels)}`, exact(text)] as const,
          ),
        ),
    );
  const then = values(before);
  return [...values(after)].filter(([key, value]) => value < (then.get(key) ?? 0n)).map(([key]) => key);
}
