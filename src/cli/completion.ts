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
  examples: {
    'eval "$(plimsoll completion bash)"': "in ~/.bashrc",
    'eval "$(plimsoll completion zsh)"': "in ~/.zshrc, after compinit",
    "plimsoll completion fish > ~/.config/fish/completions/plimsoll.fish": "once, for fish",
  },
  arguments: [{ name: "shell", help: "the shell", choices: ["bash", "zsh", "fish"] }],
  async run({ arguments: [shell] }, context) {
    const model = await completionModel(context.commands);
    const script = shells[shell as keyof typeof shells](model);
    if (context.json) context.printJson({ shell, script });
    else context.out.write(script);
  },
});
