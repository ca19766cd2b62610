/** The recipes of packaging/ with the tools that they are for, on a small tree in place of the real one. */
import { spawnSync } from "node:child_process";
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { version } from "../../package.json";
import { PAPERS } from "../../src/papers/index.ts";

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const full = `plimsoll-${version}-linux-x64`;
const core = `plimsoll-core-${version}-linux-x64`;

describe("recipes", () => {
  let work: string;

  function must(program: string, ...args: string[]): string {
    const { status, stdout, stderr, error } = spawnSync(program, args, { encoding: "utf8", cwd: work });
    expect(`${status} ${error?.message ?? ""}${status === 0 ? "" : stderr}`).toBe("0 ");
    return stdout;
  }
  const recipe = (path: string) =>
    readFileSync(join(root, "packaging", path), "utf8")
      .replaceAll("VERSION", version)
      .replaceAll("SHA256", "0".repeat(64));
  function filled(path: string): string {
    const to = join(work, path.replaceAll("/", "-"));
    writeFileSync(to, recipe(path));
    return to;
  }

  beforeAll(() => {
    work = mkdtempSync(join(tmpdir(), "plimsoll-recipes-"));
    for (const name of [full, core]) {
      for (const folder of ["bin", "libexec/plimsoll", "share/man/man1", "lib/plimsoll/dist"])
        mkdirSync(join(work, name, folder), { recursive: true });
      cpSync(join(root, "examples"), join(work, name, "lib/plimsoll/examples"), { recursive: true });
      writeFileSync(join(work, name, "share/man/man1/plimsoll.1"), ".TH PLIMSOLL 1\n");
      writeFileSync(join(work, name, "bin/plimsoll"), `#!/bin/sh\necho ${version}\n`);
      chmodSync(join(work, name, "bin/plimsoll"), 0o755);
    }
    must("tar", "-cJf", `${core}.tar.xz`, core);
  });
  afterAll(() => rmSync(work, { recursive: true, force: true }));

  it("rpm: rpmbuild makes a package with the unit, the command and a user", () => {
    const spec = filled("rpm/plimsoll-collect.spec");
    must(
      "rpmbuild",
      "-bb",
      "--quiet",
      "--define",
      `_sourcedir ${work}`,
      "--define",
      `_topdir ${work}/rpm`,
      spec,
    );
    const made = join(work, "rpm/RPMS/x86_64", `plimsoll-collect-${version}-1.x86_64.rpm`);
    const list = must("rpm", "-qpl", "--nosignature", made).split("\n");
    for (const path of [
      "/usr/bin/plimsoll",
      "/usr/lib/plimsoll/bin/plimsoll",
      "/usr/lib/systemd/system/plimsoll-collect.service",
      "/var/lib/plimsoll",
    ])
      expect(list).toContain(path);
    // Red Hat's rpmbuild packs them, Debian's does not.
    expect(list.join("\n")).toMatch(/^\/usr\/share\/man\/man1\/plimsoll\.1(\.gz)?$/m);
    expect(must("rpm", "-qp", "--nosignature", "--scripts", made)).toContain("useradd --system");
    const target = join(work, "rpm-root");
    // Without the scripts, which would make a user of this machine.
    must("rpm", "--root", target, "-i", "--nodeps", "--nosignature", "--noscripts", made);
    expect(must(join(target, "usr/bin/plimsoll"), "--version")).toBe(`${version}\n`);
    must("rpm", "--root", target, "-e", "--nodeps", "--noscripts", "plimsoll-collect");
    expect(existsSync(join(target, "usr/lib/plimsoll"))).toBe(false);
  }, 120_000);

  it("Lmod: module load puts the program and its pages for man on the paths", () => {
    mkdirSync(join(work, "modules/plimsoll"), { recursive: true });
    writeFileSync(
      join(work, "modules/plimsoll", `${version}.lua`),
      recipe("modules/plimsoll.lua").replace("/opt/", `${work}/`),
    );
    const said = must(
      "bash",
      "-c",
      `. /usr/share/lmod/lmod/init/bash && module use ${work}/modules && unset MANPATH && module load plimsoll && plimsoll --version && echo "$MANPATH"`,
    );
    expect(said).toContain(`${version}\n`);
    // Ours first, then the empty entry that keeps those of the system.
    expect(said).toMatch(new RegExp(`^${work}/${full}/share/man::?$`, "m"));
  });

  it("Spack and EasyBuild: Python reads them, and they name the tarball and its folders", () => {
    for (const path of ["spack/package.py", "easybuild/plimsoll.eb"]) {
      must("/usr/bin/python3", "-c", `import ast; ast.parse(open(${JSON.stringify(filled(path))}).read())`);
      expect(recipe(path)).toContain(`${full}.tar.xz`);
    }
    const names = [
      "name",
      "version",
      "sources",
      "checksums",
      "toolchain",
      "sanity_check_paths",
      "moduleclass",
    ];
    const script = `SYSTEM = {}; exec(open(${JSON.stringify(filled("easybuild/plimsoll.eb"))}).read()); print(all(n in globals() for n in ${JSON.stringify(names)}))`;
    expect(must("/usr/bin/python3", "-c", script)).toBe("True\n");
  });

  it("conda and the templates for issues are YAML with the fields that their tools ask for", () => {
    const templates = join(root, ".github/ISSUE_TEMPLATE");
    const read = (path: string) =>
      JSON.parse(
        must(
          "/usr/bin/python3",
          "-c",
          `import json,yaml; print(json.dumps(yaml.safe_load(open(${JSON.stringify(path)}))))`,
        ),
      );
    expect(read(filled("conda/meta.yaml"))).toMatchObject({
      package: { name: "plimsoll", version },
      source: { url: expect.stringContaining(`${full}.tar.xz`), sha256: "0".repeat(64) },
      requirements: { run: ["__glibc >=2.28"] },
      test: { commands: ["plimsoll --version"] },
    });
    // What conda-build does with it: the script in the unpacked folder, then the test with the prefix on PATH.
    const prefix = join(work, "conda-prefix");
    mkdirSync(prefix);
    const { build, test } = read(filled("conda/meta.yaml"));
    const steps = `cd ${full} && export PREFIX=${prefix} && ${build.script.join(" && ")}`;
    must("bash", "-ec", steps);
    expect(must("bash", "-ec", `export PATH=${prefix}/bin:$PATH && ${test.commands.join(" && ")}`)).toBe(
      `${version}\n`,
    );
    for (const name of readdirSync(templates).filter((one) => one !== "config.yml"))
      expect(read(join(templates, name))).toMatchObject({
        name: expect.any(String),
        description: expect.any(String),
        body: expect.any(Array),
      });
    const citation = read(join(root, "CITATION.cff"));
    expect(citation).toMatchObject({ "cff-version": "1.2.0", version, license: "Apache-2.0" });
    // The papers whose studies are repeated, under the titles that `plimsoll papers` gives them.
    const cited = citation.references.map(({ type, title, authors, year }: Record<string, unknown>) => {
      expect([title, type, Array.isArray(authors), typeof year]).toEqual([
        title,
        "conference-paper",
        true,
        "number",
      ]);
      return title;
    });
    expect(cited.sort()).toEqual(PAPERS.map(({ title }) => title).sort());
  });

  it("Apptainer: has its sections, whose scripts a shell reads", () => {
    const sections = new Map(
      recipe("apptainer/plimsoll.def")
        .split(/^%/m)
        .slice(1)
        .map((text) => [text.split("\n", 1)[0] ?? "", text.slice(text.indexOf("\n"))]),
    );
    expect([...sections.keys()]).toEqual(["files", "post", "runscript", "test"]);
    for (const name of ["post", "runscript", "test"]) must("sh", "-n", "-c", sections.get(name) ?? "");
    expect(sections.get("files")).toContain(`${full}.tar.xz`);
  });
});
