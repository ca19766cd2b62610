/** A file that is read in pieces while jobs come and go can repeat an entry; the later one counts. */
import type { Reading } from "./reading.ts";
import { RowTable } from "./row-table.ts";

const table = new RowTable();

/** Leaves one row for each id. */
export function dropDuplicates(reading: Reading): void {
  table.reset(reading.rows);
  let kept = 0;
  for (let row = 0; row < reading.rows; row++) {
    const from = reading.idFrom[row] as number;
    const to = reading.idTo[row] as number;
    const same = table.findOrAdd(reading, reading.ids, from, to, reading.idHash[row] as number, kept);
    if (same >= 0) {
      reading.moveRow(row, same);
      reading.notes.duplicates++;
    } else {
      if (kept < row) reading.moveRow(row, kept);
      kept++;
    }
  }
  reading.rows = kept;
}
