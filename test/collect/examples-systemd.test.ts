/** The units of examples/systemd: systemd's own check finds nothing, and what they start is understood. */
import { spawnSync } from "node:child_process";
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { plimsoll, prepare, root } from "./kit.ts";

const UNITS = join(root, "examples", "systemd");
let work: string;
beforeAll(() => {
  prepare();
  work = mkdtempSync(join(tmpdir(), "plimsoll-units-"));
});
afterAll(() => rmSync(work, { recursive: true, force: true }));

/** The units on a system of their own, on which plimsoll is installed; what the check says of them. */
function verify(name: string, change: (text: string) => string): { code: number | null; said: string } {
  const system = join(work, name);
  const folder = join(system, "etc", "systemd", "system");
  const program = join(system, "plimsoll");
  mkdirSync(folder, { recursive: true });
  copyFileSync("/bin/true", program);
  const files = readdirSync(UNITS).map((unit) => {
    const text = readFileSync(join(UNITS, unit), "utf8")
      .replaceAll("/usr/bin/plimsoll", program)
      .replaceAll("/usr/local/libexec/plimsoll/sacct.sh", program);
    writeFileSync(join(folder, unit), change(text));
    return join(folder, unit);
  });
  const { error, status, stdout, stderr } = spawnSync(
    "systemd-analyze",
    ["verify", "--recursive-errors=no", "--man=no", ...files],
    {
      encoding: "utf8",
      env: { ...process.env, SYSTEMD_LOG_LEVEL: "warning", SYSTEMD_LOG_TARGET: "console" },
    },
  );
  if (error !== undefined) throw new Error(`systemd-analyze cannot run (${error.message}); install systemd`);
  return { code: status, said: stdout + stderr };
}

it("systemd finds nothing wrong with them", () => {
  expect(readdirSync(UNITS).length).toBe(7);
  expect(verify("shipped", (text) => text)).toEqual({ code: 0, said: "" });
});

it("systemd would find a name, a value or a program that is none", () => {
  for (const [name, from, to] of [
    ["name", "ProtectHome=", "ProtectHouse="],
    ["value", "*:0/10", "*:0/0/10"],
    ["value", "IOSchedulingClass=idle", "IOSchedulingClass=lazy"],
    ["program", "ExecStart=", "ExecStart=/nowhere"],
  ] as const) {
    const { code, said } = verify(name, (text) => text.replace(from, to));
    expect({ wrong: code !== 0 || said !== "" }, to).toEqual({ wrong: true });
  }
});

it("what they start takes its words", () => {
  const words = (unit: string) => {
    const text = readFileSync(join(UNITS, unit), "utf8");
    const [, line] = /^ExecStart=\/usr\/bin\/plimsoll (.*)$/m.exec(text) ?? [];
    return (line as string)
      .replaceAll(/\/(srv|var\/lib)\/plimsoll/g, work)
      .replace(":9177", ":0")
      .split(" ");
  };
  const tree = join(work, "tree", "proc", "fs", "lustre");
  mkdirSync(tree, { recursive: true });
  mkdirSync(join(work, "incoming"), { recursive: true });
  const collect = plimsoll(
    work,
    ...words("plimsoll-collect.service"),
    "--root",
    join(work, "tree"),
    "--once",
  );
  expect(collect.code, collect.err).toBe(0);
  const ingest = plimsoll(work, ...words("plimsoll-ingest.service"));
  // 2 is what a command that does not understand its words gives.
  expect([0, 3], ingest.err).toContain(ingest.code);
  const unit = readFileSync(join(UNITS, "plimsoll-store.service"), "utf8");
  const commands = [...unit.matchAll(/^ExecStart=\/usr\/bin\/plimsoll (.*)$/gm)].map(([, line = ""]) =>
    line.replaceAll("/srv/plimsoll", work).split(" "),
  );
  expect(commands.map(([, verb]) => verb)).toEqual(["compact", "prune", "check"]);
  for (const command of commands) expect(plimsoll(work, ...command)).toMatchObject({ code: 0, err: "" });
});

/** Stands for sacct: prints a list with one job that is new, one that ended, and one that ran all the time. */
const FAKE_SACCT = `#!/bin/sh
printf '%s\\n' "$@" >"$SAID"
[ "$SLURM_TIME_FORMAT" = %s ] || exit 9
now=$(date +%s)
row() { printf 'tiny\\037%s\\037%s\\037ada\\0371000\\037phys\\037batch\\037%s\\0370:0\\037%s\\037%s\\037%s\\0371\\0371\\0374\\037\\037n1\\037x\\n' "$@"; }
printf 'Cluster\\037JobIDRaw\\037JobID\\037User\\037UID\\037Account\\037Partition\\037State\\037ExitCode\\037Submit\\037Start\\037End\\037ElapsedRaw\\037NNodes\\037NCPUS\\037AllocTRES\\037NodeList\\037JobName\\n'
[ -n "$NONE" ] && exit 0
row 1 1 RUNNING $((now - 60)) $((now - 30)) Unknown
row 2 2 COMPLETED $((now - 900000)) $((now - 900000)) $((now - 20))
row 3 3 RUNNING $((now - 900000)) $((now - 900000)) Unknown
`;

it("the list of jobs before an ingest has those that began or ended, and is ingested with them", () => {
  const [, program, words] =
    /^ExecStart=(\S+) (.*)$/m.exec(readFileSync(join(UNITS, "plimsoll-sacct.service"), "utf8")) ?? [];
  expect(program).toBe("/usr/local/libexec/plimsoll/sacct.sh");
  const bin = join(work, "bin");
  mkdirSync(bin);
  writeFileSync(join(bin, "sacct"), FAKE_SACCT, { mode: 0o755 });
  const said = join(work, "said");
  const run = (more: NodeJS.ProcessEnv = {}) =>
    spawnSync(
      join(root, "examples", "slurm", "sacct.sh"),
      [...(words as string).replaceAll("/srv/plimsoll", work).split(" "), "--allclusters"],
      { encoding: "utf8", env: { ...process.env, PATH: `${bin}:${process.env.PATH}`, SAID: said, ...more } },
    );
  expect(run()).toMatchObject({ status: 0, stderr: "", stdout: "" });
  const out = join(work, "incoming", "sacct");
  expect(readdirSync(out)).toEqual([expect.stringMatching(/^\d{10}\.sacct$/)]);
  expect(readFileSync(said, "utf8").split("\n")).toEqual(
    expect.arrayContaining(["-X", "-P", "--allclusters"]),
  );
  const { code, out: answer } = plimsoll(
    work,
    ...["ingest", join(work, "incoming"), "--store", join(work, "jobs-store"), "--json"],
  );
  expect(code).toBe(0);
  expect(JSON.parse(answer)).toMatchObject({ counts: { schedulerJobs: 2 }, warnings: [] });
  // Nothing new: no file. A sacct that fails leaves the time of the last call as it is.
  const since = readFileSync(join(work, "sacct", "since"), "utf8");
  writeFileSync(join(bin, "sacct"), "#!/bin/sh\nexit 1\n");
  expect(run().status).toBe(1);
  expect(readFileSync(join(work, "sacct", "since"), "utf8")).toBe(since);
  writeFileSync(join(bin, "sacct"), FAKE_SACCT);
  expect(run({ NONE: "1" }).status).toBe(0);
  expect(readdirSync(out).length).toBe(1);
});
