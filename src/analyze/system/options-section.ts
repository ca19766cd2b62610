/** The last section of the report: every choice, and where the method is from. */
import type { Section } from "../../model/document.ts";
import { table } from "./item.ts";
import { SYSTEM_OPTIONS } from "./options.ts";
import type { Study } from "./study.ts";

export function optionsSection({ options }: Study): Section {
  return {
    id: "options",
    title: "Options",
    detail: true,
    blocks: [
      table(
        "options",
        "Every choice that the paper leaves open, as used here.",
        [
          ["option", "Option", "text", "Name."],
          ["value", "Value", "text", "As used."],
          ["default", "Default", "text", "If not given."],
          ["meaning", "Meaning", "text", "What it does."],
        ],
        Object.entries(SYSTEM_OPTIONS).map(([name, info]) => [
          name,
          String(options[name as keyof typeof options]),
          String(info.default),
          info.help,
        ]),
      ),
      {
        kind: "text",
        text: "Method: A. K. Paul, O. Faaland, A. Moody, E. Gonsiorowski, K. Mohror, A. R. Butt, Understanding HPC Application I/O Behavior Using System Level Statistics, 2020. Not every choice of the paper is printed in it; ours are named above.",
      },
    ],
  };
}
