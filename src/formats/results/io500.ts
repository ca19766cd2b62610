/** IO500: result_summary.txt of all releases, and result.txt, an ini file with a section per phase. */
import { numberOf, onlyResults, type ResultFormat, resultOf } from "./result.ts";

/** The scripts of 2017 to 2019 wrote "GB/s" for IOR's MiB/s over 1024, so both are powers of 1024. */
const GIB = 2 ** 30;

/** `ior_easy_write` and `ior-easy-write` are the same phase. */
const phaseName = (name: string) => name.replaceAll("_", "-");

function phase(name: string, rate: number, isBandwidth: boolean) {
  const parts = phaseName(name).split("-");
  const operation = parts.length > 1 ? (parts.at(-1) as string) : phaseName(name);
  return {
    benchmark: "IO500",
    name: parts.length > 1 ? parts.slice(0, -1).join("-") : phaseName(name),
    operation,
    ...(isBandwidth ? { bytesPerSecond: rate * GIB } : { callsPerSecond: rate * 1000 }),
  };
}

const RESULT =
  /^\[\s*RESULT[^\]]*\]\s+(?:(?:BW|IOPS)\s+phase\s+\d+\s+)?([\w-]+)\s+([\d.]+|-?nan|inf)\s+(GiB|GB|k?iops)(?:\/s)?\s*:\s*time\s+([\d.]+)/i;

export const io500Summary: ResultFormat = {
  id: "io500-summary",
  label: "IO500 summary",
  recognizes: (head) =>
    /^IO500 version .*\((?:standard|extended)\)|^\[\s*RESULT[^\]]*\]\s.*:\s*time/m.test(head),
  read(text) {
    const version = /^IO500 version (\S+) \(/m.exec(text)?.[1] ?? "";
    const results = text.split(/\r?\n/).flatMap((line) => {
      const match = RESULT.exec(line);
      if (match === null) return [];
      const [, name = "", rate, unit = "", seconds] = match;
      const known = phase(name, numberOf(rate), /^g/i.test(unit));
      return [resultOf({ ...known, version, seconds: numberOf(seconds) })];
    });
    return onlyResults(results);
  },
};

export const io500Result: ResultFormat = {
  id: "io500-result",
  label: "IO500 result.txt",
  recognizes: (head) => /^\[run\]/m.test(head) && /^(procs|result-dir)\s*=/m.test(head),
  read(text) {
    const sections = sectionsOf(text);
    const run = sections.get("run") ?? new Map();
    const results = [...sections].flatMap(([name, values]) => {
      const score = numberOf(values.get("score"));
      if (!/^(ior|mdtest|find)/i.test(name) || Number.isNaN(score)) return [];
      return [
        resultOf({
          ...phase(name, score, /^ior/i.test(name) && !/rnd/i.test(name)),
          version: run.get("version") ?? "",
          ranks: numberOf(run.get("procs")),
          seconds: numberOf(values.get("t_delta")),
          startTime: values.get("t_start") ?? "",
        }),
      ];
    });
    return onlyResults(results);
  },
};

function sectionsOf(text: string): Map<string, Map<string, string>> {
  const sections = new Map<string, Map<string, string>>();
  let current = new Map<string, string>();
  for (const line of text.split(/\r?\n/)) {
    const section = /^\[([^\]]+)\]/.exec(line)?.[1];
    const pair = /^([\w-]+)\s*=\s*(.*?)\s*$/.exec(line);
    if (section !== undefined) sections.set(section.trim(), (current = new Map()));
    else if (pair !== null) current.set(pair[1] as string, pair[2] ?? "");
  }
  return sections;
}
