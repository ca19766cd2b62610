/** Servers with their targets and their state. */
import { serversDocument, serverStates, serversSql } from "../../analyze/load/index.ts";
import { commandLine } from "../../base/command-line.ts";
import type { RequestedTime, StoreFacts } from "../requested.ts";
import type { Ask, Panel } from "../site.ts";
import { blocksCsv } from "./document.ts";

const SERVERS = 12;
/** Only in the CSV: the bar above shows the age of samples. */
const NOT_SHOWN = new Set(["requests", "newest"]);

/** No panel in a store without samples from server collectors. */
export async function serversPanels(
  ask: Ask,
  { window, words, zone }: RequestedTime & StoreFacts,
): Promise<readonly Panel[]> {
  const states = await ask.answer(`servers ${window.from} ${window.to}`, (db) => serverStates(db, window));
  if (states.servers.length === 0) return [];
  const command = commandLine([
    ...["plimsoll", "top", "servers", "--store", ask.store, ...words, "--limit", String(SERVERS)],
  ]);
  const document = serversDocument(states, SERVERS, { command, madeBy: "", zone });
  const tables = document.sections.flatMap(({ blocks }) => blocks).filter((block) => block.kind === "table");
  const shown = tables.map((block) => ({
    ...block,
    columns: block.columns.map((column) =>
      NOT_SHOWN.has(column.key) ? { ...column, hidden: true } : column,
    ),
  }));
  return [
    {
      ...{ id: "servers", title: "Servers", csv: blocksCsv(tables), sql: serversSql(window), command },
      ...{ note: document.verdict, content: shown },
    },
  ];
}
