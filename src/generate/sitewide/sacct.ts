/** Jobs as `sacct --parsable2` prints them, with times since 1970. */
import type { JobBlock } from "./job-block.ts";
import { accountName, programName, stateName, userName, userNumber } from "./job-rows.ts";

const COLUMNS =
  "Cluster|JobIDRaw|JobID|User|UID|Account|Partition|State|ExitCode|Submit|Start|End|ElapsedRaw|NNodes|NCPUS|AllocTRES|NodeList|JobName";
export const SACCT_HEADER = `${COLUMNS}\n`;

export function sacctLines(block: JobBlock): string {
  const { facts, cluster } = block;
  let text = "";
  for (let row = 0; row < block.count; row++) {
    const job = facts.job[row] as number;
    const user = facts.user[row] as number;
    const nodes = facts.nodes[row] as number;
    const start = facts.start[row] as number;
    const end = facts.end[row] as number;
    const state = stateName(facts.state[row] as number);
    const number = userNumber(block, user);
    const cpus = nodes * cluster.coresPerNode;
    text += [
      cluster.name,
      job,
      job,
      userName(block, user),
      number,
      accountName(user),
      "pbatch",
      state === "CANCELLED" ? `CANCELLED by ${number}` : state,
      state === "FAILED" ? "1:0" : "0:0",
      facts.submit[row],
      start,
      end,
      end - start,
      nodes,
      cpus,
      `billing=${cpus},cpu=${cpus},node=${nodes}`,
      nodeList(block, row),
      `${programName(facts.program[row] as number)}\n`,
    ].join("|");
  }
  return text;
}

export const nodeName = (block: Pick<JobBlock, "cluster">, index: number) =>
  `${block.cluster.name}${String(index).padStart(4, "0")}`;

/** Where a job's nodes begin: they lie side by side. */
export function firstNode({ facts, cluster }: JobBlock, row: number): number {
  const nodes = facts.nodes[row] as number;
  const last = Math.max(1, cluster.nodesMax + 100 - nodes);
  return 1 + (((facts.job[row] as number) * 37) % last);
}

function nodeList(block: JobBlock, row: number): string {
  const nodes = block.facts.nodes[row] as number;
  const first = firstNode(block, row);
  if (nodes === 1) return nodeName(block, first);
  const digits = (index: number) => String(index).padStart(4, "0");
  return `${block.cluster.name}[${digits(first)}-${digits(first + nodes - 1)}]`;
}
