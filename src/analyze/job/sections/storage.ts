/** OSTs that the job's files lie on, and what their sizes ask for. */
import { formatBytes, formatSeconds } from "../../../base/units.ts";
import { type Block, type Figure, type Section, tableColumns } from "../../../model/index.ts";
import { DEFINITIONS } from "../definitions.ts";
import type { ReportInput } from "../input.ts";
import type { JobFile, OstLoad } from "../job.ts";
import { STRIPES_SOURCE, extentOf, stripeArithmetic, stripesFor, stripesOf } from "../rules/index.ts";
import { counted } from "./counted.ts";
import { known } from "./layers.ts";

const FILES_MAX = 200;

export function storage({ job }: ReportInput): Section {
  const common = { id: "storage", title: "Storage targets", detail: true };
  const striped = job.files.filter(({ osts, stripeCount }) => osts.length > 0 || stripeCount > 0);
  if (striped.length === 0)
    return {
      ...common,
      blocks: [
        {
          kind: "notice",
          level: "missing",
          text: job.facts.has("layout")
            ? "The log has Lustre records, but for no file that was used."
            : "The log has no Lustre file layouts, so the storage targets are unknown.",
          how: "Darshan records layouts if it was built with Lustre support and the files are on Lustre (module LUSTRE).",
        },
      ],
    };
  const blocks: Block[] = job.osts.length === 0 ? [] : [{ kind: "figure", figure: stripFigure(job.osts) }];
  return {
    ...common,
    intro:
      "One bar per OST that holds files of the job: its height shows the bytes moved, its colour the time of the calls. Equal heights with one bar in the colour of a much longer time point to a slow target.",
    blocks: [...blocks, adviceTable(striped)],
  };
}

function stripFigure(osts: readonly OstLoad[]): Figure {
  const bytes = (one: OstLoad) => one.bytesRead + one.bytesWritten;
  const sum = osts.reduce((total, one) => total + bytes(one), 0);
  const most = osts.reduce((a, b) => (bytes(b) > bytes(a) ? b : a));
  const slowest = osts.reduce((a, b) => (b.seconds > a.seconds ? b : a));
  const traced = osts[0]?.source === "trace";
  return {
    id: "ost-strip",
    title: "Bytes and time on each OST",
    caption: `${counted(osts.length, "OST")} used (the log does not say how many the file system has), ${formatBytes(sum)} in all, ${formatBytes(sum / osts.length)} each on average. ${traced ? "From traced calls and their stripes." : "Estimated: the load of each file is spread evenly over the stripes that it reached."}`,
    summary: `OST ${most.ost} has the most bytes, ${formatBytes(bytes(most))}; OST ${slowest.ost} the most call time, ${formatSeconds(slowest.seconds)}.`,
    definition: DEFINITIONS.osts.id,
    options: { source: osts[0]?.source ?? "files" },
    chart: {
      kind: "strip",
      itemLabel: "OST",
      items: osts.map((one) => ({
        name: String(one.ost),
        height: bytes(one),
        colour: one.seconds,
        note: counted(one.files, "file"),
      })),
      height: { label: "bytes", unit: "bytes" },
      colour: { label: "time of calls, all ranks", unit: "seconds" },
    },
  };
}

function adviceTable(striped: readonly JobFile[]): Block {
  const sorted = [...striped].sort((a, b) => extentOf(b) - extentOf(a));
  const shown = sorted.slice(0, FILES_MAX);
  return {
    kind: "table",
    id: "stripes",
    caption: `Layouts, largest files first. Advice for shared files: ${STRIPES_SOURCE}, but no more stripes than ranks that use the file. A file that only one rank uses needs one stripe.`,
    columns: tableColumns`
      path | File | text | Path of the file.
      extent | Size reached | bytes | Highest offset read or written, plus one.
      ranks | Ranks | ranks | Ranks that used it.
      stripes | Stripes | index | OSTs of the layout.
      stripeBytes | Stripe size | bytes | Of the first layout component.
      advised | Advised | index | ${STRIPES_SOURCE}.
      arithmetic | Arithmetic | text | Load per OST with the advised stripes.
    `,
    rows: shown.map((file) => {
      const extent = extentOf(file);
      const ranks = file.called.ranks;
      const advised = stripesFor(extent, ranks);
      return [
        file.path,
        extent,
        known(ranks),
        known(stripesOf(file)),
        known(file.stripeBytes),
        advised,
        stripeArithmetic(extent, ranks, advised),
      ];
    }),
    rowsTotal: sorted.length,
    sortedBy: "extent",
    searchable: sorted.length > 20,
  };
}
