/** Rows of `jobs` on their way into the store. */
import { type RowSink, storedJobs, type Value } from "../../model/index.ts";
import { jobKey } from "./job-ids.ts";

/** A row; what is not named was not recorded. */
export type JobRow = Readonly<Record<string, Value | undefined>> & { readonly job_id: string };

export class JobRows {
  readonly #rows: JobRow[] = [];

  get length(): number {
    return this.#rows.length;
  }

  push(row: JobRow): void {
    this.#rows.push(row);
  }

  async flush(sink: RowSink): Promise<void> {
    const rows = this.#rows.splice(0);
    if (rows.length === 0) return;
    const columns: Record<string, Value[]> = {};
    for (const { name } of storedJobs.columns) columns[name] = rows.map((row) => row[name] ?? null);
    columns.job_key = rows.map(({ job_id }) => jobKey(job_id));
    await sink.append(storedJobs, rows.length, columns);
  }
}
