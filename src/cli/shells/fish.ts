import { scriptWord } from "../../base/command-line.ts";
import type { Node, OptionNode } from "./model.ts";

/** fish keeps a list of rules; each of ours holds at one place in the tree of commands. */
export function fishScript(nodes: readonly Node[]): string {
  return `# fish completion for plimsoll
function __plimsoll_at --description 'true where the words so far name this command'
    set -l at
    for word in (commandline -opc)[2..-1]
        if contains -- (string join -- ' ' $at $word) ${nodes
          .filter(({ path }) => path !== "")
          .map(({ path }) => scriptWord(path))
          .join(" ")}
            set -a at $word
        end
    end
    test "$at" = "$argv"
end
complete -c plimsoll -f
${nodes.map(fishNode).join("")}`;
}

function fishNode(node: Node): string {
  const rule = `complete -c plimsoll -n ${scriptWord(`__plimsoll_at ${node.path}`.trim())}`;
  const lines = [
    ...node.subcommands.map(({ word, help }) => `${rule} -a ${word} -d ${scriptWord(help)}`),
    ...(node.choices.length > 0 ? [`${rule} -a ${scriptWord(node.choices.join(" "))}`] : []),
    ...(node.files ? [`${rule} -F`] : []),
    ...node.options.map((option) => `${rule} ${fishOption(option)}`),
  ];
  return `${lines.join("\n")}\n`;
}

function fishOption({ long, short, help, value }: OptionNode): string {
  const words = [`-l ${long}`, ...(short === undefined ? [] : [`-s ${short}`]), `-d ${scriptWord(help)}`];
  if (value?.choices) words.push("-x -a", scriptWord(value.choices.join(" ")));
  else if (value) words.push(value.files ? "-r -F" : "-x");
  return words.join(" ");
}
