/**
 * What the reader looks at, as the fragment of the address: `#files&sort=bytes&q=chunk`. Settings of the first table in
 * the named section stand alone; those of other tables carry the table's id: `counters.q=POSIX`. `calls=12.5:20` is what
 * the first timeline shows (trace/place.ts), `calls.1` the second.
 */
import type { TableState } from "./table-model.ts";

export interface View {
  section: string;
  /** Key of the chosen row. */
  file: string;
  /** Severities shown; empty for all. */
  severity: string;
  /** A place in the timeline. */
  from: number | undefined;
  to: number | undefined;
  rank: number | undefined;
  /** What timelines show, as they say it themselves, by their number. */
  timelines: Map<number, string>;
  tables: Map<string, Partial<TableState>>;
}

const TIMELINE = /^calls(?:\.[1-9]\d?)?$/;

/** Tables of the page, in order. */
type Places = readonly { readonly id: string; readonly section: string }[];

export function readFragment(fragment: string, places: Places): View {
  const fields = fragment.replace(/^#/, "").split("&").filter(Boolean);
  const view: View = {
    section: "",
    file: "",
    severity: "",
    from: undefined,
    to: undefined,
    rank: undefined,
    timelines: new Map(),
    tables: new Map(),
  };
  if (fields[0] !== undefined && !fields[0].includes("=")) view.section = decode(fields.shift()!);
  for (const field of fields) {
    const [name = "", ...rest] = field.split("=");
    const value = decode(rest.join("="));
    if (name === "file") view.file = value;
    else if (name === "severity") view.severity = value;
    else if (name === "from" || name === "to" || name === "rank") view[name] = finite(value);
    else if (TIMELINE.test(name)) view.timelines.set(Number(name.slice(6)), value);
    else readTableField(view, decode(name), value, places);
  }
  return view;
}

function readTableField(view: View, name: string, value: string, places: Places): void {
  const dot = name.indexOf(".");
  const id = dot < 0 ? homeTable(view.section, places) : name.slice(0, dot);
  if (id === undefined || !places.some((place) => place.id === id)) return;
  const state = view.tables.get(id) ?? {};
  view.tables.set(id, state);
  switch (name.slice(dot + 1)) {
    case "sort":
      state.sort = value;
      break;
    case "order":
      state.rising = value === "rising";
      break;
    case "q":
      state.search = value;
      break;
    case "open":
      state.open = new Set(value.split(".").filter(Boolean).map(Number).filter(Number.isInteger));
      break;
    case "flat":
      state.flat = value === "yes";
      break;
  }
}

/** Leaves out what equals `initial`: an untouched page has a short address. */
export function writeFragment(view: View, places: Places, initial: ReadonlyMap<string, TableState>): string {
  const fields: string[] = [];
  if (view.section !== "") fields.push(encode(view.section));
  const add = (name: string, value: string | number | undefined): void => {
    if (value !== undefined && value !== "") fields.push(`${name}=${encode(String(value))}`);
  };
  add("file", view.file);
  add("severity", view.severity);
  add("from", view.from);
  add("to", view.to);
  add("rank", view.rank);
  for (const [number, place] of view.timelines) add(number === 0 ? "calls" : `calls.${number}`, place);
  const home = homeTable(view.section, places);
  for (const { id } of places) {
    const [now, first] = [view.tables.get(id), initial.get(id)];
    if (!now || !first) continue;
    const prefix = id === home ? "" : `${id}.`;
    const [sort, rising] = [now.sort ?? first.sort, now.rising ?? first.rising];
    if (sort !== first.sort || rising !== first.rising) {
      add(`${prefix}sort`, sort);
      if (rising) add(`${prefix}order`, "rising");
    }
    add(`${prefix}q`, now.search);
    add(`${prefix}open`, [...(now.open ?? [])].sort((a, b) => a - b).join("."));
    if (now.flat) add(`${prefix}flat`, "yes");
  }
  return fields.length === 0 ? "" : `#${fields.join("&")}`;
}

function homeTable(section: string, places: Places): string | undefined {
  return places.find((place) => place.section === section)?.id;
}

/** Only what would be taken for structure, or would break a pasted address, is encoded. */
function encode(text: string): string {
  return encodeURIComponent(text.replace(/\p{Surrogate}/gu, "\ufffd"))
    .replace(/%2F/g, "/")
    .replace(/%3A/g, ":");
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function finite(text: string): number | undefined {
  return text !== "" && Number.isFinite(Number(text)) ? Number(text) : undefined;
}
