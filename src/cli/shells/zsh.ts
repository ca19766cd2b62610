import { scriptWord } from "../../base/command-line.ts";
import { flagsOf, type Node, type OptionNode, type Word } from "./model.ts";

/** Works both with \`eval\` after compinit and as a file named _plimsoll in $fpath. */
export function zshScript(nodes: readonly Node[]): string {
  return `#compdef plimsoll
# zsh completion for plimsoll
_plimsoll() {
  local at="" word=\${words[CURRENT]} previous=\${words[CURRENT-1]}
  local -a subcommands options values
  local -i i files=0 known=0
  for ((i = 2; i < CURRENT; i++)); do
    case "$at \${words[i]}" in
${nodes
  .filter(({ path }) => path !== "")
  .map(({ path }) => `      ${scriptWord(` ${path}`)}) at=${scriptWord(` ${path}`)} ;;\n`)
  .join("")}    esac
  done
  case "$at" in
${nodes.map(zshNode).join("")}  esac
  if ((known)); then
    (($#values)) && compadd -a values
    ((files)) && _files
    return
  fi
  if [[ $word == -* ]]; then
    _describe -o option options
    return
  fi
  (($#subcommands)) && _describe command subcommands
  (($#values)) && compadd -a values
  ((files)) && _files
}
if [[ "\${zsh_eval_context[-1]}" == loadautofunc ]]; then
  _plimsoll "$@"
else
  compdef _plimsoll plimsoll
fi
`;
}

function zshNode({ path, subcommands, options, choices, files }: Node): string {
  const valued = options.filter((one) => one.value !== undefined);
  const flags = options.flatMap((one) => flagsOf(one).map((word) => ({ word, help: one.help })));
  return `    ${scriptWord(path === "" ? "" : ` ${path}`)})
      subcommands=(${described(subcommands)})
      options=(${described(flags)})
      values=(${choices.map(scriptWord).join(" ")})
      files=${files ? 1 : 0}
${valued.length === 0 ? "" : `      case "$previous" in\n${valued.map(zshValue).join("")}      esac\n`}      ;;
`;
}

function zshValue(option: OptionNode): string {
  const { choices = [], files } = option.value ?? {};
  const list = choices.map(scriptWord).join(" ");
  return `        ${flagsOf(option).join("|")}) known=1 files=${files ? 1 : 0}; values=(${list}) ;;\n`;
}

function described(words: readonly Word[]): string {
  return words.map(({ word, help }) => scriptWord(`${word}:${help.replaceAll(":", ",")}`)).join(" ");
}
