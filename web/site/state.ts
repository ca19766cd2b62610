/** Sorting and search of tables in the fragment of the address: the server never sees it, and a link to a page keeps it. */
import type { TableState } from "../report/table-model.ts";
import type { TableView } from "../report/table-view.ts";

type Shown = Pick<TableState, "sort" | "rising" | "search">;

export function readTables(): Map<string, Shown> {
  const states = new Map<string, Shown>();
  for (const [key, value] of new URLSearchParams(location.hash.slice(1))) {
    const [sort = "", order = "", ...search] = value.split(".");
    states.set(key, { sort, rising: order === "rising", search: search.join(".") });
  }
  return states;
}

export function writeTables(views: readonly TableView[]): void {
  const query = new URLSearchParams();
  for (const { table, state, model } of views) {
    const { sort, rising, search } = state;
    if (sort === model.initial.sort && rising === model.initial.rising && search === "") continue;
    query.set(table.id, [sort, rising ? "rising" : "falling", search].join("."));
  }
  const text = query.toString();
  history.replaceState(null, "", `${location.pathname}${location.search}${text === "" ? "" : `#${text}`}`);
}
