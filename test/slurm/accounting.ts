/**
 * The database daemon of a test cluster: a MariaDB that only a socket in the cluster's folder leads to, and slurmdbd on a
 * free loopback port. Both have the cluster's SLURM_CONF in their environment, and so end with it.
 */

import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { daemon, freePorts, READY_MS, readLogs, runProgram, waitUntil } from "./processes.ts";

/** Of Debian's mariadb-server-core, mariadb-client-core, slurmdbd and slurm-client. */
export const ACCOUNTING_PROGRAMS = [
  "mariadb-install-db",
  "mariadbd",
  "mariadb",
  "slurmdbd",
  "sacct",
  "sacctmgr",
];

export interface Accounting {
  /** Lines of slurm.conf. */
  readonly settings: Readonly<Record<string, string>>;
  /** Starts the daemons; needs a munged that answers and slurm.conf in its place. */
  start(env: NodeJS.ProcessEnv): Promise<void>;
}

/** Writes slurmdbd.conf beside slurm.conf. */
export async function prepareAccounting(folder: string): Promise<Accounting> {
  const [port] = await freePorts(1);
  const lines = {
    AuthType: "auth/munge",
    AuthInfo: `socket=${join(folder, "munge", "socket")}`,
    DbdHost: "localhost",
    DbdAddr: "127.0.0.1",
    DbdPort: String(port),
    SlurmUser: "root",
    LogFile: join(folder, "log", "slurmdbd.log"),
    PidFile: join(folder, "slurmdbd.pid"),
    StorageType: "accounting_storage/mysql",
    // As its own root by the socket: no password to write down.
    StorageHost: "localhost",
    StorageUser: "root",
    StorageLoc: "slurm_acct_db",
  };
  const text = Object.entries(lines).map(([name, value]) => `${name}=${value}\n`);
  writeFileSync(join(folder, "slurmdbd.conf"), text.join(""), { mode: 0o600 });
  return {
    settings: {
      AccountingStorageType: "accounting_storage/slurmdbd",
      AccountingStorageHost: "localhost",
      AccountingStoragePort: String(port),
      // With munge this is no password but the place of munged's socket; AuthInfo is not asked on this way.
      AccountingStoragePass: join(folder, "munge", "socket"),
      JobAcctGatherType: "jobacct_gather/linux",
      JobAcctGatherFrequency: "1",
    },
    async start(env) {
      const socket = await startDatabase(folder, env);
      // The client library takes the place of its socket from the environment.
      daemon(folder, "slurmdbd", ["-D"], { ...env, MYSQL_UNIX_PORT: socket });
      let said = "";
      await waitUntil(
        READY_MS,
        () => `slurmdbd does not answer: ${said}\n${readLogs(folder)}`,
        async () => {
          const { code, stderr } = await runProgram("sacctmgr", ["-n", "-P", "list", "cluster"], { env });
          said = stderr.trim();
          return code === 0;
        },
      );
    },
  };
}

async function startDatabase(folder: string, env: NodeJS.ProcessEnv): Promise<string> {
  const home = join(folder, "db");
  const socket = join(home, "socket");
  mkdirSync(home);
  // Nobody but root gets to the socket.
  chmodSync(home, 0o700);
  const options = [
    "--no-defaults",
    "--user=root",
    `--datadir=${join(home, "data")}`,
    // What a crash would lose is lost with the folder anyway.
    "--innodb-log-file-size=8M",
    "--innodb-flush-log-at-trx-commit=0",
    "--skip-innodb-doublewrite",
  ];
  const made = await runProgram("mariadb-install-db", [...options, "--skip-test-db"], { env });
  if (made.code !== 0) throw new Error(`mariadb-install-db: ${made.stdout}${made.stderr}`);
  const access = ["--skip-networking", `--socket=${socket}`, `--pid-file=${join(home, "pid")}`];
  daemon(folder, "mariadbd", [...options, ...access], env);
  await waitUntil(
    READY_MS,
    () => `mariadbd does not answer\n${readLogs(folder)}`,
    async () =>
      (await runProgram("mariadb", ["--no-defaults", "-S", socket, "-e", "select 1"], { env })).code === 0,
  );
  return socket;
}
