/** Rankings of nodes and of metadata operations as documents. */
import { formatBytes, formatCount, formatMany, formatShare } from "../../base/units.ts";
import type { Cell, Document } from "../../model/index.ts";
import { MEASURE_WORDS, measured, measureUnit } from "./amounts.ts";
import { type About, bar, cell, type Column, table } from "./blocks.ts";
import type { NodeRanking } from "./nodes.ts";
import type { OperationRanking } from "./operations.ts";
import { windowText } from "./window.ts";

export function nodesDocument(ranking: NodeRanking, targets: string, about: About): Document {
  const { rows, others, measure, total, source, window } = ranking;
  const line = (name: string, on: Cell, one: (typeof rows)[number] | typeof others): Cell[] => [
    ...[name, on, one.bytesRead, one.bytesWritten, one.readCalls + one.writeCalls, one.metadataCalls],
    cell(one.share),
    bar(one.share),
  ];
  const columns: readonly Column[] = [
    ["node", "Node", "text", "Client address on the servers, or node from the job id."],
    ["targets", "Targets", "count", "Targets used."],
    ["bytesRead", "Read", "bytes", "Bytes read."],
    ["bytesWritten", "Written", "bytes", "Bytes written."],
    ["calls", "Calls", "count", "Read and write calls."],
    ["metadataCalls", "Metadata", "count", "All metadata operations."],
    ["share", "Share", "share", `Share of all ${MEASURE_WORDS[measure]}.`],
    ["bar", "", "text", "The share as a bar."],
  ];
  const value = Number(measured(total, measure));
  const amount =
    measureUnit(measure) === "bytes" ? formatBytes(value) : `${formatCount(value)} ${MEASURE_WORDS[measure]}`;
  const [first] = rows;
  return {
    title: `Top nodes by ${measure}`,
    facts: [
      { label: "Targets", text: targets },
      { label: "Time", text: windowText(window, about.zone) },
      {
        label: "Counted by",
        text:
          source === "exports" ? "servers, per client and hour" : "servers (job_stats), nodes from job ids",
      },
      { label: "Load", text: amount, exact: String(measured(total, measure)) },
      { label: "Nodes", text: formatCount(ranking.nodes) },
    ],
    verdict:
      first === undefined || value === 0
        ? "No node with load in this time range."
        : `${formatShare(first.share)} of ${amount} came from ${first.node === null ? "jobs without a node" : `node ${first.node}`}.`,
    sections: [
      {
        id: "nodes",
        title: "Nodes",
        blocks: [
          table("nodes", `By ${MEASURE_WORDS[measure]}.`, columns, [
            ...rows.map((one) => line(one.node ?? "unknown node", one.targets, one)),
            ...(others.nodes > 0 ? [line(`others (${formatMany(others.nodes, "node")})`, "", others)] : []),
          ]),
        ],
      },
    ],
    command: about.command,
    madeBy: about.madeBy,
  };
}

export function operationsDocument(ranking: OperationRanking, targets: string, about: About): Document {
  const { rows, others, total, source, window } = ranking;
  const columns: readonly Column[] = [
    ["operation", "Operation", "text", "Metadata operation."],
    ["calls", "Calls", "count", "Number of operations."],
    ["share", "Share", "share", "Share of all metadata operations."],
    ["firstJob", "Top job", "text", "The job with most of these operations."],
    ["firstUser", "User", "text", "User of the top job."],
    ["firstShare", "Share of jobs", "share", "Share of the top job in the operations of all jobs."],
  ];
  const share = (part: bigint) => (total === 0n ? null : Number(part) / Number(total));
  const [first] = rows;
  return {
    title: "Top metadata operations",
    facts: [
      { label: "Targets", text: targets },
      { label: "Time", text: windowText(window, about.zone) },
      { label: "Counted by", text: source === "targets" ? "targets, all load" : "servers (job_stats)" },
      { label: "Operations", text: formatCount(Number(total)), exact: String(total) },
    ],
    verdict:
      first === undefined
        ? "No metadata operations in this time range."
        : `${formatShare(first.share)} of ${formatCount(Number(total))} metadata operations were ${first.operation}${first.firstJob === null ? "" : `; job ${first.firstJob}${first.firstUser === null ? "" : ` of ${first.firstUser}`} did most of them`}.`,
    sections: [
      {
        id: "operations",
        title: "Operations",
        blocks: [
          table("operations", "By count; other: part of the sum but of none of these kinds.", columns, [
            ...rows.map((one): Cell[] => [
              ...[
                one.operation,
                one.calls,
                cell(one.share),
                one.firstJob,
                one.firstUser,
                cell(one.firstShare),
              ],
            ]),
            ...(others > 0n ? [["others", others, share(others), null, null, null]] : []),
          ]),
        ],
      },
    ],
    command: about.command,
    madeBy: about.madeBy,
  };
}
