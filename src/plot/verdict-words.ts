/** Words of verdicts in tables: a mark stands before them, so that a column can be read at a glance. */
const KINDS: Readonly<Record<string, "holds" | "fails" | "open">> = {
  confirmed: "holds",
  met: "holds",
  refuted: "fails",
  missed: "fails",
  contradiction: "fails",
  insufficient: "open",
  mixed: "open",
  "no difference seen": "open",
  "not measured": "open",
  "not run": "open",
  "not enough samples": "open",
};

/** Class of a cell; undefined for all other text. */
export const verdictClass = (text: string): string | undefined =>
  Object.hasOwn(KINDS, text) ? `verdict-word ${KINDS[text]}` : undefined;
