/** The search of the documentation: an index of words that fits into one script, and the look-up. No DOM here. */

export interface SearchIndex {
  /** Path from the root of the site, and title. */
  readonly pages: readonly (readonly [path: string, title: string])[];
  /** One per heading: page, id, title, and the beginning of its text. */
  readonly sections: readonly (readonly [page: number, id: string, title: string, lead: string])[];
  /** Sections that have a word: differences of their numbers in base 36, with spaces between. */
  readonly words: Readonly<Record<string, string>>;
}

interface SearchResult {
  readonly path: string;
  readonly page: string;
  readonly title: string;
  readonly lead: string;
}

const LEAD_LETTERS = 110;
/** Words that are in more sections than this share find everything, and so nothing. */
const COMMON_SHARE = 0.3;
const WHOLE_WORD = 3;
const IN_TITLE = 12;
const IN_PAGE_TITLE = 6;

/** Letters and digits in lower case; "--store" and "darshan-parser" give their parts as well. */
export function wordsOf(text: string): string[] {
  const whole = text.toLowerCase().match(/[\p{L}\p{N}]+(?:[-_.][\p{L}\p{N}]+)*/gu) ?? [];
  return whole
    .flatMap((word) => [...new Set([word, ...word.split(/[-_.]/)])])
    .filter((word) => word.length > 1);
}

interface SitePage {
  readonly path: string;
  readonly title: string;
  readonly sections: readonly { readonly id: string; readonly title: string; readonly text: string }[];
}

export function makeIndex(pages: readonly SitePage[]): SearchIndex {
  const sections = pages.flatMap((page, number) => page.sections.map((section) => ({ number, ...section })));
  const found = new Map<string, number[]>();
  for (const [at, { title, text }] of sections.entries())
    for (const word of new Set(wordsOf(`${title} ${text}`))) {
      const list = found.get(word);
      if (list === undefined) found.set(word, [at]);
      else list.push(at);
    }
  const useful = [...found].filter(([, list]) => list.length <= COMMON_SHARE * sections.length);
  return {
    pages: pages.map(({ path, title }) => [path, title]),
    sections: sections.map(({ number, id, title, text }) => [number, id, title, leadOf(text)]),
    words: Object.fromEntries(useful.sort(byWord).map(([word, list]) => [word, encode(list)])),
  };
}

const byWord = ([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number => (a < b ? -1 : 1);

const leadOf = (text: string): string =>
  text.length <= LEAD_LETTERS ? text : `${text.slice(0, LEAD_LETTERS).replace(/\s\S*$/, "")} …`;

const encode = (list: readonly number[]): string =>
  list.map((value, i) => (value - (list[i - 1] ?? 0)).toString(36)).join(" ");

function decode(text: string): number[] {
  let at = 0;
  return text.split(" ").map((part) => {
    at += Number.parseInt(part, 36);
    return at;
  });
}

/** Sections that have every word of the query, or words that begin so; the best first. */
export function lookUp(index: SearchIndex, query: string, limit: number): SearchResult[] {
  const asked = (query.toLowerCase().match(/[\p{L}\p{N}]+(?:[-_.][\p{L}\p{N}]+)*/gu) ?? []).slice(0, 8);
  if (asked.length === 0) return [];
  let scores: Map<number, number> | undefined;
  for (const word of asked) {
    const here = scoresOf(index, word);
    // A word that the index leaves out as common, and that nothing begins with, decides nothing.
    if (here.size === 0 && asked.length > 1) continue;
    scores = scores === undefined ? here : joined(scores, here);
  }
  return [...(scores ?? [])]
    .sort((a, b) => b[1] - a[1] || a[0] - b[0])
    .slice(0, limit)
    .map(([at]) => resultOf(index, at));
}

function scoresOf(index: SearchIndex, word: string): Map<number, number> {
  const scores = new Map<number, number>();
  for (const [known, list] of Object.entries(index.words)) {
    if (!known.startsWith(word)) continue;
    const gain = known === word ? WHOLE_WORD : 1;
    for (const at of decode(list)) scores.set(at, Math.max(scores.get(at) ?? 0, gain));
  }
  for (const [at, [page, , title]] of index.sections.entries()) {
    const gain =
      (beginsIn(title, word) ? IN_TITLE : 0) +
      (beginsIn(index.pages[page]?.[1] ?? "", word) ? IN_PAGE_TITLE : 0);
    if (gain > 0) scores.set(at, (scores.get(at) ?? 0) + gain);
  }
  return scores;
}

const beginsIn = (text: string, word: string): boolean => wordsOf(text).some((one) => one.startsWith(word));

const joined = (a: ReadonlyMap<number, number>, b: ReadonlyMap<number, number>): Map<number, number> =>
  new Map([...a].flatMap(([at, score]) => (b.has(at) ? [[at, score + (b.get(at) ?? 0)] as const] : [])));

function resultOf({ pages, sections }: SearchIndex, at: number): SearchResult {
  const [page = 0, id = "", title = "", lead = ""] = sections[at] ?? [];
  const [path = "", pageTitle = ""] = pages[page] ?? [];
  const found = { path: `${path}#${id}`, lead };
  // Pages for man all have the same headings, in capitals: what tells them apart is the command.
  if (path.startsWith("man/"))
    return { ...found, title: pageTitle, page: `${title.slice(0, 1)}${title.slice(1).toLowerCase()}` };
  return { ...found, title, page: pageTitle };
}
