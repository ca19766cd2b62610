/** A panel: title, content, CSV link, and the SQL and the command that give the same values. */
import { attribute, blockHtml, domId, escapeHtml, type PageBuild, prose } from "../../report/html/index.ts";
import { siteParts } from "../../report/compose.ts";
import type { Panel } from "../site.ts";
import type { Frame } from "./frame.ts";

/** Collects the data for the script, as in report pages. */
export class PanelBuild implements PageBuild {
  readonly parts = siteParts;
  readonly links = { file: () => undefined, rank: () => undefined, span: () => undefined };
  readonly data: PageBuild["data"] & { readonly markdown: string } = {
    tables: [],
    figures: [],
    findings: [],
    markdown: "",
  };
  readonly findingPlaces: ReadonlyMap<string, number> = new Map();
  readonly heroFigure = undefined;
  readonly traces: string[] = [];

  constructor(readonly frame: Frame) {}
}

export function panelHtml(panel: Panel, build: PanelBuild): string {
  const id = domId(panel.id);
  const body =
    "html" in panel.content
      ? panel.content.html
      : panel.content.map((block) => blockHtml(block, id, build)).join("\n");
  const note = panel.note === undefined ? "" : ` <span>${prose(panel.note)}</span>`;
  // Does not repeat the title.
  const [first] = "html" in panel.content ? [] : panel.content;
  const isSame = first?.kind === "figure" && first.figure.title === panel.title;
  return `<section class="panel" id="${id}"${isSame ? " data-same" : ""} aria-labelledby="${id}-title"><div class="ph"><h2 id="${id}-title">${prose(panel.title)}${note}</h2>${outHtml(panel, build.frame)}</div>
${body}</section>`;
}

function outHtml({ id, csv, sql, command }: Panel, { address, root, sql: mayAsk }: Frame): string {
  const query = new URLSearchParams(address);
  query.set("csv", id);
  const parts = [
    ...(csv.length > 0 ? [`<a href="?${attribute(query.toString())}" download>CSV</a>`] : []),
    ...(sql === ""
      ? []
      : [codeHtml("SQL", sql, mayAsk ? `${root}sql?${new URLSearchParams({ q: sql })}` : "")]),
    ...(command === "" ? [] : [codeHtml("command", command, "")]),
  ];
  return `<div class="out">${parts.join("")}</div>`;
}

/** Opens on demand; works without the script. */
const codeHtml = (word: string, code: string, run: string): string =>
  `<details class="code-out"><summary>${word}</summary><div class="code"><pre><code>${escapeHtml(code)}</code></pre><div class="tools">${run === "" ? "" : `<a class="tool" href="${escapeHtml(run)}">Run</a>`}</div></div></details>`;
