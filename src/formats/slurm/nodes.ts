/** Folded lists of nodes: `d13n[03,05,07-08],r[1-2]n[01-04]`. */

/** More than any machine has; a list beyond it is a mistake or an attack. */
const NODES_MAX = 1_000_000;

/** The nodes in order; undefined when the list cannot be read. Empty lists and `None assigned` have none. */
export function expandNodeList(text: string): string[] | undefined {
  const list = text.trim();
  if (list === "" || /^(None assigned|None|\(null\)|Unknown|N\/A)$/i.test(list)) return [];
  const nodes: string[] = [];
  for (const part of splitOutside(list) ?? [""]) {
    const expanded = expandOne(part, NODES_MAX - nodes.length);
    if (expanded === undefined) return undefined;
    for (const node of expanded) nodes.push(node);
  }
  return nodes;
}

/** Parts between commas that are not in brackets; undefined when brackets do not match. */
function splitOutside(list: string): string[] | undefined {
  const parts: string[] = [];
  let depth = 0;
  let start = 0;
  for (let at = 0; at <= list.length; at++) {
    const character = list[at];
    if (character === "[") depth++;
    else if (character === "]") depth--;
    if (depth < 0 || depth > 1) return undefined;
    if (at === list.length || (character === "," && depth === 0)) {
      parts.push(list.slice(start, at));
      start = at + 1;
    }
  }
  return depth === 0 ? parts : undefined;
}

function expandOne(part: string, most: number): string[] | undefined {
  if (part === "" || /\s/.test(part)) return undefined;
  let nodes = [""];
  for (const piece of part.split(/(\[[^\]]*\])/)) {
    const choices = piece.startsWith("[") ? expandRanges(piece.slice(1, -1), most) : [piece];
    if (choices === undefined || choices.length * nodes.length > most) return undefined;
    nodes = nodes.flatMap((node) => choices.map((choice) => node + choice));
  }
  return nodes;
}

/** `03,05,07-08`: numbers keep the zeros that fill them. */
function expandRanges(text: string, most: number): string[] | undefined {
  const numbers: string[] = [];
  for (const range of text.split(",")) {
    const match = /^(\d{1,15})(?:-(\d{1,15}))?$/.exec(range);
    if (match === null) return undefined;
    const [, low = "", high = low] = match;
    const first = Number(low);
    const last = Number(high);
    if (last < first || numbers.length + last - first + 1 > most) return undefined;
    for (let n = first; n <= last; n++) numbers.push(String(n).padStart(low.length, "0"));
  }
  return numbers;
}
