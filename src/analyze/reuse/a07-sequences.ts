import type { Figure } from "../../model/figure.ts";
import type { Queryable } from "../../model/query.ts";
import { defineItem, drawn, number } from "./item.ts";
import { type Prepared, prepare } from "./prepare.ts";
import { SEQUENCED, typesTable } from "./tables.ts";

export const a07 = defineItem({
  id: "A07",
  definition: "A07@1",
  title: "Inter-arrival times and consecutive runs (figure 4)",
  about:
    "The accesses of a file, sorted by start of the run (ties by run id), are read, write or balanced by their bytes to that file. A gap of a type is the time between successive accesses of that type, whatever lies between. A streak is a maximal row of adjacent accesses of one type; a balanced access breaks it. Accesses that moved no bytes, of incomplete modules or with a wrong clock are not in the sequence.",
  reading:
    "The figure shows one file of this centre: gaps run along a lane, streaks are neighbours on one lane.",
  options: ["gap", "partial"],
  async measure(db, options) {
    const prepared = await prepare(db, options);
    await typesTable(prepared);
    const { unusable, accesses } = prepared;
    const [row] = await db.rows(`select coalesce(sum(n), 0) as n,
      coalesce(sum(n - 1) filter (type = 1), 0) as read_gaps, coalesce(sum(n - 1) filter (type = -1), 0) as write_gaps,
      coalesce(sum(streaks) filter (type = 1), 0) as read_streaks,
      coalesce(sum(streaks) filter (type = -1), 0) as write_streaks,
      coalesce(sum(n) filter (type = 0), 0) as balanced from reuse_types`);
    const [dropped] = await db.rows(`select count(*) filter (not timed) as clock,
      count(*) filter (timed and not complete) as partial,
      count(*) filter (timed and complete and r = 0 and w = 0) as zero,
      count(*) filter (timed and complete and (r is null or w is null)) as unknown from reuse_accesses`);
    return {
      n: number(row?.n),
      unit: "accesses",
      dropped: {
        "accesses with a wrong clock": number(dropped?.clock),
        "accesses of incomplete modules": number(dropped?.partial),
        "accesses that moved no bytes": number(dropped?.zero),
        "accesses without recorded bytes": number(dropped?.unknown),
      },
      values: {
        accesses,
        readGaps: number(row?.read_gaps),
        writeGaps: number(row?.write_gaps),
        readStreaks: number(row?.read_streaks),
        writeStreaks: number(row?.write_streaks),
        balanced: number(row?.balanced),
        balancedAll: unusable.balanced,
      },
      figures: await exampleFile(db, prepared),
    };
  },
});

const EXAMPLE_ACCESSES = 12;

/** The accesses of one file that is read and written, with about a dozen of them. */
async function exampleFile(db: Queryable, { firstNs }: Prepared): Promise<Figure[]> {
  const [chosen] = await db.rows(`select file_no from reuse_types group by file_no
    having count(*) filter (type = 1) = 1 and count(*) filter (type = -1) = 1
    order by abs(sum(n) - ${EXAMPLE_ACCESSES}), file_no limit 1`);
  if (chosen === undefined) return [];
  const file = number(chosen.file_no);
  const rows = await db.rows(`select type, start_ns, end_ns, r, w from reuse_accesses
    where file_no = ${file} and ${SEQUENCED} order by start_ns, run_id limit 200`);
  const [name] = await db.rows(`select s.file_id, min(f.path) as path from reuse_selected s
    left join files f on f.file_id = s.file_id where s.file_no = ${file} group by s.file_id`);
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
