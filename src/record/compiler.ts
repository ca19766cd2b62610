/** The user's C compiler. */
import { spawnSync } from "node:child_process";
import { CheckFailed } from "../base/errors.ts";

export type Environment = Readonly<Record<string, string | undefined>>;

/** The recorder cannot be had here; the message says why in one line. */
export class ShimUnavailable extends CheckFailed {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "ShimUnavailable";
  }
}

export function compilerVersion(compiler: string, env: Environment): string {
  const [program = "cc", ...words] = compiler.split(/\s+/);
  const { status, stdout, error } = spawnSync(program, [...words, "--version"], {
    encoding: "utf8",
    env: env,
  });
  if (error !== undefined || status !== 0)
    throw new ShimUnavailable(`no C compiler: cannot run ${compiler} (install gcc, or set CC)`);
  return stdout;
}

/** Runs the compiler; throws with its first complaint. */
export function compile(compiler: string, args: readonly string[], env: Environment): void {
  const [program = "cc", ...words] = compiler.split(/\s+/);
  const { status, stderr } = spawnSync(program, [...words, ...args], {
    encoding: "utf8",
    // A recorder around us must not record the compiler.
    env: { ...env, LD_PRELOAD: "", LC_ALL: "C" },
  });
  if (status === 0) return;
  const lines = (stderr ?? "").split("\n").filter((line) => line.trim() !== "");
  const complaint = lines.find((line) => /error/i.test(line)) ?? lines[0] ?? `exit code ${status}`;
  throw new ShimUnavailable(`${compiler} cannot build the recorder: ${complaint.trim()}`);
}
