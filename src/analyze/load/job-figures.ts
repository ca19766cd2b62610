/** The series of a job as figures. */
import { formatMany } from "../../base/units.ts";
import type { Block, Figure } from "../../model/index.ts";
import type { JobRun } from "./job.ts";
import { localText } from "./window.ts";

/** Maximum bars of a series; longer ones are summed in wider steps. */
const STEPS_MAX = 200;

export function figuresOf(run: JobRun, zone: string, id: (name: string) => string): Block[] {
  const first = run.series[0]?.minuteUnix ?? 0;
  const last = run.series.at(-1)?.minuteUnix ?? first;
  const begin = run.facts.startUnix === null ? first : Math.min(first, Math.floor(run.facts.startUnix / 60));
  const end = run.facts.endUnix === null ? last : Math.max(last, Math.floor(run.facts.endUnix / 60));
  const step = Math.max(1, Math.ceil((end - begin + 1) / STEPS_MAX));
  const count = Math.ceil((end - begin + 1) / step);
  const sums = (pick: (one: JobRun["series"][number]) => bigint) => {
    const values = new Array<number>(count).fill(0);
    for (const one of run.series) {
      const at = Math.floor((one.minuteUnix - begin) / step);
      values[at] = (values[at] as number) + Number(pick(one));
    }
    return values;
  };
  const times = Array.from({ length: count }, (_, at) => localText(zone, (begin + at * step) * 60));
  const categories = shortTimes(times);
  const steps = step === 1 ? "steps of 1 minute" : `steps of ${step} minutes`;
  const figure = (
    name: string,
    title: string,
    unit: "bytes" | "calls",
    series: Extract<Figure["chart"], { kind: "bars" }>["series"],
  ): Block => ({
    kind: "figure",
    figure: {
      id: id(name),
      title,
      caption: `${title} in ${steps}, ${zone}; a counter delta belongs to the minute of its second sample, so a burst may appear one minute late.`,
      summary: `${series.map((one) => one.name).join(" and ")} over ${formatMany(end - begin + 1, "minute")}.`,
      definition: "B13@1",
      options: { stepMinutes: step },
      chart: {
        kind: "bars",
        direction: "vertical",
        stacked: true,
        categories,
        categoryLabel: `time since ${times[0]?.replace("T", " ")} (${zone})`,
        value: { label: title.toLowerCase(), unit },
        series,
      },
    },
  });
  return [
    figure("bytes-by-minute", "Bytes read and written", "bytes", [
      { name: "read", role: "read", values: sums(({ bytesRead }) => bytesRead) },
      { name: "written", role: "write", values: sums(({ bytesWritten }) => bytesWritten) },
    ]),
    figure("metadata-by-minute", "Metadata operations", "calls", [
      { name: "metadata", role: "metadata", values: sums(({ metadataCalls }) => metadataCalls) },
    ]),
  ];
}

/** Without the common part; only hours if they tell the times apart. */
function shortTimes(times: readonly string[]): string[] {
  const hours = times.map((time) => time.slice(11));
  return new Set(hours).size === times.length ? hours : times.map((time) => time.slice(5).replace("T", " "));
}
