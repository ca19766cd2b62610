import { coefficientOfVariation, gini, quantile, sorted } from "../../../base/statistics.ts";
import { violinChart } from "./charts.ts";
import { fileIds } from "./file-ids.ts";
import { defineItem, drawn, share, table } from "./item.ts";
import type { OstLoad, Osts } from "./osts.ts";
import type { Prepared } from "./prepare.ts";
import { NO_CLASS } from "./sweep/index.ts";

const HOT_MAX = 20;
const FILES_PER_HOT = 5;

export const a12 = defineItem({
  id: "A12",
  definition: "A12@1",
  title: "Load of the OSTs",
  place: "figure 7, finding 7",
  section: "load",
  about:
    "Per OST the bytes of all accesses of files placed on it; the bytes of a file on k OSTs are divided evenly, a remainder of a few bytes goes to the first. Also files, applications and users per OST. The OSTs are those of all accesses, including files that are not selected.",
  reading: "If bytes are far less even than files, placement balances capacity, not load.",
  options: ["minBytes", "minRuns", "application", "ddof"],
  values: {
    osts: ["count", "OSTs"],
    leastOverMost: ["share", "min / max, data", 0.13],
    filesLeastOverMost: ["share", "min / max, files", undefined, "much lower spread"],
    applicationsLeastOverMost: ["share", "min / max, applications", undefined, "much lower spread"],
    usersLeastOverMost: ["share", "min / max, users", undefined, "much lower spread"],
    gini: ["none", "Gini coefficient of the data"],
    cov: ["share", "CoV of the data"],
    p95OverP5: ["ratio", "95th / 5th percentile"],
    stripeWidth1: ["share", "files on one OST", 0.99, "over 99 %"],
    bytesKnownLayout: ["bytes", "bytes with a known layout"],
    bytesUnknownLayout: ["bytes", "bytes without a known layout"],
    bytesOnOsts: ["bytes", "bytes on OSTs"],
  },
  others: {
    dataOverFiles: ["ratio", "min / max of data relative to files"],
  },
  narrative: ({ number, text }) =>
    `The least active of ${text("osts")} OSTs is ${text("leastOverMost")} as active as the most active (paper: 13 %). For the number of files this is ${text("filesLeastOverMost")}, for applications ${text("applicationsLeastOverMost")}, for users ${text("usersLeastOverMost")}. The Gini coefficient of the data is ${number("gini")}. ${text("stripeWidth1")} of the files lie on one OST.`,
  async measure(prepared) {
    const { options } = prepared;
    const osts = await prepared.osts();
    const { loads } = osts;
    const { layouts } = prepared.scan;
    const bytes = loads.map((load) => Number(load.bytes));
    const rising = sorted(bytes);
    const least = (values: readonly number[]) => share(Math.min(...values), Math.max(...values));
    const ratio = (values: readonly number[]) => (values.length === 0 ? Number.NaN : least(values));
    return {
      n: loads.length,
      unit: "OSTs",
      dropped: { "files without a recorded layout": prepared.files - layouts.filesKnown },
      values: {
        osts: loads.length,
        leastOverMost: ratio(bytes),
        filesLeastOverMost: ratio(loads.map((load) => load.files)),
        applicationsLeastOverMost: ratio(loads.map((load) => load.applications)),
        usersLeastOverMost: ratio(loads.map((load) => load.users)),
        gini: gini(bytes),
        cov: coefficientOfVariation(bytes, options.ddof),
        p95OverP5: share(quantile(rising, 0.95), quantile(rising, 0.05)),
        stripeWidth1: share(osts.onOne, osts.files),
        bytesKnownLayout: layouts.bytesKnown,
        bytesUnknownLayout: layouts.bytesUnknown,
        bytesOnOsts: loads.reduce((sum, load) => sum + load.bytes, 0n),
      },
      notes: idleNote(loads),
      tables: loads.length === 0 ? [] : [loadTable(loads), await hotTable(prepared, osts)],
      figures: () => (loads.length === 0 ? [] : [strip(loads, ratio(bytes)), violins(loads)]),
    };
  },
});

function idleNote(loads: readonly OstLoad[]): string[] {
  const idle = loads.filter(({ files }) => files === 0).length;
  return idle === 0
    ? []
    : [`${idle} of ${loads.length} OSTs hold no selected file, so the min / max ratio is 0.`];
}

const most = (loads: readonly OstLoad[], of: (load: OstLoad) => number) => Math.max(1, ...loads.map(of));

function loadTable(loads: readonly OstLoad[]) {
  const top = most(loads, (load) => Number(load.bytes));
  const mean = loads.reduce((sum, load) => sum + Number(load.bytes), 0) / loads.length;
  return table(
    "ost-load",
    "All OSTs in the accesses.",
    [
      ["ost", "OST", "index", "Index of the OST."],
      ["bytes", "Data", "bytes", "Bytes read and written of its files, divided over their stripes."],
      ["ofMost", "vs max", "share", "Bytes / bytes of the most active OST."],
      ["overMean", "vs mean", "ratio", "Bytes / mean of all OSTs."],
      ["files", "Files", "files", "Selected files on it."],
      ["applications", "Applications", "count", "Applications with accesses to these files."],
      ["users", "Users", "count", "Users with accesses to these files."],
    ],
    loads.map((load) => [
      load.ost,
      load.bytes,
      Number(load.bytes) / top,
      mean > 0 ? Number(load.bytes) / mean : null,
      load.files,
      load.applications,
      load.users,
    ]),
  );
}

/** The most active OSTs, a twentieth of all and at least one, with the files behind their load. */
async function hotTable(prepared: Prepared, osts: Osts) {
  const { loads } = osts;
  const hot = [...loads]
    .sort((a, b) => (b.bytes > a.bytes ? 1 : b.bytes < a.bytes ? -1 : a.ost - b.ost))
    .slice(0, Math.min(HOT_MAX, Math.ceil(loads.length / 20)));
  const found = osts.filesOn(
    hot.map(({ ost }) => ost),
    FILES_PER_HOT,
  );
  const rows = hot.flatMap(({ ost }, h) => (found[h] ?? []).map((one, i) => ({ ost, place: i + 1, ...one })));
  const ids = await fileIds(
    prepared.db,
    rows.map(({ file }) => file),
    true,
  );
  const bytesOf = new Map(hot.map(({ ost, bytes }) => [ost, Number(bytes)]));
  return table(
    "hot-osts",
    `The ${hot.length} most active OSTs and the files behind their load.`,
    [
      ["ost", "OST", "index", "Index of the OST."],
      ["place", "Place", "index", "1 is the file with most bytes on this OST."],
      ["file", "File", "text", "Record id."],
      ["path", "Path", "text", "Name, if recorded."],
      ["mount", "Mount", "text", "Mount point."],
      ["class", "Class", "text", "Class of the file (A05)."],
      ["bytes", "Data", "bytes", "Bytes of the file on this OST."],
      ["share", "Share of OST", "share", "Share of all bytes of the OST."],
    ],
    rows.map(({ ost, place, file, bytes }) => {
      const { id = "", path = null, mount = null } = ids.get(file) ?? {};
      const part = share(Number(bytes), bytesOf.get(ost) ?? 0);
      return [ost, place, id, path, mount, className(prepared.classes[file]), bytes, part];
    }),
  );
}

const CLASS_NAMES = new Map([
  [1, "read-heavy"],
  [-1, "write-heavy"],
  [0, "both"],
]);

export const className = (code: number | undefined): string | null =>
  CLASS_NAMES.get(code ?? NO_CLASS) ?? null;

function strip(loads: readonly OstLoad[], leastOverMost: number) {
  const top = most(loads, (load) => Number(load.bytes));
  const files = most(loads, (load) => load.files);
  return drawn({
    id: "figure-7-osts",
    title: "Data per OST",
    caption: `${loads.length} OSTs; height is data, colour the number of files, each relative to its maximum.`,
    summary: `The least active OST moves ${(100 * leastOverMost).toFixed(1)} % of the data of the most active.`,
    chart: {
      kind: "strip",
      itemLabel: "OST",
      items: loads.map((load) => ({
        name: String(load.ost),
        height: Number(load.bytes) / top,
        colour: load.files / files,
      })),
      height: { label: "data, relative to max", unit: "share" },
      colour: { label: "files, relative to max", unit: "share" },
    },
  });
}

function violins(loads: readonly OstLoad[]) {
  const group = (name: string, of: (load: OstLoad) => number) => {
    const top = most(loads, of);
    return { name, role: "neutral" as const, values: Float64Array.from(loads, (load) => of(load) / top) };
  };
  return drawn({
    id: "figure-7-spread",
    title: "Spread over the OSTs",
    caption: `${loads.length} OSTs; each value relative to the maximum of its kind; solid: mean.`,
    summary: "Compare the widths: is data spread less evenly over OSTs than files, applications and users?",
    chart: violinChart({ label: "relative to max", unit: "share" }, "per OST", [
      group("data", (load) => Number(load.bytes)),
      group("files", (load) => load.files),
      group("applications", (load) => load.applications),
      group("users", (load) => load.users),
    ]),
  });
}
