/** Targets that are block devices of their own, slow because the kernel holds them or because others write to them. */
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmdirSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type Bench, MIB, print, start } from "./kit.ts";
import { compare } from "./rates.ts";

const COUNT = 4;
const DEVICE_BYTES = 512 * MIB;
const BASE = 24 * MIB;
/** Of the device that is held down. */
const SLOW = 0.125;
const TURNS = Math.min(3, Number(process.env.PLIMSOLL_BENCH_TURNS ?? 3));
const WORK = { blocks: 64, blockBytes: 4 * MIB, writers: 16, words: [], durable: true, turns: TURNS };
/** As the paper's interference: three streams on a target. */
const STREAMS = 3;

/** What was set up, as what takes it away again; the last goes first. */
const undo: (() => void)[] = [];

/** At the end, and when the benchmark is stopped. */
export function removeDevices(): void {
  for (const step of undo.splice(0).reverse()) {
    try {
      step();
    } catch (error) {
      print(`  left behind: ${(error as Error).message}`);
    }
  }
}

export async function devices(bench: Bench): Promise<void> {
  print(
    `${COUNT} loop devices with ext4 and direct I/O to their files; 16 writer processes; times until durable`,
  );
  try {
    const made = Array.from({ length: COUNT }, (_, i) => makeDevice(bench.work, i));
    const limits = findLimits();
    const folders = made.map(({ folder }) => folder);
    const base = made.map(() => BASE);
    const rates = base.map((rate, i) => (i === 0 ? SLOW * rate : rate));
    for (const [i, { number }] of made.entries()) limits.set(number, rates[i] as number);
    await compare(bench, folders, { ...WORK, title: `one held to an eighth by ${limits.name}`, rates });
    for (const [i, { number }] of made.entries()) limits.set(number, base[i] as number);
    await disturbed(bench, folders, limits.name);
  } catch (error) {
    print(`  not measured: ${(error as Error).message}`);
  } finally {
    removeDevices();
  }
}

/** All as fast, and on one of them other programs write without end. */
async function disturbed(bench: Bench, folders: readonly string[], name: string): Promise<void> {
  const [first = ""] = folders;
  const words = ["--streams", String(STREAMS), "--file-bytes", "16M", "--seconds", "3600", first];
  const others = start(process.execPath, [bench.program, "interfere", ...words]);
  try {
    await sleep(3000);
    const title = `plimsoll interfere on one (${STREAMS} streams), all held to ${BASE / MIB} MiB/s by ${name}`;
    await compare(bench, folders, { ...WORK, title, rates: undefined });
  } finally {
    others.process.kill("SIGINT");
    await others.ended;
  }
}

interface Device {
  readonly folder: string;
  /** Major and minor number. */
  readonly number: string;
}

function makeDevice(work: string, index: number): Device {
  const image = join(work, `device${index}.img`);
  const folder = join(work, `device${index}`);
  writeFileSync(image, "");
  undo.push(() => rmSync(image, { force: true }));
  truncateSync(image, DEVICE_BYTES);
  command("mkfs.ext4", "-q", "-F", "-m", "0", "-E", "lazy_itable_init=0,lazy_journal_init=0", image);
  const device = command("losetup", "--direct-io=on", "--find", "--show", image);
  undo.push(() => command("losetup", "--detach", device));
  mkdirSync(folder);
  undo.push(() => rmdirSync(folder));
  command("mount", device, folder);
  undo.push(() => unmount(folder));
  return { folder, number: command("lsblk", "--noheadings", "--output", "MAJ:MIN", device) };
}

/** Writers that were stopped a moment ago can still hold it. */
function unmount(folder: string): void {
  for (let i = 0; i < 20; i++) {
    if (spawnSync("umount", [folder]).status === 0) return;
    spawnSync("sleep", ["0.25"]);
  }
  command("umount", "--lazy", folder);
}

/** Throws one line that says what the system refused. */
function command(program: string, ...words: string[]): string {
  const { status, stdout, stderr, error } = spawnSync(program, words, { encoding: "utf8" });
  if (status === 0) return stdout.trim();
  throw new Error(`${[program, ...words].join(" ")}: ${error?.message ?? stderr.trim().split("\n").at(-1)}`);
}

interface Limits {
  readonly name: string;
  /** Bytes per second that may be written to a device. */
  set(device: string, rate: number): void;
}

const VERSION_1 = "/sys/fs/cgroup/blkio/blkio.throttle.write_bps_device";
const VERSION_2 = "/sys/fs/cgroup";

function findLimits(): Limits {
  if (existsSync(VERSION_1)) return limitsOfVersion1();
  const controllers = join(VERSION_2, "cgroup.controllers");
  if (existsSync(controllers) && readFileSync(controllers, "utf8").split(/\s+/).includes("io"))
    return limitsOfVersion2();
  throw new Error("this kernel has no cgroup with limits of I/O");
}

/** On the root group, which holds whoever writes: the kernel's own writers as well. */
function limitsOfVersion1(): Limits {
  return {
    name: "cgroup v1 (blkio.throttle)",
    set(device, rate) {
      writeFileSync(VERSION_1, `${device} ${rate}`);
      undo.push(() => writeFileSync(VERSION_1, `${device} 0`));
    },
  };
}

/** The root group has no limits there: this process, and so all that it starts, goes into a group of its own. */
function limitsOfVersion2(): Limits {
  const group = join(VERSION_2, `plimsoll-bench-${process.pid}`);
  const home = /^0::(.*)$/m.exec(readFileSync("/proc/self/cgroup", "utf8"))?.[1] ?? "/";
  writeFileSync(join(VERSION_2, "cgroup.subtree_control"), "+io +memory");
  mkdirSync(group);
  undo.push(() => rmdirSync(group));
  writeFileSync(join(group, "cgroup.procs"), String(process.pid));
  undo.push(() => writeFileSync(join(VERSION_2, home, "cgroup.procs"), String(process.pid)));
  return {
    name: "cgroup v2 (io.max)",
    set: (device, rate) => writeFileSync(join(group, "io.max"), `${device} wbps=${rate}`),
  };
}
