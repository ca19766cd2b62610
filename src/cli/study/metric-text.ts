/** The metric study on a terminal. */
import {
  ccText,
  directionText,
  intervalText,
  METRICS,
  type MetricFinding,
  type MetricStudy,
  publishedText,
  SETS,
  verdictOf,
} from "../../analyze/study/metric/index.ts";

export function studyText(study: MetricStudy, width: number): string {
  const { setting, findings, correlations } = study;
  const lines = [
    setting.simulated
      ? "I/O metrics against execution time, simulated on a device model"
      : "I/O metrics against execution time, measured on this machine",
    ...setting.machine.map(({ label, text }) => `${label.padEnd(10)} ${text}`),
    "",
    verdictOf(study),
    "",
  ];
  const single = findings.filter(({ kind }) => kind === "metric");
  const row = (one: MetricFinding) => [
    one.set as string,
    METRICS[one.metric].label,
    publishedText(one),
    ccText(one.measured),
    intervalText(one.interval),
    ccText(correlations.sets.get(one.set as never)?.[one.metric].spearman ?? Number.NaN),
    directionText(one.direction),
    one.verdict,
  ];
  const head = ["set", "metric", "paper", "here", "interval", "Spearman", "direction", "verdict"];
  lines.push(...columns([head, ...single.map(row)]), "");
  for (const one of findings.filter(({ kind }) => kind === "set"))
    lines.push(`${one.id.padEnd(14)} ${one.verdict.padEnd(12)} ${SETS[one.set as "1"].title}. ${one.reason}`);
  for (const one of findings.filter(({ kind }) => kind === "overall"))
    lines.push(`${one.id.padEnd(14)} ${one.verdict.padEnd(12)} ${one.statement} ${one.reason}`);
  if (setting.notes.length > 0) lines.push("", ...setting.notes.flatMap((note) => wrapped(note, width)));
  return `${lines.join("\n")}\n`;
}

function columns(rows: readonly (readonly string[])[]): string[] {
  const widths = (rows[0] ?? []).map((_, i) => Math.max(...rows.map((row) => (row[i] as string).length)));
  return rows.map((row) =>
    row
      .map((text, i) => text.padEnd(widths[i] as number))
      .join("  ")
      .trimEnd(),
  );
}

function wrapped(text: string, width: number): string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(" ")) {
    if (line !== "" && line.length + 1 + word.length > width) {
      lines.push(line);
      line = "";
    }
    line = line === "" ? word : `${line} ${word}`;
  }
  return line === "" ? lines : [...lines, line];
}
