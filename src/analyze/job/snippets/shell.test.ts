import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { SNIPPETS } from "./index.ts";
import { ShellPaths, shellPath } from "./shell.ts";

const MOUNTS = new Set(["/", "/scratch", "/lustre/work", "/mnt/x/"]);
const file = (path: string) => shellPath(path, "FILE", MOUNTS);

describe("an object of a command", () => {
  it("is the path, without detours", () => {
    expect(file("/scratch/alice/out.h5")).toBe("/scratch/alice/out.h5");
    expect(file("/scratch//alice/./x/../out.h5")).toBe("/scratch/alice/out.h5");
    expect(file("/scratch/alice/1234567/out 1")).toBe("'/scratch/alice/1234567/out 1'");
    expect(file("/dev/shm/alice/x")).toBe("/dev/shm/alice/x");
  });

  it.each([
    ...[
      "",
      "/",
      "//",
      "/.",
      "/..",
      "/scratch/..",
      "/scratch",
      "/scratch/",
      "/lustre/work",
      "/lustre//work/.",
    ],
    ...["/mnt/x", "/home", "/tmp", "/usr/lib/x", "/etc/passwd", "/proc/self/maps", "/dev/sda", "/sys/x"],
    ...["out.h5", "./out.h5", "~/x", "-rf", "C:\\x"],
    ...["(record 9301541831694517)", "<STDOUT>", "<STDERR>", "/scratch/<STDIN>", "/scratch/x/(record 7)"],
    ...[
      "3f9a0c12de45aa07",
      "9301541831694517",
      "/scratch/3f9a0c12de45aa07",
      "/scratch/a/3f9a0c12de45aa07.dat",
    ],
    ...[
      "/scratch/8512/9931",
      "/a1b2c3d4/e5f6a7b8/c9d0e1f2",
      "/scratch/u/9b2f1c9e-0d55-4d3c-8f0e-1a2b3c4d5e6f",
    ],
    // Darshan's own obfuscation: a number below the mount point.
    ...["/lustre/work/398108", "/lustre/work/3981085427", "/lus/theta-fs0/2934391481"],
    ...["/scratch/a\0b"],
  ])("is a placeholder for %j", (path) => {
    expect(file(path)).toBe("FILE");
  });

  it("of a directory is that of the file, or a placeholder with a remark", () => {
    const paths = new ShellPaths(MOUNTS);
    expect(paths.folder("/scratch/a b/x")).toBe("'/scratch/a b'");
    expect(paths.remarks()).toEqual([]);
    expect(paths.folder("/scratch/x")).toBe("DIR");
    expect(paths.folder("(record 7)")).toBe("DIR");
    expect(paths.folder("<STDOUT>")).toBe("DIR");
    expect(paths.folder("/scratch/a/3f9a0c12de45aa07")).toBe("DIR");
    expect(paths.file("/")).toBe("FILE");
    expect(paths.remarks().map((line) => line.slice(0, 7))).toEqual(["# DIR: ", "# FILE:"]);
  });
});

it("gives the recorder more memory without touching a file or losing what it was told", () => {
  const folder = mkdtempSync(join(tmpdir(), "plimsoll-conf-"));
  try {
    writeFileSync(join(folder, "darshan.conf"), "MOD_DISABLE STDIO\n");
    const code =
      SNIPPETS.moreRecords.plain?.shell?.({ modules: ["POSIX", "DXT_POSIX"] }, new ShellPaths(MOUNTS)) ?? "";
    const script = `export DARSHAN_CONFIG_PATH="$PWD/darshan.conf"\n${code}\n${code}\ncat "$DARSHAN_CONFIG_PATH"`;
    const { status, stdout } = spawnSync("bash", ["-eu", "-c", script], { cwd: folder, encoding: "utf8" });
    expect(status).toBe(0);
    const lines = [
      "MODMEM 64",
      "NAMEMEM 16",
      "MAX_RECORDS 20000 POSIX",
      "MOD_ENABLE DXT_POSIX",
      "NAME_EXCLUDE \\.pyc$,\\.so$ *",
    ];
    expect(stdout.trim().split("\n")).toEqual(["MOD_DISABLE STDIO", ...lines, ...lines]);
    expect(readFileSync(join(folder, "darshan.conf"), "utf8")).toBe("MOD_DISABLE STDIO\n");
  } finally {
    rmSync(folder, { recursive: true });
  }
});
