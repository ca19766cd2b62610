// `collect client` on nodes with NFS and Storage Scale, from the prolog to the page of a job.

import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { ask, plimsollWith, prepare, root, write } from "./kit.ts";

let place: string;
beforeAll(() => {
  place = mkdtempSync(join(tmpdir(), "plimsoll-client-mounts-"));
  prepare();
}, 120_000);
afterAll(() => rmSync(place, { recursive: true, force: true }));

const fixtures = join(root, "test/fixtures/mounts");
const collect = (node: string, mode: string) =>
  plimsollWith(
    { SLURM_JOB_ID: "77", SLURM_JOB_USER: "ada", SLURM_JOB_UID: "5101", SLURMD_NODENAME: node },
    place,
    ...["collect", "client", mode, "--dir", "d", "--root", `tree/${node}`, "--strict"],
  );

/** A node as it is before the job, or after it; its mmpmon is a script that answers `fs_io_s`. */
function show(node: string, when: "before" | "after", script = `[ "$*" = -p ] && cat`) {
  const folder = join(place, "tree", node);
  mkdirSync(join(folder, "proc/self"), { recursive: true });
  copyFileSync(join(fixtures, `${when}.mountstats`), join(folder, "proc/self/mountstats"));
  const program = join(folder, "usr/lpp/mmfs/bin/mmpmon");
  write(
    program,
    `#!/bin/sh\nread request; [ "$request" = fs_io_s ] || exit 9\n${script} ${join(fixtures, `${when}.mmpmon`)}\n`,
  );
  chmodSync(program, 0o755);
}

it("counts NFS and Storage Scale on nodes without Lustre, and a job shows its file systems", async () => {
  for (const when of ["before", "after"] as const)
    for (const node of ["n1", "n2"]) {
      show(node, when);
      expect(collect(node, `--${when}`)).toMatchObject({ code: 0, err: "" });
    }
  const names = readdirSync(join(place, "d/readings"));
  expect(names).toHaveLength(2);
  const document = readFileSync(join(place, "d/readings", names[0] as string), "utf8");
  expect(JSON.parse(document)).toMatchObject({ version: 2 });
  expect(document).not.toMatch(/ext4|rootfs/);
  for (const read of [2, 0])
    expect(
      JSON.parse(plimsollWith({}, place, "ingest", "d/readings", "--store", "s", "--json").out),
    ).toMatchObject({ new: read, skipped: [] });
  const [rows, jobs] = await ask(
    join(place, "s"),
    "select kind, file_system, mount, nodes_counted, bytes_read, writes, retransmits, inode_updates from job_mounts order by file_system",
    "select nodes_counted, nodes_dropped, bytes_read, warnings from jobs",
  );
  expect(rows).toEqual([
    {
      ...{ kind: "nfs", file_system: "filer1:/export/home", mount: "/home", nodes_counted: 2n },
      ...{ bytes_read: 104_857_600n, writes: 20n, retransmits: 6n, inode_updates: null },
    },
    {
      ...{ kind: "nfs", file_system: "filer2:/soft ware", mount: "/opt/soft ware", nodes_counted: 2n },
      ...{ bytes_read: 2000n, writes: null, retransmits: 0n, inode_updates: null },
    },
    {
      ...{ kind: "gpfs", file_system: "scale1", mount: "/gpfs/scale1", nodes_counted: 2n },
      ...{ bytes_read: 2_147_483_648n, writes: 1024n, retransmits: null, inode_updates: 12n },
    },
    {
      ...{ kind: "gpfs", file_system: "scale2", mount: null, nodes_counted: 2n },
      ...{ bytes_read: 0n, writes: 0n, retransmits: null, inode_updates: 0n },
    },
  ]);
  // Counters of the job are those of Lustre, which these nodes do not have.
  expect(jobs).toEqual([
    {
      ...{ nodes_counted: 0n, nodes_dropped: 0n, bytes_read: null },
      warnings: "2 nodes: counters were cleared during the job; counted from the reset",
    },
  ]);
  const shown = plimsollWith({}, place, "job", "77", "--store", "s");
  expect(shown.out).toMatch(/scale1 +Storage Scale +\/gpfs\/scale1/);
  expect(shown.out).toMatch(/filer1:\S+ +NFS +\/home/);
  const answer = JSON.parse(plimsollWith({}, place, "job", "77", "--store", "s", "--json").out);
  expect(answer.runs[0].mounts[1]).toMatchObject({ secondsPerRead: 0.0155, secondsPerWrite: 0.021 });
});

it.each([
  ["hangs", "sleep 60; cat", "mmpmon did not respond within 3 s"],
  ["fails", "echo mmfsd is down >&2; exit 3; cat", "mmpmon failed with exit code 3: mmfsd is down"],
  [
    "has nothing mounted",
    "echo '_fs_io_s_ _n_ 10.0.0.1 _nn_ n1 _rc_ 1 _t_ 1 _tu_ 1 _cl_ -'; : ",
    "mmpmon reports no mounted file system",
  ],
])("a mmpmon that %s is named, and NFS is counted all the same", (_, script, text) => {
  show("n3", "before", script);
  const { code, err } = collect("n3", "--before");
  expect(code).toBe(1);
  expect(err).toContain(`mmpmon/fs_io_s: ${text}`);
  const waiting = readdirSync(join(place, "d/before")).find((name) => name.startsWith("n3"));
  expect(readFileSync(join(place, "d/before", waiting as string), "utf8")).toContain("filer1:/export/home");
});
