/** Counters of NFS, from the kernel, and of IBM Storage Scale, from mmpmon if installed. */
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { MMPMON_FILE, MOUNTSTATS_FILE, sharedMounts } from "../../formats/mounts/index.ts";
import type { ReadFile } from "../../formats/samples/index.ts";
import { codeOf, readFirst, fileReason } from "../files.ts";

const MMPMON = "usr/lpp/mmfs/bin/mmpmon";
/** A hanging daemon must not delay the prolog or epilog of a job. */
const TIMEOUT_MS = 3000;

interface MountFiles {
  readonly files: readonly ReadFile[];
  readonly notes: readonly string[];
}

export function readMountFiles(root: string): MountFiles {
  const files: ReadFile[] = [];
  const notes: string[] = [];
  const attempt = (name: string, read: () => string | undefined) => {
    try {
      const text = read();
      if (text !== undefined && text !== "")
        files.push({ path: name, bytes: new TextEncoder().encode(text) });
    } catch (error) {
      const fault = Object.assign(new Error((error as Error).message), { code: codeOf(error) });
      notes.push(`${name}: ${fileReason(fault)}`);
    }
  };
  attempt(MOUNTSTATS_FILE, () => {
    const bytes = readFirst([join(root, "proc/self/mountstats")]);
    return bytes === undefined ? undefined : sharedMounts(new TextDecoder().decode(bytes));
  });
  attempt(MMPMON_FILE, () => {
    const program = join(root, MMPMON);
    return existsSync(program) ? askMmpmon(program) : undefined;
  });
  return { files, notes };
}

/** Lines of file systems; throws when the program fails. */
function askMmpmon(program: string): string {
  const { status, stdout, stderr, error } = spawnSync(program, ["-p"], {
    input: "fs_io_s\n",
    encoding: "utf8",
    timeout: TIMEOUT_MS,
    killSignal: "SIGKILL",
    maxBuffer: 1 << 24,
  });
  if ((error as NodeJS.ErrnoException | undefined)?.code === "ETIMEDOUT")
    throw new Error(`mmpmon did not respond within ${TIMEOUT_MS / 1000} s`);
  if (error !== undefined) throw error;
  if (status !== 0)
    throw new Error(`mmpmon failed with exit code ${status}: ${stderr.trim().split("\n")[0] ?? ""}`);
  const lines = stdout.split("\n").filter((line) => line.startsWith("_fs_io_s_ "));
  const refused = lines.find((line) => !/ _rc_ 0 /.test(line));
  if (refused !== undefined && lines.length === 1) throw new Error("mmpmon reports no mounted file system");
  return lines.length === 0 ? "" : `${lines.join("\n")}\n`;
}
