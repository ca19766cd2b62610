import { sampleNote } from "./a06-one-sided-runs.ts";
import { cmfChart } from "../common/charts.ts";
import { defineItem, drawn, share } from "./item.ts";

export const a11 = defineItem({
  id: "A11",
  from: "runs",
  definition: "A11@1",
  title: "Data per run",
  place: "figure 6, finding 6",
  section: "load",
  about:
    "Per run the bytes that it moved to and from selected files, separately for read runs and write runs (A06).",
  reading:
    "These means are over runs; A13's are over files, and larger. Published values are derived from the totals: 4.7 PB over 69 % and 3.1 PB over 31 % of 400,000 runs.",
  options: ["runBytes", "partial"],
  values: {
    readMeanBytes: [
      "bytes",
      "mean of read runs",
      17e9,
      "17 GB (follows from 4.7 PB over 69 % of 400,000 runs)",
    ],
    writeMeanBytes: [
      "bytes",
      "mean of write runs",
      25e9,
      "25 GB (follows from 3.1 PB over 31 % of 400,000 runs)",
    ],
    writeOverRead: ["ratio", "mean of write runs / mean of read runs"],
    meanBytes: ["bytes", "mean of all runs", 19.5e9, "19.5 GB (follows from 7.8 PB over 400,000 runs)"],
    readMedianBytes: ["bytes", "median of read runs"],
    writeMedianBytes: ["bytes", "median of write runs"],
    readRunsBytes: ["bytes", "bytes of read runs"],
    writeRunsBytes: ["bytes", "bytes of write runs"],
    balancedRunsBytes: ["bytes", "bytes of balanced runs"],
    bytes: ["bytes", "bytes"],
  },
  narrative: ({ number, text }) =>
    `A read run moves ${text("readMeanBytes")} on average, a write run ${text("writeMeanBytes")}, ${number("writeOverRead")} times as much. From the totals of the paper follow 17 GB and 25 GB.`,
  async measure(prepared) {
    const { scan } = prepared;
    const runs = await scan.runs;
    const n = runs.moving;
    const [readMean, writeMean] = [
      share(Number(runs.bytes.read), runs.reads),
      share(Number(runs.bytes.written), runs.writes),
    ];
    const { read, written, balanced } = runs.bytes;
    const bytes = read + written + balanced;
    return {
      n,
      unit: "runs",
      dropped: { "runs that moved no bytes or are incomplete": runs.count - n },
      values: {
        readMeanBytes: readMean,
        writeMeanBytes: writeMean,
        writeOverRead: writeMean / readMean,
        meanBytes: share(Number(bytes), n),
        readMedianBytes: runs.medians?.read ?? Number.NaN,
        writeMedianBytes: runs.medians?.written ?? Number.NaN,
        readRunsBytes: read,
        writeRunsBytes: written,
        balancedRunsBytes: balanced,
        bytes,
      },
      notes: ["Means over runs, not over files."],
      figures: () => {
        const { side, bytes: moved } = runs.sample.take();
        const of = (code: number) => moved.filter((_, i) => side[i] === code);
        return n === 0
          ? []
          : [
              drawn({
                id: "figure-6c-data-per-run",
                title: "Data per run",
                caption: `${runs.reads} read runs and ${runs.writes} write runs; dotted: means over runs.${sampleNote(runs)}`,
                summary: "Cumulative share of runs by data moved.",
                chart: cmfChart({ label: "data per run", unit: "bytes", scale: "log" }, [
                  {
                    name: "read runs",
                    role: "read",
                    values: of(1),
                    mean: readMean,
                    n: runs.reads,
                  },
                  {
                    name: "write runs",
                    role: "write",
                    values: of(-1),
                    mean: writeMean,
                    n: runs.writes,
                  },
                ]),
              }),
            ];
      },
    };
  },
});
