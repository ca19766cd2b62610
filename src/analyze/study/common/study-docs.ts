/** What the manuals of studies have in common: the table of options, and a part for each item. */
import { formatBytes } from "../../../base/units.ts";
import { type ItemFacts, itemTitle } from "./item.ts";
import type { StudyKind } from "./sections.ts";
import { publishedText } from "./values.ts";

export const studyDocs = <Published>(kind: StudyKind<Published>): string =>
  `${optionsPart(kind)}\n${kind.items.map((item) => itemPart(kind, item)).join("\n")}`;

function optionsPart<Published>({ options, items }: StudyKind<Published>): string {
  const rows = Object.entries(options).map(([name, { default: value, choices, bytes, help }]) => {
    const shown = Array.isArray(value) ? value.join(" ") : bytes ? formatBytes(Number(value)) : String(value);
    const users = items.filter((item) => item.options.includes(name)).map(({ id }) => id);
    return `| \`${name}\` | ${shown || "none"} | ${cell(help)}${choices ? ` (${choices.join(", ")})` : ""} | ${users.join(" ")} |`;
  });
  const long = Object.keys(options).find((name) => /[A-Z]/.test(name)) ?? "";
  const dashed = long.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  return `## Options\n\nOn the command line with dashes: \`${long}\` is \`--${dashed}\`.\n\n| option | default | meaning | items |\n|---|---|---|---|\n${rows.join("\n")}\n`;
}

function itemPart<Published>(kind: StudyKind<Published>, item: ItemFacts<string, Published>): string {
  const { id, definition, about, reading, values, tabled, others } = item;
  const rows = Object.entries({ ...values, ...tabled, ...others }).flatMap(([key, info]) => {
    const [unit, label] = info;
    const text = publishedText(info, kind.publishedText);
    return text === "" ? [] : [`| \`${key}\` | ${cell(label)} | ${text} | ${unit} |`];
  });
  const table =
    rows.length === 0
      ? ""
      : `\n| value | meaning | published | unit |\n|---|---|---|---|\n${rows.join("\n")}\n`;
  return `## ${id}\n\n**${itemTitle(item)}** (${definition}). ${about}\n\n${reading}\n${table}`;
}

const cell = (text: string) => text.replaceAll("|", "\\|");
