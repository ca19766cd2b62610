/** Blocks shared by the chapters of a replay. */
import {
  type Block,
  type Cell,
  type Figure,
  type ReplayCheck,
  type ReplayData,
  type TableBlock,
  tableColumns,
} from "../../model/index.ts";

/** Published and simulated values. */
export function checkTable(
  id: string,
  caption: string,
  checks: readonly ReplayCheck[],
  searchable = false,
): TableBlock {
  return {
    kind: "table",
    id,
    caption,
    columns: tableColumns`
      id | Check | text | Row of the list of published numbers.
      verdict | Verdict | text | met, missed, not enough samples, not run, or contradiction.
      published | Published | text | In the paper.
      measured | Simulated | text | Here.
      tolerance | Tolerance | text | Limit of a met check.
      claim | What | text | The number or relation.
      place | Place | text | Section, table or figure of the paper.
      note | Note | text | Remarks. | hidden
    `,
    rows: checks.map((one): Cell[] => [
      one.id,
      one.verdict,
      one.published,
      one.measured === "" ? null : one.measured,
      one.tolerance,
      one.note === "" ? one.claim : `${one.claim} (${one.note})`,
      one.place,
      one.note,
    ]),
    rowKey: "id",
    searchable,
    pale: checks.map(({ verdict }) => verdict === "not run" || verdict === "not enough samples"),
  };
}

/** Checks of the rows of a chapter. */
export const rowsOf = (data: ReplayData, pattern: RegExp): ReplayCheck[] =>
  data.checks.filter(({ row }) => pattern.test(row));

/** Figures with the paper's statements in the picture. */
export const figures = (list: readonly Figure[], { checks }: Pick<ReplayData, "checks">): Block[] =>
  list.map((figure) => {
    const published = publishedFor(figure.id, checks);
    return { kind: "figure", figure: published === "" ? figure : { ...figure, published } };
  });

/** Rows of Table I behind the panels of Fig 2, and sizes behind those of Fig 7. */
const ROWS: Readonly<Record<string, RegExp>> = {
  "fig-2a": /^E1 /,
  "fig-2b": /^E2 /,
  "fig-2c": /^E3 /,
  "fig-2d": /^E4 /,
  "fig-3a": /^E5 tests/,
  "fig-3b": /^E5 tests/,
  "fig-7a": /^P7 2MB/,
  "fig-7b": /^P7 128MB/,
  "fig-7c": /^P7 (1024MB|gap)/,
  "fig-7d": /^P7 38MB/,
};

/** The published numbers and relations that a figure of the paper shows, one for each row of their list. */
function publishedFor(figure: string, checks: readonly ReplayCheck[]): string {
  const number = /^fig-(\d[a-d]?)$/.exec(figure)?.[1];
  if (number === undefined) return "";
  const pattern = ROWS[figure];
  const place = new RegExp(`Fig ${number}\\b`);
  const found = checks.filter((one) =>
    pattern === undefined ? place.test(one.place) : pattern.test(one.id),
  );
  return [...new Map(found.map((one) => [one.claim, `${one.claim} (${one.published})`])).values()].join("; ");
}
