/** The difference of two readings of a table of buckets; a fall in any bucket means that it began again. */
import type { TableReading, TableSection } from "./tables.ts";

interface TableDelta {
  /** True when the counts are those of `after` alone. */
  readonly reset: boolean;
  readonly sections: readonly TableSection[];
}

export function tableDelta(before: TableReading, after: TableReading): TableDelta {
  const isNew =
    before.startNs !== undefined && after.startNs !== undefined && before.startNs !== after.startNs;
  const sections = isNew ? undefined : grownSections(before, after);
  return sections === undefined ? { reset: true, sections: after.sections } : { reset: false, sections };
}

function grownSections(before: TableReading, after: TableReading): TableSection[] | undefined {
  const grown: TableSection[] = [];
  for (const section of before.sections) {
    const now = after.sections.find(({ name }) => name === section.name);
    for (const { bucket, counts } of section.rows) {
      const row = now?.rows.find((candidate) => candidate.bucket === bucket);
      // Buckets are left out while they are empty, never once they count.
      if (
        row === undefined
          ? counts.some((count) => count > 0n)
          : counts.some((count, i) => (row.counts[i] ?? 0n) < count)
      )
        return undefined;
    }
  }
  for (const section of after.sections) {
    const then = before.sections.find(({ name }) => name === section.name);
    const rows = section.rows.map(({ bucket, counts }) => {
      const old = then?.rows.find((candidate) => candidate.bucket === bucket);
      return { bucket, counts: counts.map((count, i) => count - (old?.counts[i] ?? 0n)) };
    });
    grown.push({ ...section, rows });
  }
  return grown;
}
