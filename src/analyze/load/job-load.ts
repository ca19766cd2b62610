/** Load of one job on its targets by step, and of all other jobs on the same targets at the same time. */
import type { Queryable } from "../../model/index.ts";
import { number, text } from "./amounts.ts";
import { fullName } from "./targets.ts";
import type { Window } from "./window.ts";

interface JobTargetSteps {
  readonly target: string;
  /** With its file system. */
  readonly name: string;
  readonly bytes: Float64Array;
  readonly metadata: Float64Array;
}

interface JobLoad {
  /** By bytes, then by metadata operations. */
  readonly targets: readonly JobTargetSteps[];
  /** Bytes of other jobs on the same targets, per step. */
  readonly others: Float64Array;
}

interface JobLoadRequest {
  /** SQL condition for the job. */
  readonly is: string;
  /** `job_hours` where minutes were pruned. */
  readonly table: "minutes" | "job_hours";
  readonly window: Window;
  readonly stepMinutes: number;
}

export async function jobLoad(
  db: Queryable,
  { is, table, window, stepMinutes }: JobLoadRequest,
): Promise<JobLoad> {
  const steps = Math.ceil((window.to - window.from) / stepMinutes);
  const step = `(minute_unix - ${window.from}) // ${stepMinutes}`;
  const inTime = `minute_unix >= ${window.from} and minute_unix < ${window.to}`;
  const bytes = "sum(coalesce(bytes_read, 0) + coalesce(bytes_written, 0))::double";
  const rows =
    await db.rows(`select file_system, target, ${step} as step, ${bytes} as bytes, sum(metadata_calls)::double as metadata
    from ${table} where ${is} and ${inTime} group by all`);
  const targets = new Map<string, JobTargetSteps>();
  for (const row of rows) {
    const target = String(row.target);
    const name = fullName({ fileSystem: text(row.file_system), target });
    const one = targets.get(name) ?? {
      target,
      name,
      bytes: new Float64Array(steps),
      metadata: new Float64Array(steps),
    };
    one.bytes[number(row.step)] = number(row.bytes) || 0;
    one.metadata[number(row.step)] = number(row.metadata) || 0;
    targets.set(name, one);
  }
  await db.run(`create or replace temp table load_targets as
    select distinct file_system, target from ${table} where ${is} and ${inTime}`);
  // By name first: comparing missing file systems would try all pairs.
  const beside = await db.rows(`select ${step} as step, ${bytes} as bytes from ${table} m
    semi join load_targets t on t.target = m.target and coalesce(t.file_system, '') = coalesce(m.file_system, '')
    where ${inTime} and not (${is}) group by 1`);
  const others = new Float64Array(steps);
  for (const row of beside) others[number(row.step)] = number(row.bytes);
  const sum = (values: Float64Array) => values.reduce((all, value) => all + value, 0);
  const order = [...targets.values()].sort(
    (a, b) => sum(b.bytes) - sum(a.bytes) || sum(b.metadata) - sum(a.metadata) || (a.name < b.name ? -1 : 1),
  );
  return { targets: order, others };
}
