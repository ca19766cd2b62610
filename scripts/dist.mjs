// `npm run dist`: relocatable packages for machines without Node, npm, network or root, in the folder given
// by --output (default out/): plimsoll-VERSION-linux-x64.tar.xz with the database, and a core variant without.
// --unpacked leaves the two folders as they are. The same sources give the same bytes; SOURCE_DATE_EPOCH sets
// the time of the files.

import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  chmodSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join, resolve } from "node:path";
import { build } from "./build.mjs";
import { importSources } from "./bundle.mjs";
import { ensureDependencies, root, runScript, say, SetupError } from "./setup.mjs";

/** Of the oldest system that Node 20 runs on. */
const OLDEST_GLIBC = "2.28";
const DATABASE = ["@duckdb/node-bindings", "@duckdb/node-bindings-linux-x64", "detect-libc"];
const MPI = {
  koffi: [
    "package.json",
    "index.cjs",
    "index.js",
    "src/koffi/index.cjs",
    "src/koffi/index.js",
    "LICENSE.txt",
  ],
};
const MPI_LIBRARY = { "@koromix/koffi-linux-x64": ["package.json", "index.js", "linux_x64/koffi.node"] };

/** The README and what it links to. */
const DOCUMENTS = [
  ..."README CHANGELOG CONTRIBUTING SECURITY CODE_OF_CONDUCT".split(" ").map((name) => `${name}.md`),
  ...["CITATION.cff", "LICENSE", "docs"],
];

const LAUNCHER = `#!/bin/sh
# Runs Plimsoll with the Node beside it, wherever this folder is; links to this file work too.
self=$0
while [ -L "$self" ]; do
  to=$(readlink "$self")
  case $to in /*) self=$to ;; *) self=\${self%/*}/$to ;; esac
done
case $self in */*) here=\${self%/*} ;; *) here=. ;; esac
exec "$here/../libexec/plimsoll/node" "$here/../lib/plimsoll/dist/start.cjs" "$@"
`;

await runScript(async () => {
  if (process.platform !== "linux" || process.arch !== "x64")
    throw new SetupError(`packages are made on linux-x64, and this is ${process.platform}-${process.arch}`);
  ensureDependencies();
  const output = resolve(option("--output") ?? join(root, "out"));
  const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  const name = `plimsoll-${version}-linux-x64`;
  const core = `plimsoll-core-${version}-linux-x64`;
  mkdirSync(output, { recursive: true });
  const work = join(output, `.work-${process.pid}`);
  try {
    await fill(join(work, name));
    cpSync(join(work, name), join(work, core), { recursive: true });
    const packages = join(work, core, "lib", "plimsoll", "node_modules");
    for (const one of [...DATABASE, "@duckdb"]) rmSync(join(packages, one), { recursive: true, force: true });
    if (process.argv.includes("--unpacked")) {
      for (const one of [name, core]) moveTo(join(work, one), join(output, one));
      return;
    }
    packDeb(join(work, core), version, output);
    pack(work, core, output);
    writeRecipes(version, pack(work, name, output), join(output, "packaging"));
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
});

function moveTo(from, to) {
  rmSync(to, { recursive: true, force: true });
  renameSync(from, to);
}

function option(name) {
  const at = process.argv.indexOf(name);
  return at < 0 ? undefined : process.argv[at + 1];
}

/** bin/plimsoll, Node, the program with its libraries, and what shells and readers take. */
async function fill(folder) {
  const library = join(folder, "lib", "plimsoll");
  await build({ dist: join(library, "dist") });
  removeMaps(join(library, "dist"));
  for (const path of ["package.json", "native", "examples"])
    cpSync(join(root, path), join(library, path), { recursive: true });
  rmSync(join(library, "examples", "pathologies"), { recursive: true, force: true });
  for (const name of DATABASE) copyPackage(name, library);
  for (const [name, files] of Object.entries({ ...MPI, ...MPI_LIBRARY })) copyPackage(name, library, files);
  buildRecorder(join(library, "native", "prebuilt"));

  const node = join(folder, "libexec", "plimsoll", "node");
  mkdirSync(dirname(node), { recursive: true });
  cpSync(realpathSync(process.execPath), node);
  chmodSync(node, 0o755);
  write(join(folder, "bin", "plimsoll"), LAUNCHER, 0o755);

  const share = join(folder, "share");
  const documents = join(share, "doc", "plimsoll");
  for (const path of DOCUMENTS) cpSync(join(root, path), join(documents, path), { recursive: true });
  write(join(documents, "NODE-LICENSE"), nodeLicence());
  await addPages(share);
  checkGlibc(folder);
}

function write(path, text, mode = 0o644) {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  chmodSync(path, mode);
}

/** Maps of sources that are not in the package. */
function removeMaps(folder) {
  for (const name of readdirSync(folder, { recursive: true, encoding: "utf8" }))
    if (name.endsWith(".map")) rmSync(join(folder, name));
  rmSync(join(folder, ".stamp"), { force: true });
}

function copyPackage(name, library, files) {
  const [from, to] = [join(root, "node_modules", name), join(library, "node_modules", name)];
  if (!existsSync(from)) throw new SetupError(`the package ${name} is not installed; run npm ci`);
  for (const file of files ?? readdirSync(from))
    cpSync(join(from, file), join(to, file), { recursive: true });
}

/** The recorder and its self-test for machines without a compiler. */
function buildRecorder(folder) {
  mkdirSync(folder, { recursive: true });
  const native = join(root, "native");
  const shim = join(folder, "recorder.so");
  const portable = ["-include", join(native, "old-glibc.h"), "-Wl,--no-as-needed", "-l:libdl.so.2"];
  const flags = ["-std=gnu11", "-O2", "-fPIC", "-shared", "-fexceptions", "-fvisibility=hidden"];
  const same = [`-ffile-prefix-map=${native}=.`, "-Wl,--build-id=none", "-s"];
  cc([
    ...flags,
    "-fno-delete-null-pointer-checks",
    ...same,
    "-o",
    shim,
    join(native, "recorder.c"),
    ...portable,
    "-lpthread",
  ]);
  const start = ["-nostartfiles", "-include", join(native, "old-glibc-start.h")];
  cc([
    "-O1",
    "-w",
    ...same,
    ...start,
    "-o",
    join(folder, "recorder-probe"),
    join(native, "recorder-probe.c"),
  ]);
}

function cc(args) {
  const { status, stderr, error } = spawnSync("cc", args, { encoding: "utf8" });
  if (status !== 0)
    throw new SetupError(`cannot build the recorder: ${error?.message ?? stderr.split("\n")[0]}`);
}

/** Refuses programs and libraries that ask for a newer glibc, by the names in their tables of strings. */
function checkGlibc(folder) {
  for (const name of readdirSync(folder, { recursive: true, encoding: "utf8" })) {
    const path = join(folder, name);
    if (!lstatSync(path).isFile()) continue;
    const bytes = readFileSync(path);
    if (bytes.subarray(0, 4).toString("latin1") !== "\x7fELF") continue;
    const versions = [...bytes.toString("latin1").matchAll(/GLIBC_2\.(\d+)/g)].map(([, minor]) =>
      Number(minor),
    );
    const newest = Math.max(0, ...versions);
    if (newest > Number(OLDEST_GLIBC.slice(2)))
      throw new SetupError(`${name} needs glibc 2.${newest}, newer than ${OLDEST_GLIBC}`);
  }
}

function nodeLicence() {
  const places = [
    join(dirname(dirname(realpathSync(process.execPath))), "LICENSE"),
    "/usr/share/doc/nodejs/LICENSE",
    "/usr/share/doc/nodejs/copyright",
  ];
  const found = places.find((path) => existsSync(path));
  if (found === undefined) throw new SetupError(`no licence text of Node beside ${process.execPath}`);
  return readFileSync(found, "utf8");
}

/** Pages for man, and completions. */
async function addPages(share) {
  const pages = await importSources(`
    export { commands } from "./src/cli/index.ts";
    export { manPages } from "./src/cli/man.ts";
    export { bashScript } from "./src/cli/shells/bash.ts";
    export { fishScript } from "./src/cli/shells/fish.ts";
    export { zshScript } from "./src/cli/shells/zsh.ts";
    export { completionModel } from "./src/cli/shells/model.ts";`);
  const model = await pages.completionModel(pages.commands);
  write(join(share, "bash-completion", "completions", "plimsoll"), pages.bashScript(model));
  write(join(share, "zsh", "site-functions", "_plimsoll"), pages.zshScript(model));
  write(join(share, "fish", "vendor_completions.d", "plimsoll.fish"), pages.fishScript(model));
  for (const { file, text } of await pages.manPages(pages.commands))
    write(join(share, "man", "man1", file), text);
}

/** One archive with its checksum; owner, order, times and modes do not depend on who made it. */
function pack(work, name, output) {
  const archive = join(output, `${name}.tar.xz`);
  const time = process.env.SOURCE_DATE_EPOCH ?? commitTime();
  const tar = [
    ...["--sort=name", `--mtime=@${time}`, "--owner=0", "--group=0", "--numeric-owner", "--format=ustar"],
    ...["--mode=u+rw,go+r-w,a+X", "-C", work, "-cf", join(work, "archive.tar"), name],
  ];
  run("tar", tar);
  // Blocks are packed apart, so the result does not depend on the number of cores.
  run("xz", ["-6", "-T2", "--block-size=32MiB", "-f", join(work, "archive.tar")]);
  cpSync(join(work, "archive.tar.xz"), archive);
  const sum = createHash("sha256").update(readFileSync(archive)).digest("hex");
  writeFileSync(`${archive}.sha256`, `${sum}  ${name}.tar.xz\n`);
  say(`${archive}: ${(statSync(archive).size / 2 ** 20).toFixed(1)} MiB, ${sum}`);
  return sum;
}

/** The core variant as a Debian package with the unit of the collector and a system user (packaging/deb). */
function packDeb(tree, version, output) {
  const folder = `${tree}-deb`;
  cpSync(tree, join(folder, "usr", "lib", "plimsoll"), { recursive: true });
  mkdirSync(join(folder, "usr", "bin"));
  symlinkSync("../lib/plimsoll/bin/plimsoll", join(folder, "usr", "bin", "plimsoll"));
  moveTo(join(folder, "usr", "lib", "plimsoll", "share"), join(folder, "usr", "share"));
  const unit = "plimsoll-collect.service";
  mkdirSync(join(folder, "lib", "systemd", "system"), { recursive: true });
  cpSync(join(root, "examples", "systemd", unit), join(folder, "lib", "systemd", "system", unit));
  const from = join(root, "packaging", "deb");
  for (const name of ["postinst", "prerm", "postrm"])
    write(join(folder, "DEBIAN", name), readFileSync(join(from, name), "utf8"), 0o755);
  const time = process.env.SOURCE_DATE_EPOCH ?? commitTime();
  addDebianFiles(from, join(folder, "usr", "share"), version, new Date(Number(time) * 1000));
  const control = readFileSync(join(from, "control"), "utf8");
  const kibibytes = Math.ceil(bytesBelow(folder) / 1024);
  write(
    join(folder, "DEBIAN", "control"),
    control.replace("VERSION", version).replace("SIZE", `${kibibytes}`),
  );
  run("chmod", ["-R", "u+rw,go+r-w,a+X", folder]);
  const archive = join(output, `plimsoll-collect_${version}_amd64.deb`);
  run("dpkg-deb", ["--root-owner-group", "-Zxz", "--build", folder, archive], { SOURCE_DATE_EPOCH: time });
  rmSync(folder, { recursive: true });
  say(`${archive}: ${(statSync(archive).size / 2 ** 20).toFixed(1)} MiB`);
}

/** What Debian's policy asks for: copyright, changelog, packed pages for man. */
function addDebianFiles(from, share, version, time) {
  const text = (name) => readFileSync(join(from, name), "utf8");
  const documents = join(share, "doc", "plimsoll-collect");
  write(join(documents, "copyright"), text("copyright"));
  const date = time.toUTCString().replace("GMT", "+0000");
  write(join(documents, "changelog"), text("changelog").replace("VERSION", version).replace("DATE", date));
  write(join(share, "lintian", "overrides", "plimsoll-collect"), text("lintian-overrides"));
  const pages = join(share, "man", "man1");
  run("gzip", ["-9n", join(documents, "changelog"), ...readdirSync(pages).map((name) => join(pages, name))]);
}

function bytesBelow(folder) {
  const names = readdirSync(folder, { recursive: true, encoding: "utf8" });
  return names.map((name) => lstatSync(join(folder, name))).reduce((sum, { size }) => sum + size, 0);
}

/** The recipes of packaging/ for this version and this tarball. */
function writeRecipes(version, sum, to) {
  const from = join(root, "packaging");
  for (const name of readdirSync(from, { recursive: true, encoding: "utf8" })) {
    if (name.startsWith("deb") || !lstatSync(join(from, name)).isFile()) continue;
    const text = readFileSync(join(from, name), "utf8");
    write(join(to, name), text.replaceAll("VERSION", version).replaceAll("SHA256", sum));
  }
}

/** Of the last commit; a copy without git has no time of its own. */
function commitTime() {
  const { stdout, status } = spawnSync("git", ["log", "-1", "--format=%ct"], { cwd: root, encoding: "utf8" });
  return status === 0 && /^\d+\s*$/.test(stdout) ? stdout.trim() : "0";
}

function run(program, args, env = {}) {
  const setting = { encoding: "utf8", env: { ...process.env, ...env } };
  const { status, stderr, error } = spawnSync(program, args, setting);
  if (status !== 0) throw new SetupError(`${program} failed: ${error?.message ?? stderr.split("\n")[0]}`);
}
