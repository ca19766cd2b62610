import type { Figure } from "../../../model/index.ts";
import { defineItem, drawn, number } from "./item.ts";
import type { Prepared } from "./prepare.ts";
import { completeSql } from "./sweep/index.ts";

export const a07 = defineItem({
  id: "A07",
  definition: "A07@1",
  title: "Inter-arrival times and consecutive runs",
  place: "figure 4",
  section: "reuse",
  about:
    "The accesses of a file, sorted by start of the run (ties by run id), are read, write or balanced by their bytes to that file. A gap of a type is the time between successive accesses of that type, regardless of others in between. A streak is a maximal sequence of accesses of one type; a balanced access breaks it. Accesses that moved no bytes, of incomplete modules or with a wrong clock are not in the sequence.",
  reading:
    "The figure shows one file of this centre: gaps run along a lane, streaks are neighbours on one lane.",
  options: ["gap", "partial"],
  values: {
    accesses: ["count", "accesses"],
    readGaps: ["count", "read gaps"],
    writeGaps: ["count", "write gaps"],
    readStreaks: ["count", "read streaks"],
    writeStreaks: ["count", "write streaks"],
    balanced: ["count", "balanced accesses"],
    balancedAll: ["count", "balanced accesses, including those out of sequence"],
  },
  narrative: ({ text }) =>
    `There are ${text("readGaps")} gaps between read runs and ${text("writeGaps")} between write runs of a file, and ${text("readStreaks")} streaks of read runs and ${text("writeStreaks")} of write runs.`,
  async measure(prepared) {
    const { sequences, facts } = prepared.scan;
    return {
      n: sequences.accesses,
      unit: "accesses",
      dropped: {
        "accesses with a wrong clock": facts.badClock,
        "accesses of incomplete modules": facts.timedPartial,
        "accesses that moved no bytes": facts.timedZero,
        "accesses without recorded bytes": facts.timedUnknown,
      },
      values: {
        accesses: prepared.accesses,
        readGaps: sequences.gaps.read,
        writeGaps: sequences.gaps.write,
        readStreaks: sequences.streaks.read,
        writeStreaks: sequences.streaks.write,
        balanced: sequences.balanced,
        balancedAll: facts.balanced,
      },
      figures: () => exampleFile(prepared),
    };
  },
});

/** The accesses of one file that is read and written, with about a dozen of them. */
async function exampleFile({ db, options, scan }: Prepared): Promise<Figure[]> {
  const file = scan.sequences.example;
  if (file === -1) return [];
  const { firstNs } = scan.facts;
  const [name] = await db.rows(`select any_value(s.file_id) as file_id, any_value(s.mount_no) as mount_no,
    min(f.path) as path from reuse_selected s left join files f on f.file_id = s.file_id where s.file_no = ${file}`);
  const rows = await db.rows(`select case when a.r > a.w then 1 when a.r < a.w then -1 else 0 end as type,
      a.start_unix_ns as start_ns, a.end_unix_ns as end_ns
    from reuse_input a where a.file_id = ${String(name?.file_id)} and a.mount_no = ${String(name?.mount_no)}
      and a.run_id not in (select run_id from reuse_bad_runs) and a.start_unix_ns is not null
      and ${completeSql(options, "a.is_partial")} and a.r + a.w > 0
    order by a.start_unix_ns, a.run_id limit 200`);
  const lanes = ["read runs", "write runs", "balanced runs"];
  const seconds = (ns: unknown) => Number(BigInt(ns as bigint) - firstNs) / 1e9;
  const spans = rows.map(({ type, start_ns, end_ns }) => {
    const lane = number(type) === 1 ? 0 : number(type) === -1 ? 1 : 2;
    const x1 = seconds(start_ns);
    return {
      x1,
      x2: Math.max(x1, seconds(end_ns ?? start_ns)),
      y1: lane + 0.2,
      y2: lane + 0.8,
      role: (["read", "write", "neutral"] as const)[lane] ?? "neutral",
    };
  });
  return [
    drawn({
      id: "figure-4-gaps-and-streaks",
      title: "Runs of one file through time",
      caption: `${rows.length} accesses of ${String(name?.path ?? name?.file_id ?? "a file")}; each box is a run from start to end.`,
      summary: `A file with ${spans.filter(({ role }) => role === "read").length} read runs and ${spans.filter(({ role }) => role === "write").length} write runs.`,
      chart: {
        kind: "spans",
        x: { label: "time since the first access of the study", unit: "seconds" },
        y: { label: "type", unit: "none" },
        laneNames: lanes.slice(0, Math.max(2, ...spans.map(({ y1 }) => Math.ceil(y1)))),
        spans,
      },
    }),
  ];
}
