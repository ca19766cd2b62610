// The rows of results.json as a table for people.

const seconds = (value) => (value === null ? "–" : `${value.toFixed(2)} s`);

const COLUMNS = [
  ["program", ({ program }) => program],
  ["cause", ({ cause }) => cause],
  ["flawed", ({ flawedSeconds }) => seconds(flawedSeconds.median)],
  ["mended", ({ mendedSeconds }) => seconds(mendedSeconds.median)],
  ["gain", ({ trueGainSeconds }) => seconds(trueGainSeconds)],
  ["input", ({ input }) => input],
  ["first finding", ({ firstFinding, namesCause }) => `${firstFinding ?? "none"}${namesCause ? "" : " (!)"}`],
  ["its cost", ({ predictedSeconds }) => seconds(predictedSeconds)],
  ["factor", ({ factor }) => (factor === null ? "–" : factor.toFixed(2))],
];

export function table(rows) {
  const cells = [COLUMNS.map(([title]) => title), ...rows.map((row) => COLUMNS.map(([, text]) => text(row)))];
  const widths = COLUMNS.map((_, column) => Math.max(...cells.map((line) => line[column].length)));
  return cells
    .map((line) =>
      line
        .map((text, column) => text.padEnd(widths[column]))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}

/** How many programs are right: by one of their inputs. */
export function summary(rows) {
  const names = [...new Set(rows.map(({ program }) => program))];
  const count = (isRight) =>
    names.filter((name) => rows.some((row) => row.program === name && isRight(row))).length;
  const near = ({ namesCause, factor }) => namesCause && factor !== null && factor >= 0.5 && factor <= 2;
  return (
    `cause named first in ${count(({ namesCause }) => namesCause)} of ${names.length} programs, ` +
    `with a cost within a factor of 2 of the gain in ${count(near)}; (!) another finding comes first`
  );
}
