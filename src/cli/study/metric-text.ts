/** The metric study on a terminal. */
import { verdictText } from "../../analyze/study/common/sections.ts";
import { textTable } from "../../base/text-table.ts";
import { wrap } from "../../report/text/index.ts";
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
  const word = (one: MetricFinding) => verdictText(one.verdict, setting.simulated);
  const row = (one: MetricFinding) => [
    one.set as string,
    METRICS[one.metric].label,
    publishedText(one),
    ccText(one.measured),
    intervalText(one.interval),
    ccText(correlations.sets.get(one.set as never)?.[one.metric].spearman ?? Number.NaN),
    directionText(one.direction),
    word(one),
  ];
  const head = ["set", "metric", "paper", "here", "interval", "Spearman", "direction", "verdict"];
  const wide = ["set", "overall"].flatMap((wanted) => findings.filter(({ kind }) => kind === wanted));
  const said = (one: MetricFinding) =>
    one.kind === "set" ? `${SETS[one.set as "1"].title}.` : one.statement;
  lines.push(
    ...textTable(
      head.map((label) => ({ label })),
      single.map(row),
    ),
    "",
    ...textTable(
      [{ min: 14 }, { min: 12 }, {}],
      wide.map((one) => [one.id, word(one), `${said(one)} ${one.reason}`]),
      { gap: " " },
    ),
  );
  if (setting.notes.length > 0) lines.push("", ...setting.notes.flatMap((note) => wrap(note, width)));
  return `${lines.join("\n")}\n`;
}
