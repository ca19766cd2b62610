import { scriptWord } from "../../base/command-line.ts";
import { flagsOf, type Node, type OptionNode } from "./model.ts";

/**
 * The script works out how far the words reach into the tree of commands, then offers what can follow. It needs
 * nothing from the bash-completion package. bash 3.2 (macOS) has no compopt, hence the test for it.
 */
export function bashScript(nodes: readonly Node[]): string {
  return `# bash completion for plimsoll
_plimsoll() {
  local word=\${COMP_WORDS[COMP_CWORD]} previous=\${COMP_WORDS[COMP_CWORD-1]} path="" values="" words="" files="" i
  COMPREPLY=()
  for ((i = 1; i < COMP_CWORD; i++)); do
    case "$path \${COMP_WORDS[i]}" in
${nodes
  .filter(({ path }) => path !== "")
  .map(({ path }) => `      ${scriptWord(` ${path}`)}) path=${scriptWord(` ${path}`)} ;;\n`)
  .join("")}    esac
  done
  case "$path" in
${nodes.map(bashNode).join("")}  esac
  if [[ -n $values ]]; then
    [[ $values == files ]] && files=1 words="" || { words=$values; files=""; }
  elif [[ $word == -* ]]; then
    files=""
  fi
  if [[ -n $words ]]; then
    COMPREPLY=($(compgen -W "$words" -- "$word"))
  fi
  if [[ -n $files ]]; then
    local IFS=$'\\n'
    COMPREPLY+=($(compgen -f -- "$word"))
    type compopt >/dev/null 2>&1 && compopt -o filenames
  fi
}
complete -F _plimsoll plimsoll
`;
}

function bashNode({ path, subcommands, options, choices, files }: Node): string {
  const plain = [...subcommands.map((one) => one.word), ...choices].join(" ");
  const dashed = options.flatMap((one) => flagsOf(one)).join(" ");
  const values = options.filter((one) => one.value !== undefined);
  return `    ${scriptWord(path === "" ? "" : ` ${path}`)})
      if [[ $word == -* ]]; then words=${scriptWord(dashed)}; else words=${scriptWord(plain)}; fi
      files=${files ? "1" : '""'}
${values.length === 0 ? "" : `      case "$previous" in\n${values.map(bashValue).join("")}      esac\n`}      ;;
`;
}

function bashValue(option: OptionNode): string {
  const { choices, files } = option.value ?? {};
  // Where nothing is known of the value, a blank offers nothing.
  const words = choices ? choices.join(" ") : files ? "files" : " ";
  return `        ${flagsOf(option).join("|")}) values=${scriptWord(words)} ;;\n`;
}
