/** Which server has which targets, and whether it is well. */
import { serversDocument, serverStates, serversSql } from "../../analyze/load/index.ts";
import { commandLine } from "../../base/command-line.ts";
import type { AskedTime, StoreFacts } from "../asked.ts";
import type { Ask, Panel } from "../site.ts";
import { blocksCsv } from "./document.ts";

const SERVERS = 12;
/** In the CSV alone: the bar above has the ages of samples. */
const NOT_SHOWN = new Set(["requests", "newest"]);

/** Nothing where collectors of servers were never heard of. */
export async function serversPanels(
  ask: Ask,
  { window, words, zone }: AskedTime & StoreFacts,
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
