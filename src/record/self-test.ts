/** Tries a built recorder on a small program whose accesses are known. */
import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { Operation } from "../model/index.ts";
import { compile, type Environment, ShimUnavailable } from "./compiler.ts";
import { readTraceFile } from "./read-folder.ts";
import { writeFile } from "../node/write-file.ts";

/** Sizes tell the accesses apart; the last two are of a child. */
const PROBE = `
#include <fcntl.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>
static char buffer[8192];
int main(int argc, char **argv)
{
    int fd = open(argv[argc - 1], O_RDWR | O_CREAT | O_TRUNC, 0600);
    if (write(fd, buffer, 1001) != 1001 || pwrite(fd, buffer, 1002, 0) != 1002) return 1;
    if (pread(fd, buffer, 103, 0) != 103 || read(fd, buffer, 104) != 1) return 2;
    FILE *stream = fdopen(dup(fd), "r+");
    /* Without a buffer the system call is as large as the fread. */
    setvbuf(stream, NULL, _IONBF, 0);
    rewind(stream);
    if (fread(buffer, 5, 21, stream) != 21 || fclose(stream) != 0) return 3;
    if (fork() == 0) _exit(write(fd, buffer, 1006) == 1006 && pread(fd, buffer, 107, 0) == 107 ? 0 : 4);
    int status;
    wait(&status);
    if (status != 0) return 5;
    close(fd);
    return read(fd, buffer, 108) == -1 ? 0 : 6;
}
`;

/** Bytes asked for, bytes that came back, and the operation. */
const EXPECTED = [
  [0, 0, Operation.open],
  [103, 103, Operation.read],
  [104, 1, Operation.read],
  [105, 105, Operation.read],
  [107, 107, Operation.read],
  [1001, 1001, Operation.write],
  [1002, 1002, Operation.write],
  [1006, 1006, Operation.write],
];

interface Trial {
  readonly shim: string;
  readonly compiler: string;
  /** Where files may be left. */
  readonly work: string;
  readonly env: Environment;
}

export function testShim({ shim, compiler, work, env }: Trial): void {
  const [source, probe, folder] = ["probe.c", "probe", "trace"].map((name) => join(work, name)) as [
    string,
    string,
    string,
  ];
  writeFile(source, PROBE);
  compile(compiler, ["-O1", "-w", "-o", probe, source], env);
  mkdirSync(folder);
  writeFile(join(folder, "options"), `only=${join(work, "data")}\n`);
  const { status, signal, error } = spawnSync(probe, [join(work, "data")], {
    env: { ...env, LD_PRELOAD: shim, PLIMSOLL_RECORD: folder },
    stdio: "ignore",
    timeout: 30_000,
  });
  if (status !== 0)
    throw new ShimUnavailable(
      `the recorder was built, but its test program failed with ${error?.message ?? signal ?? status}`,
    );
  const seen = recordedIn(folder);
  if (JSON.stringify(seen) !== JSON.stringify(EXPECTED))
    throw new ShimUnavailable(
      `the recorder was built, but its self-test recorded ${JSON.stringify(seen)} instead of ${JSON.stringify(EXPECTED)}`,
    );
}

/** The reads, the writes and the open. */
function recordedIn(folder: string): [number, number, number][] {
  const seen: [number, number, number][] = [];
  for (const name of readdirSync(folder).filter((one) => one.endsWith(".plt"))) {
    readTraceFile(join(folder, name), {
      clock() {},
      process: () => 0,
      file: () => 0,
      note() {},
      block({ count, bytes, movedBytes, operation }) {
        for (let i = 0; i < count; i++)
          if ((operation[i] as number) <= Operation.open)
            seen.push([bytes[i] as number, movedBytes?.[i] as number, operation[i] as number]);
      },
    });
  }
  return seen.sort((a, b) => a[0] - b[0]);
}
