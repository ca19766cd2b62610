/** `/studies`: reports of `plimsoll study … -o` in the folder of `--studies`. */
import { commandLine } from "../../base/command-line.ts";
import { formatMany } from "../../base/units.ts";
import { escapeHtml, prose } from "../../report/html/index.ts";
import { addressOf } from "../links.ts";
import type { Ask, Page, PageContent } from "../site.ts";

export const studiesPage: Page = {
  path: "/studies",
  nav: "Studies",
  adminsOnly: true,
  everySeconds: 30,
  make: studiesContent,
};

const COMMANDS = ["reuse", "system"] as const;

async function studiesContent(ask: Ask): Promise<PageContent> {
  const { studies } = ask;
  const command = [
    "mkdir studies",
    ...COMMANDS.map((one) =>
      commandLine(["plimsoll", "study", one, "--store", ask.store, "-o", `studies/${one}`]),
    ),
  ].join("\n");
  const items = studies.map(({ name, title, changed, synthetic }) => {
    const href = addressOf(ask.root, "study", name);
    const label = prose(title);
    return `<li>${href === undefined ? label : `<a href="${escapeHtml(href)}">${label}</a>`} <span class="muted">${prose(name)}, ${escapeHtml(changed.slice(0, 16).replace("T", " "))} UTC${synthetic ? ", synthetic data" : ""}</span></li>`;
  });
  return {
    ...{ title: "Studies", origin: { synthetic: 0, of: 0, unit: "studies" } },
    verdict:
      studies.length === 0
        ? "No stored study: make one with the commands below, and start plimsoll serve with --studies studies."
        : `${formatMany(studies.length, "stored study", "stored studies")}.`,
    panels: [
      {
        ...{ id: "studies", title: "Stored studies", sql: "", command },
        content: {
          html:
            studies.length === 0
              ? `<pre><code>${escapeHtml(command)}</code></pre>`
              : `<ul class="plain">${items.join("")}</ul>`,
        },
        csv: [
          ["name", "title", "changed"],
          ...studies.map(({ name, title, changed }) => [name, title, changed]),
        ],
      },
    ],
  };
}
