/** `plimsoll completion SHELL`: the script is whole in itself, so pressing Tab starts no program. */

import { defineCommand } from "./command.ts";
import { bashScript } from "./shells/bash.ts";
import { fishScript } from "./shells/fish.ts";
import { completionModel } from "./shells/model.ts";
import { zshScript } from "./shells/zsh.ts";

const shells = { bash: bashScript, zsh: zshScript, fish: fishScript };

export default defineCommand({
  name: "completion",
  description:
    "Prints a shell script that completes commands, options, choices and files. " +
    "Load it in the shell's start-up file, and again after an update.",
  examples: [
    { command: 'eval "$(plimsoll completion bash)"', does: "in ~/.bashrc" },
    { command: 'eval "$(plimsoll completion zsh)"', does: "in ~/.zshrc, after compinit" },
    {
      command: "plimsoll completion fish > ~/.config/fish/completions/plimsoll.fish",
      does: "once, for fish",
    },
  ],
  arguments: [{ name: "shell", help: "the shell", choices: ["bash", "zsh", "fish"] }],
  async run({ arguments: [shell] }, context) {
    const model = await completionModel(context.commands);
    const script = shells[shell as keyof typeof shells](model);
    if (context.json) context.printJson({ shell, script });
    else context.out.write(script);
  },
});
