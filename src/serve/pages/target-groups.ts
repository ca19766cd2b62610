/** Metadata operations of a target by kind, and its clients by hour. For administrators. */
import {
  nodesDocument,
  operationsDocument,
  rankNodes,
  rankOperations,
  type Window,
} from "../../analyze/load/index.ts";
import { commandLine } from "../../base/command-line.ts";
import type { Document } from "../../model/index.ts";
import { linked } from "../links.ts";
import type { Ask, Panel } from "../site.ts";
import { blocksCsv } from "./document.ts";

const OPERATIONS = 15;
const CLIENTS = 8;

interface GroupsOf {
  readonly label: string;
  readonly condition: string;
  /** The same for people. */
  readonly where: string;
  readonly window: Window;
  /** Of a command. */
  readonly words: readonly string[];
  readonly zone: string;
  readonly isMdt: boolean;
}

export async function groupPanels(ask: Ask, of: GroupsOf): Promise<readonly Panel[]> {
  if (!ask.viewer.isAdmin) return [];
  return [...(of.isMdt ? await operationsPanel(ask, of) : []), ...(await clientsPanel(ask, of))];
}

async function operationsPanel(ask: Ask, of: GroupsOf): Promise<readonly Panel[]> {
  const { label, condition, where, window, zone } = of;
  const ranking = await ask.answer(`operations ${label} ${window.from} ${window.to}`, (db) =>
    rankOperations(db, { window, condition, limit: OPERATIONS }),
  );
  if (ranking.total === 0n) return [];
  const columns = ["opens", "closes", "mknods", "links", "unlinks", "mkdirs", "rmdirs", "renames"];
  columns.push("getattrs", "setattrs", "getxattrs", "setxattrs", "statfs", "syncs");
  const sums = columns.map((name) => `sum(${name}) as ${name}`).join(", ");
  const sql = `select sum(metadata_calls) as all_operations, ${sums}
from targets where ${where} and minute_unix >= ${window.from} and minute_unix < ${window.to}`;
  const command = commandOf(ask, "operations", of, OPERATIONS);
  return [
    panelOf(
      ask,
      "operations",
      "Operations",
      operationsDocument(ranking, label, { command, madeBy: "", zone }),
      sql,
    ),
  ];
}

async function clientsPanel(ask: Ask, of: GroupsOf): Promise<readonly Panel[]> {
  const { label, condition, where, window, zone, isMdt } = of;
  const measure = isMdt ? "metadata" : "bytes";
  const ranking = await ask.answer(`clients ${label} ${window.from} ${window.to}`, (db) =>
    rankNodes(db, { window, condition, measure, limit: CLIENTS, smallBytes: 0 }),
  );
  if (ranking.source !== "exports") return [];
  const amount = isMdt ? "sum(metadata_calls)" : "sum(coalesce(bytes_read, 0) + coalesce(bytes_written, 0))";
  const sql = `select client, sum(bytes_read) as bytes_read, sum(bytes_written) as bytes_written, sum(metadata_calls) as metadata_calls
from exports where ${where} and hour_unix >= ${ranking.window.from / 60} and hour_unix < ${ranking.window.to / 60}
group by 1 order by ${amount} desc nulls last limit ${CLIENTS}`;
  const command = commandOf(ask, "nodes", of, CLIENTS, ["--order", measure]);
  return [
    panelOf(ask, "clients", "Clients", nodesDocument(ranking, label, { command, madeBy: "", zone }), sql),
  ];
}

const commandOf = (
  { store }: Ask,
  what: string,
  { label, words }: GroupsOf,
  limit: number,
  more: readonly string[] = [],
): string =>
  commandLine([
    ...["plimsoll", "top", what, "--store", store, "--target", label, ...words, ...more],
    ...["--limit", String(limit)],
  ]);

function panelOf(ask: Ask, id: string, title: string, document: Document, sql: string): Panel {
  const tables = document.sections.flatMap(({ blocks }) => blocks).filter((block) => block.kind === "table");
  const shown = tables.map((block) => linked(block, ask.root, { firstJob: "job", firstUser: "user" }));
  return {
    ...{ id, title, csv: blocksCsv(tables), sql, command: document.command },
    ...{ note: document.verdict, content: shown },
  };
}
