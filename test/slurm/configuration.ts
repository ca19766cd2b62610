/** slurm.conf of a test cluster. */

import { hostname } from "node:os";
import { join } from "node:path";
import { freePorts } from "./processes.ts";

export interface SlurmClusterOptions {
  /** 4 unless given; they are called n1, n2, … */
  readonly nodes?: number;
  /** 2 unless given; may be more than the machine has. */
  readonly cpusPerNode?: number;
  /** Scripts that slurmd runs as root on every node before and after a job; whole texts, from `#!` on. They must exit 0. */
  readonly prolog?: string;
  readonly epilog?: string;
  /** More lines of slurm.conf; a line here takes the place of the usual one of that name. */
  readonly settings?: Readonly<Record<string, string>>;
  /** A slurmdbd with a database of its own, so that sacct answers; some 6 s more to start. Needs its packages too. */
  readonly accounting?: boolean;
}

export async function configuration(
  folder: string,
  nodes: readonly string[],
  { cpusPerNode = 2, prolog, epilog, settings = {} }: SlurmClusterOptions,
  accounting: Readonly<Record<string, string>>,
): Promise<string> {
  const [controllerPort, ...ports] = await freePorts(nodes.length + 1);
  const usual: Record<string, string> = {
    ClusterName: "tiny",
    SlurmctldHost: `${hostname()}(127.0.0.1)`,
    SlurmUser: "root",
    SlurmdUser: "root",
    AuthType: "auth/munge",
    AuthInfo: `socket=${join(folder, "munge", "socket")}`,
    SlurmctldPort: String(controllerPort),
    StateSaveLocation: join(folder, "state"),
    SlurmdSpoolDir: join(folder, "spool", "%n"),
    SlurmctldPidFile: join(folder, "slurmctld.pid"),
    SlurmdPidFile: join(folder, "slurmd.%n.pid"),
    SlurmctldLogFile: join(folder, "log", "slurmctld.log"),
    SlurmdLogFile: join(folder, "log", "slurmd.%n.log"),
    // Nodes may have more CPUs than the machine.
    SlurmdParameters: "config_overrides",
    ProctrackType: "proctrack/linuxproc",
    TaskPlugin: "task/none",
    JobAcctGatherType: "jobacct_gather/none",
    AccountingStorageType: "accounting_storage/none",
    JobCompType: "jobcomp/filetxt",
    JobCompLoc: join(folder, "log", "jobcomp.txt"),
    SelectType: "select/cons_tres",
    SelectTypeParameters: "CR_Core",
    SchedulerType: "sched/backfill",
    MpiDefault: "pmi2",
    ReturnToService: "2",
    MaxArraySize: "100001",
    MaxJobCount: "200000",
    PrologFlags: "Alloc",
    PrologEpilogTimeout: "30",
    KillWait: "5",
    ...(prolog === undefined ? {} : { Prolog: join(folder, "prolog.sh") }),
    ...(epilog === undefined ? {} : { Epilog: join(folder, "epilog.sh") }),
    ...accounting,
    ...settings,
  };
  const host = `NodeHostname=${hostname()} NodeAddr=127.0.0.1`;
  return [
    ...Object.entries(usual).map(([name, value]) => `${name}=${value}`),
    ...nodes.map(
      (node, index) =>
        `NodeName=${node} ${host} Port=${ports[index]} CPUs=${cpusPerNode} RealMemory=1000 State=UNKNOWN`,
    ),
    `PartitionName=batch Nodes=${nodes.join(",")} Default=YES MaxTime=INFINITE State=UP OverSubscribe=NO`,
    "",
  ].join("\n");
}
