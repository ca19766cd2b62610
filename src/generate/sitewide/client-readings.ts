/** Readings of clients before and after a job, one for each node: together they are what the job's row says. */
import { type ClientReading, clientReadingText } from "../../formats/samples/index.ts";
import { CLIENT_CALL_COLUMNS, CLIENT_CALLS } from "../../model/index.ts";
import { Entry, LLITE_ORDER, type Release, statsText } from "./entry.ts";
import type { CounterName, JobBlock } from "./job-block.ts";
import { userName, userNumber } from "./job-rows.ts";
import { firstNode, nodeName } from "./sacct.ts";
import { FILE_SYSTEM } from "./scenario.ts";

const SECOND = 1_000_000_000n;
const UTF8 = new TextEncoder();

interface NodeReading {
  /** `cab/1000001/cab0042.json` */
  readonly path: string;
  readonly text: string;
}

export function* clientReadings(block: JobBlock, row: number, release: Release): Generator<NodeReading> {
  const { facts, cluster } = block;
  const nodes = facts.nodes[row] as number;
  const user = facts.user[row] as number;
  const job = String(facts.job[row]);
  const first = firstNode(block, row);
  for (let i = 0; i < nodes; i++) {
    const node = nodeName(block, first + i);
    const reading: ClientReading = {
      jobId: job,
      node,
      cluster: cluster.name,
      user: userName(block, user),
      uid: userNumber(block, user),
      nodes,
      nodeMemoryBytes: BigInt(cluster.nodeMemoryBytes),
      collector: "plimsoll generate sitewide (synthetic)",
      ...sides(block, row, i, release),
    };
    yield { path: `${cluster.name}/${job}/${node}.json`, text: clientReadingText(reading) };
  }
}

function sides(block: JobBlock, row: number, node: number, release: Release) {
  const { facts, counters } = block;
  const startNs = BigInt(facts.start[row] as number) * SECOND;
  const endNs = BigInt(facts.end[row] as number) * SECOND;
  // The node has done something before, a day after it came up.
  const entry = new Entry(startNs - 86_400n * SECOND);
  entry.read.add(1000 + node, 4096 * (1000 + node));
  entry.write.add(500 + node, 65_536 * (500 + node));
  for (const name of Object.values(CLIENT_CALLS)) entry.call(name, 100 + node);
  const lnet = { sent: 1_000_000, received: 2_000_000 };
  const before = { atNs: startNs, files: files(entry, startNs, lnet, release) };
  const nodes = facts.nodes[row] as number;
  const share = (name: CounterName) => part(counters[name][row] as number, nodes, node);
  // A node without calls moves nothing: bytes go with the calls.
  const spread = (bytes: CounterName, calls: CounterName) =>
    byCalls(counters[bytes][row] as number, counters[calls][row] as number, nodes, node);
  entry.read.add(share("reads"), spread("bytes_read", "reads"));
  entry.write.add(share("writes"), spread("bytes_written", "writes"));
  for (const name of CLIENT_CALL_COLUMNS) entry.call(CLIENT_CALLS[name], share(name));
  lnet.sent += share("lnet_sent_bytes");
  lnet.received += share("lnet_received_bytes");
  return { before, after: { atNs: endNs, files: files(entry, endNs, lnet, release) } };
}

/** Node `node`'s part of a count: the first nodes have what does not divide. */
function part(count: number, nodes: number, node: number): number {
  return Math.floor(count / nodes) + (node < count % nodes ? 1 : 0);
}

function byCalls(bytes: number, calls: number, nodes: number, node: number): number {
  const active = Math.min(nodes, calls);
  return node < active ? part(bytes, active, node) : 0;
}

function files(
  entry: Entry,
  nowNs: bigint,
  lnet: { readonly sent: number; readonly received: number },
  release: Release,
) {
  const text = statsText(entry, nowNs, release, LLITE_ORDER, "regs");
  return [
    { path: `llite/${FILE_SYSTEM}-ffff8800aabbcc00/stats`, bytes: UTF8.encode(text) },
    { path: "lnet/stats", bytes: UTF8.encode(lnetText(lnet.sent, lnet.received)) },
  ];
}

/** allocated, most, errors; calls sent, received, routed, dropped; bytes of the same. */
export function lnetText(sent: number, received: number): string {
  const calls = (bytes: number) => Math.ceil(bytes / 4096);
  return `0 28 0 ${calls(sent)} ${calls(received)} 0 0 ${sent} ${received} 0 0\n`;
}
