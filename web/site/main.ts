/**
 * The script of the site's pages. They can be read without it; it adds sorting, search, exports, colours and keys, keeps ages up to
 * date, and takes a new page when the store has changed.
 */
import type { PageData } from "../../src/report/html/index.ts";
import { all, copyButton } from "../report/dom.ts";
import { enableFigures } from "../report/figures.ts";
import { enableAbout } from "../report/popover.ts";
import { TableView } from "../report/table-view.ts";
import { applyStoredTheme, printInLightColours, themeSwitch } from "../report/theme.ts";
import { enableSiteKeys } from "./keys.ts";
import { keepAges, Live } from "./live.ts";
import { enableHeat } from "./heat.ts";
import { readTables, writeTables } from "./state.ts";

applyStoredTheme();
if (document.readyState === "loading") addEventListener("DOMContentLoaded", start);
else start();

function start(): void {
  document.documentElement.classList.add("scripted");
  let views = enableContent();
  document.querySelector(".bar .tools")?.append(themeSwitch());
  printInLightColours();
  enableHeat();
  closeElsewhere();
  enableSiteKeys(() => views);
  keepAges();
  new Live(() => {
    views = enableContent();
  }).start();
}

/** Of what is on the page now; a new version of it needs it again. */
function enableContent(): TableView[] {
  const data = JSON.parse(document.getElementById("page-data")?.textContent ?? "null") as PageData | null;
  if (data === null) return [];
  enableAbout();
  enableFigures(data.figures);
  const states = readTables();
  const views: TableView[] = [];
  for (const host of all(".table-block")) {
    const table = data.tables[Number(host.dataset.table)];
    if (table === undefined) continue;
    const view = new TableView(host, table, () => writeTables(views));
    const state = states.get(table.id);
    if (state !== undefined && view.model.columnAt(state.sort) >= 0)
      view.set({ ...view.model.initial, ...state });
    views.push(view);
  }
  for (const block of all(".code-out .code")) {
    const text = (): string => block.querySelector("code")?.textContent ?? "";
    block.querySelector(".tools")?.append(copyButton("Copy", "Copy to the clipboard", text));
  }
  return views;
}

/** What floats goes when the reader turns to something else. */
function closeElsewhere(): void {
  const close = (but: Node | null) => {
    for (const one of all<HTMLDetailsElement>("details.fold[open], details.code-out[open]"))
      if (but === null || !one.contains(but)) one.open = false;
  };
  document.addEventListener("pointerdown", (event) => close(event.target as Node));
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape") close(null);
  });
}
