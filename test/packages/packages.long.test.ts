/** What `npm run dist` makes, used where nothing is: in a minimal Debian 11 without Node, compiler and network. */
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { createHash } from "node:crypto";
import {
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { version } from "../../package.json";

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const name = `plimsoll-${version}-linux-x64`;
const core = `plimsoll-core-${version}-linux-x64`;
const LOG = join(root, "test/fixtures/darshan/mpiio4_dxt.darshan");

function run(program: string, args: readonly string[], env: Record<string, string> = {}) {
  return spawnSync(program, args, { encoding: "utf8", env: { ...process.env, ...env }, cwd: root });
}

function must(program: string, args: readonly string[], env: Record<string, string> = {}): string {
  const { status, stdout, stderr, error } = run(program, args, env);
  expect(`${status} ${error?.message ?? ""}${status === 0 ? "" : stderr}`).toBe("0 ");
  return stdout;
}

/** Every path below a folder with its content, mode and link. */
function fingerprint(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .sort()
    .map((path) => {
      const found = lstatSync(join(folder, path));
      if (found.isDirectory()) return path;
      const content = found.isSymbolicLink()
        ? readlinkSync(join(folder, path))
        : createHash("sha256")
            .update(readFileSync(join(folder, path)))
            .digest("hex");
      return `${path} ${(found.mode & 0o777).toString(8)} ${content}`;
    });
}

function bytesBelow(folder: string): number {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .map((path) => lstatSync(join(folder, path)).size)
    .reduce((sum, size) => sum + size, 0);
}

describe("packages", () => {
  let work: string;
  let debian: string;
  const mounts: string[] = [];

  beforeAll(() => {
    work = mkdtempSync(join(tmpdir(), "plimsoll-dist-"));
    must("node", ["scripts/dist.mjs", "--output", work]);
    debian = join(work, "debian");
    must("debootstrap", ["--variant=minbase", "--include=adduser,gcc,libc6-dev", "bullseye", debian]);
    for (const one of [name, core])
      must("tar", ["-xf", join(work, `${one}.tar.xz`), "-C", join(debian, "opt")]);
    cpSync(LOG, join(debian, "srv", "run.darshan"));
    // Without a compiler, until it is asked for.
    must("mv", [join(debian, "usr/bin/gcc"), join(debian, "usr/bin/gcc.hidden")]);
  }, 1_500_000);

  afterAll(() => {
    for (const place of mounts.reverse()) run("umount", [place]);
    rmSync(work, { recursive: true, force: true });
  });

  function mounted(type: readonly string[], place: string, body: () => void): void {
    const target = join(debian, place);
    mkdirSync(target, { recursive: true });
    must("mount", [...type, target]);
    mounts.push(target);
    try {
      body();
    } finally {
      must("umount", [target]);
      mounts.pop();
    }
  }

  /** In the Debian, with nothing of this environment; as nobody unless told otherwise. */
  function inside(words: readonly string[], { user = "nobody", env = {} as Record<string, string> } = {}) {
    const setting = Object.entries({ HOME: "/nonexistent", PATH: "/usr/bin:/bin", ...env });
    const clean = ["/usr/bin/env", "-i", ...setting.map(([key, value]) => `${key}=${value}`)];
    return run("chroot", [`--userspec=${user}`, debian, ...clean, ...words]);
  }

  const plimsoll = (...words: string[]) => [`/opt/${name}/bin/plimsoll`, ...words];

  it("have sums, and recipes with them", () => {
    for (const one of [name, core]) must("sh", ["-c", `cd ${work} && sha256sum -c ${one}.tar.xz.sha256`]);
    const sum = readFileSync(join(work, `${name}.tar.xz.sha256`), "utf8").slice(0, 64);
    for (const recipe of ["spack/package.py", "easybuild/plimsoll.eb", "conda/meta.yaml"]) {
      const text = readFileSync(join(work, "packaging", recipe), "utf8");
      expect(text).toContain(sum);
      expect(text).toContain(`plimsoll-${version}-linux-x64.tar.xz`);
    }
    must("python3", [
      "-c",
      `import ast; ast.parse(open("${join(work, "packaging/spack/package.py")}").read())`,
    ]);
    must("python3", [
      "-c",
      `import ast; ast.parse(open("${join(work, "packaging/easybuild/plimsoll.eb")}").read())`,
    ]);
  });

  it("name only folders that the tarball has", () => {
    const tree = join(debian, "opt", name);
    for (const path of [
      "bin/plimsoll",
      "libexec/plimsoll/node",
      "lib/plimsoll/dist",
      "share/man/man1",
      "share/doc/plimsoll/LICENSE",
    ])
      expect([path, existsSync(join(tree, path))]).toEqual([path, true]);
    expect(readdirSync(tree).sort()).toEqual(["bin", "lib", "libexec", "share"]);
    const documents = join(tree, "share/doc/plimsoll");
    const readme = readFileSync(join(documents, "README.md"), "utf8");
    for (const [, path = ""] of readme.matchAll(/\]\(([^):#]+)(?:#[^)]*)?\)/g))
      expect([path, existsSync(join(documents, path))]).toEqual([path, true]);
  });

  it("are the same bytes when made again", () => {
    const [first, second] = ["a", "b"].map((one) => join(work, one)) as [string, string];
    for (const folder of [first, second])
      must("node", ["scripts/dist.mjs", "--unpacked", "--output", folder]);
    expect(fingerprint(second)).toEqual(fingerprint(first));
    expect(fingerprint(join(debian, "opt", name)).map((line) => line.split(" ")[2])).toEqual(
      fingerprint(join(first, name)).map((line) => line.split(" ")[2]),
    );
    rmSync(first, { recursive: true });
    rmSync(second, { recursive: true });
  });

  it("are small without the database: 45 MB beside Node", () => {
    const tree = join(debian, "opt", core);
    expect(bytesBelow(tree) - bytesBelow(join(tree, "libexec"))).toBeLessThan(45e6);
  });

  it("say what they are", () => {
    const { stdout, stderr } = inside(plimsoll("--version", "--json"));
    expect(stderr).toBe("");
    expect(JSON.parse(stdout)).toMatchObject({
      plimsoll: version,
      glibc: "2.31",
      parts: { database: true, mpi: true, recorderSource: true, prebuiltRecorder: true, page: true },
    });
  });

  it("print, report, ingest and study as a user who may write nowhere but /tmp", () => {
    const here = must("node", ["dist/main.js", "darshan", "parse", LOG]);
    expect(inside(plimsoll("darshan", "parse", "/srv/run.darshan")).stdout).toBe(
      here.replaceAll(LOG, "/srv/run.darshan"),
    );
    for (const words of [
      ["report", "/srv/run.darshan", "-o", "/tmp/report.html"],
      ["ingest", "/srv/run.darshan", "--store", "/tmp/store"],
      ["top", "runs", "--store", "/tmp/store"],
      ["sql", "select count(*) from runs", "--store", "/tmp/store"],
      ["study", "reuse", "--store", "/tmp/store"],
      ["page", "-o", "/tmp/page.html"],
    ])
      expect([words, inside(plimsoll(...words)).status]).toEqual([words, 0]);
    expect(existsSync(join(debian, "tmp/report.html"))).toBe(true);
  });

  it("serve pages about a store", async () => {
    const make = ["generate", "sitewide", "--scale", "0.01", "--tables", "--output", "/tmp/site"];
    expect(inside(plimsoll(...make)).status).toBe(0);
    const clean = ["/usr/bin/env", "-i", "HOME=/nonexistent", "PATH=/usr/bin:/bin"];
    const server = spawn("chroot", [
      "--userspec=nobody",
      debian,
      ...clean,
      ...plimsoll("serve", "--store", "/tmp/site/store"),
    ]);
    try {
      const [line] = (await once(server.stdout, "data")) as [Buffer];
      const { url } = JSON.parse(line.toString()) as { url: string };
      const answer = await fetch(url);
      expect([answer.status, await answer.text()]).toEqual([200, expect.stringContaining("Plimsoll")]);
    } finally {
      server.kill("SIGTERM");
      await once(server, "close");
    }
  });

  it("work without HOME, in a locale that is not there, and name processors without /proc", () => {
    const bare = (...words: string[]) =>
      run("chroot", ["--userspec=nobody", debian, "/usr/bin/env", "-i", ...words]);
    for (const setting of [["TZ=UTC"], ["LC_ALL=de_DE.UTF-8"], ["TMPDIR=/nonexistent"]]) {
      const { status, stderr } = bare(...setting, ...plimsoll("report", "/srv/run.darshan"));
      expect([setting, status, stderr]).toEqual([setting, 0, ""]);
    }
    const small = [
      "ncio",
      "--count",
      "4",
      "--pause",
      "0",
      "--repeats",
      "1",
      "--warm-ups",
      "0",
      "--dir",
      "/tmp",
    ];
    const { stdout } = inside(plimsoll(...small));
    expect(stdout).toMatch(/: [1-9]\d* processors, /);
  });

  it("work through links and from paths with spaces", () => {
    must("ln", ["-sfn", `/opt/${name}/bin/plimsoll`, join(debian, "usr/bin/plimsoll-link")]);
    expect(inside(["plimsoll-link", "--version"]).stdout).toBe(`${version}\n`);
    must("cp", ["-a", join(debian, "opt", core), join(debian, "opt/with space")]);
    expect(inside(["/opt/with space/bin/plimsoll", "--version"]).stdout).toBe(`${version}\n`);
  });

  it("record without a compiler, and with one that is asked for", () => {
    mounted(["-t", "proc", "proc"], "proc", () => {
      const words = plimsoll(
        "record",
        "-o",
        "/tmp/trace",
        "--force",
        "--json",
        "--",
        "cp",
        "/srv/run.darshan",
        "/tmp/copy",
      );
      for (const env of [{}, { CC: "/usr/bin/gcc.hidden" }] as Record<string, string>[]) {
        const { status, stdout, stderr } = inside(words, { env });
        expect([status, stderr]).toEqual([0, expect.not.stringContaining("no C compiler")]);
        expect(JSON.parse(stdout).accesses).toBeGreaterThan(0);
      }
      expect(inside(plimsoll("report", "/tmp/trace")).status).toBe(0);
      // LD_PRELOAD cannot name a path with a space.
      must("cp", ["-a", join(debian, "opt", core), join(debian, "opt/a space")]);
      const spaced = ["/opt/a space/bin/plimsoll", "record", "-o", "/tmp/spaced", "--", "cp"];
      const { status, stderr } = inside([...spaced, "/srv/run.darshan", "/tmp/copy"]);
      expect([status, stderr]).toEqual([0, expect.stringContaining("accesses of 1 process")]);
    });
  });

  it("record where /tmp runs no programs", () => {
    mounted(["-t", "proc", "proc"], "proc", () =>
      mounted(["-t", "tmpfs", "-o", "noexec,mode=1777", "tmpfs"], "tmp", () => {
        const { status, stderr } = inside(
          plimsoll("record", "-o", "/tmp/t", "--", "cp", "/srv/run.darshan", "/tmp/copy"),
        );
        expect([status, stderr]).toEqual([0, expect.stringContaining("recorded")]);
      }),
    );
  });

  it("work from a read-only file system, with a home that cannot be written", () => {
    const tree = join(debian, "opt", name);
    mounted(["-t", "proc", "proc"], "proc", () =>
      mounted(["--bind", "-o", "ro", tree], "mnt", () => {
        const env = { HOME: "/srv" };
        const words = ["--", "cp", "/srv/run.darshan", "/tmp/copy"];
        for (const command of [
          ["report", "/srv/run.darshan", "-o", "/tmp/ro.html"],
          ["record", "-o", "/tmp/ro-trace", "--force", ...words],
          ["ingest", "/srv/run.darshan", "--store", "/tmp/ro-store"],
        ])
          expect([command, inside(["/mnt/bin/plimsoll", ...command], { env }).status]).toEqual([command, 0]);
      }),
    );
  });

  it.each([
    ["ingest", "/srv/run.darshan"],
    ["sql", "select 1"],
    ["who"],
    ["job", "1"],
    ["study", "reuse"],
    ["study", "system"],
    ["store", "check"],
    ["serve"],
  ])("without the database say what to install: %s %s", (...words) => {
    const store = words[0] === "store" ? ["/tmp/store"] : ["--store", "/tmp/store"];
    const { status, stderr } = inside([`/opt/${core}/bin/plimsoll`, ...words.filter(Boolean), ...store]);
    expect([status, stderr]).toEqual([
      1,
      expect.stringMatching(/^plimsoll: [^\n]*needs the database DuckDB[^\n]*\n$/),
    ]);
  });

  it("say in one line what is missing: /proc, the database, a place to write", () => {
    const record = inside(plimsoll("record", "-o", "/tmp/none", "--", "true"));
    expect([record.status, record.stderr]).toEqual([
      1,
      "plimsoll: recording needs /proc, which is not mounted here (mount -t proc proc /proc)\n",
    ]);
    const query = inside([`/opt/${core}/bin/plimsoll`, "top", "runs", "--store", "/tmp/store"]);
    expect([query.status, query.stderr]).toEqual([
      1,
      expect.stringMatching(/^plimsoll: [^\n]*needs the database DuckDB[^\n]*\n$/),
    ]);
    const report = inside(plimsoll("report", "/srv/run.darshan", "-o", "/srv/report.html"));
    expect([report.status, report.stderr]).toEqual([
      1,
      expect.stringMatching(/^plimsoll: [^\n]*permission denied[^\n]*\n$/),
    ]);
  });

  it("install as a Debian package with a unit and a user, and leave nothing when purged", () => {
    const archive = `plimsoll-collect_${version}_amd64.deb`;
    cpSync(join(work, archive), join(debian, "srv", archive));
    const path = { PATH: "/usr/sbin:/usr/bin:/sbin:/bin" };
    const installed = inside(["dpkg", "-i", `/srv/${archive}`], { user: "root", env: path });
    expect([installed.status, installed.stderr]).toEqual([0, expect.anything()]);
    expect(inside(["plimsoll", "--version"]).stdout).toBe(`${version}\n`);
    expect(inside(["id", "-un", "plimsoll"]).stdout).toBe("plimsoll\n");
    expect(existsSync(join(debian, "lib/systemd/system/plimsoll-collect.service"))).toBe(true);
    expect(existsSync(join(debian, "usr/share/man/man1/plimsoll-collect-server.1.gz"))).toBe(true);
    const list = inside(["plimsoll", "collect", "client", "--list", "--dir", "/var/lib/plimsoll"], {
      user: "plimsoll",
    });
    expect([list.status, list.stderr]).toEqual([0, ""]);
    // Counters survive an upgrade and the removal of the package.
    const counters = join(debian, "var/lib/plimsoll/counters");
    writeFileSync(counters, "");
    for (const words of [
      ["-i", `/srv/${archive}`],
      ["-r", "plimsoll-collect"],
    ]) {
      const { status } = inside(["dpkg", ...words], { user: "root", env: path });
      expect([words, status, existsSync(counters)]).toEqual([words, 0, true]);
    }
    expect(existsSync(join(debian, "usr/bin/plimsoll"))).toBe(false);
    expect(inside(["dpkg", "--purge", "plimsoll-collect"], { user: "root", env: path }).status).toBe(0);
    for (const one of ["usr/bin/plimsoll", "usr/lib/plimsoll", "var/lib/plimsoll"])
      expect([one, existsSync(join(debian, one))]).toEqual([one, false]);
    expect(inside(["id", "plimsoll"]).status).toBe(1);
  });

  it("are a Debian package without a complaint of lintian", { timeout: 600_000 }, () => {
    const archive = join(work, `plimsoll-collect_${version}_amd64.deb`);
    expect(must("lintian", ["--no-cfg", "--allow-root", "--fail-on", "error,warning", archive])).toBe("");
  });

  it("are what the recipe of Apptainer makes a container of", { timeout: 600_000 }, () => {
    const recipe = readFileSync(join(work, "packaging/apptainer/plimsoll.def"), "utf8");
    const section = (one: string) => recipe.match(new RegExp(`^%${one}\n((?: .*\n)*)`, "m"))?.[1] ?? "";
    const setting = { user: "root", env: { PATH: "/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin" } };
    cpSync("/etc/resolv.conf", join(debian, "etc/resolv.conf"));
    const [from = "", to = ""] = section("files").trim().split(" ");
    cpSync(join(work, from), join(debian, to));
    for (const one of ["post", "test"]) {
      const { status, stdout, stderr } = inside(["sh", "-ec", section(one)], setting);
      expect([one, status, status === 0 ? "" : stderr]).toEqual([one, 0, ""]);
      if (one === "test") expect(stdout).toContain(version);
    }
    const words = ["sh", "-ec", section("runscript"), "plimsoll", "report", "/srv/run.darshan"];
    expect(inside(words, setting).stdout).toContain("4 ranks");
  });
});
