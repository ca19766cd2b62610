/** Measures points: checks them against the machine, starts ranks and storage, and saves results. */
import { randomBytes } from "node:crypto";
import { rmSync, statfsSync, statSync } from "node:fs";
import { availableParallelism, cpus, hostname, totalmem, tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { UsageError } from "../../base/errors.ts";
import type { Listener } from "../../base/listener.ts";
import { formatBytes, formatCount } from "../../base/units.ts";
import { launchedBy } from "../../launch/environment.ts";
import { runUnderMpi } from "../../launch/mpiexec.ts";
import type { NcioPoint } from "../../model/index.ts";
import { patternOf } from "../pattern/index.ts";
import type { StorageShape } from "../method/index.ts";
import type { Joins, ServerStats, Syncs } from "../servers/index.ts";
import { type Crew, followCrew, leadCrew, processCrew, taskCrew } from "./crew.ts";
import type { Journal } from "./journal.ts";
import {
  type BackendPlan,
  BLOCKING_SYNC,
  checkNeeds,
  describePoint,
  type Measuring,
  type PointPlan,
  pointKey,
} from "./plan.ts";
import { pointOf } from "./point.ts";
import { checkAgreement } from "./rank.ts";

export interface MeasureRequest {
  readonly points: readonly PointPlan[];
  readonly ranks: number;
  readonly backend: BackendPlan["kind"];
  /** Folder of the file, and of servers started for this run. */
  readonly dir: string;
  /** Number of servers to start, or the folder of running ones. */
  readonly servers: string;
  /** Modes of servers started for this run. */
  readonly serverModes: { readonly syncs: Syncs | undefined; readonly joins: Joins | undefined };
  /** Memory limit of all ranks together; default: half of RAM. */
  readonly memory?: number | undefined;
  /** Measurement parameters for the given strip of the servers. */
  readonly measuring: (stripBytes: number | undefined) => Measuring;
  /** All parameters of the measurement, for a journal and for ranks with separate command lines. */
  readonly setting: unknown;
  /** Opened by the leader once the run can start. */
  readonly openJournal?: () => Journal;
}

export interface Measured {
  readonly points: readonly NcioPoint[];
  readonly machine: string;
  readonly launch: string;
  /** Points measured by an earlier run. */
  readonly resumed: number;
  readonly startedUnixMs: number;
}

/** Passes the file name to the ranks: the process that started them removes it, however they end. */
const FILE_VARIABLE = "PLIMSOLL_NCIO_FILE";

/** A unique name. */
const newFileName = (): string =>
  process.env[FILE_VARIABLE] ?? `plimsoll-ncio-${process.pid}-${randomBytes(4).toString("hex")}`;

/** MPI-IO where no launcher started this process: this command line again, as ranks of `mpiexec`; gives their exit code. */
export async function measureUnderMpi(
  request: MeasureRequest,
  mpiexec: string | undefined,
  listener: Listener,
): Promise<number> {
  checkRequest(request);
  const value = newFileName();
  const file = { path: join(folderOf(request.dir), value), variable: FILE_VARIABLE, value };
  return runUnderMpi({ ranks: request.ranks, mpiexec, option: "--backend mpiio", file }, listener);
}

/** Undefined on ranks other than the leader. With MPI-IO the caller must be a rank started by mpiexec. */
export async function measurePoints(
  request: MeasureRequest,
  listener: Listener,
): Promise<Measured | undefined> {
  const { points, backend, ranks } = request;
  // On every rank: none is left waiting for one that failed.
  for (const { pattern } of points) patternOf(pattern);
  const launched = launchedBy(process.env);
  const alone = launched === undefined || launched.size === 1;
  if (!alone && backend === "memory")
    throw new UsageError("--backend memory is shared by no processes; start it without mpiexec");
  if (alone && backend !== "mpiio") {
    checkRequest(request);
    const crew = backend === "memory" ? taskCrew(ranks) : processCrew(ranks);
    return new Measurement(request, listener).run(crew);
  }
  const { connectMpi } = await import("../../launch/mpi/index.ts");
  const communicator = await connectMpi();
  if (points.some(({ pattern }) => patternOf(pattern).ranks !== communicator.size))
    communicator.abort(
      `the pattern has ${patternOf((points[0] as PointPlan).pattern).ranks} ranks and mpiexec started ${communicator.size}; give the same number with -n`,
    );
  await checkAgreement(communicator, request.setting);
  if (communicator.rank !== 0) {
    await followCrew(communicator);
    return undefined;
  }
  checkRequest(request);
  return new Measurement(request, listener).run(leadCrew(communicator));
}

/** Refuses runs that exceed this machine. */
function checkRequest({ points, backend, dir, servers, memory, measuring }: MeasureRequest): void {
  const onDisk = backend === "posix" || backend === "mpiio" || backend === "servers";
  const folder = backend === "servers" ? serverFolder(servers, dir) : folderOf(dir);
  checkNeeds(points, measuring(undefined).method.collectiveBytes, {
    diskBytes: onDisk ? freeBytes(folder) : undefined,
    diskName: folder,
    memoryBytes: memory ?? totalmem() / 2,
  });
}

function folderOf(dir: string): string {
  const folder = resolve(dir);
  const found = statSync(folder, { throwIfNoEntry: false });
  if (found === undefined) throw new UsageError(`--dir ${dir}: no such folder`);
  if (!found.isDirectory()) throw new UsageError(`--dir ${dir}: not a folder`);
  return folder;
}

/** Folder of the files of servers started for this run; running servers have their own. */
const serverFolder = (servers: string, dir: string): string => (isCount(servers) ? folderOf(dir) : tmpdir());

const isCount = (servers: string): boolean => /^\d+$/.test(servers);

function freeBytes(folder: string): number {
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize;
}

class Measurement {
  readonly #request: MeasureRequest;
  readonly #listener: Listener;

  constructor(request: MeasureRequest, listener: Listener) {
    this.#request = request;
    this.#listener = listener;
  }

  get #signal(): AbortSignal {
    return this.#listener.signal ?? new AbortController().signal;
  }

  async run(crew: Crew): Promise<Measured> {
    const { points, openJournal } = this.#request;
    const startedUnixMs = Date.now();
    const storage = await this.#storage();
    let journal: Journal | undefined;
    try {
      journal = openJournal?.();
      const found = new Map<string, NcioPoint>();
      for (const point of points) {
        const done = journal?.get(pointKey(point));
        if (done !== undefined) found.set(pointKey(point), done);
      }
      const resumed = found.size;
      const todo = points.filter((point) => !found.has(pointKey(point)));
      if (resumed > 0)
        this.#listener.note?.(
          `${formatCount(resumed)} of ${formatCount(points.length)} points already measured`,
        );
      if (todo.length > 0) await this.#measure(crew, todo, storage, found, journal);
      await crew.end();
      return {
        points: points.map((point) => found.get(pointKey(point)) as NcioPoint),
        machine: machineText(this.#request),
        launch: crew.launch,
        resumed,
        startedUnixMs: journal?.startedUnixMs ?? startedUnixMs,
      };
    } finally {
      journal?.close();
      await storage.end();
    }
  }

  async #measure(
    crew: Crew,
    todo: readonly PointPlan[],
    storage: RunningStorage,
    found: Map<string, NcioPoint>,
    journal: Journal | undefined,
  ): Promise<void> {
    const measuring = this.#request.measuring(storage.stripBytes);
    const plan = { points: todo, measuring, backend: storage.plan, file: storage.file };
    const perPoint = measuring.warmUps + measuring.repeats;
    const bar = this.#listener.progress?.({ label: "ncio", total: todo.length * perPoint, unit: "runs" });
    let turns = 0;
    await crew.run(
      plan,
      (event) => {
        const point = todo[event.point] as PointPlan;
        if (event.kind === "turn") {
          bar?.relabel?.(`${event.point + 1}/${todo.length} ${describePoint(point)}`);
          bar?.update(++turns);
          return;
        }
        const measured = pointOf(point, event.result, { plan, launch: crew.launch, shape: storage.shape });
        found.set(pointKey(point), measured);
        journal?.add(pointKey(point), measured);
      },
      this.#signal,
    );
    bar?.end();
  }

  /** Prepared storage, with its clean-up. */
  async #storage(): Promise<RunningStorage> {
    const { backend, dir } = this.#request;
    const file = newFileName();
    if (backend === "servers") return this.#servers(file);
    const shape = backend === "mpiio" ? undefined : { hasTypes: false };
    if (backend === "memory" || backend === "null")
      return { plan: { kind: backend }, file, shape, stripBytes: undefined, end: async () => {} };
    const folder = folderOf(dir);
    const partial = this.#listener.partialOutput?.(join(folder, file));
    return {
      plan: { kind: backend, folder },
      file,
      shape,
      stripBytes: undefined,
      end: async () => {
        rmSync(join(folder, file), { force: true });
        partial?.done();
      },
    };
  }

  /** Running servers, or new ones for this run. */
  async #servers(file: string): Promise<RunningStorage> {
    const { servers, dir, serverModes } = this.#request;
    const { syncs = "beside", joins = "touching" } = serverModes;
    const { connectServers, runningServers, startServers } = await import("../servers/index.ts");
    const started = isCount(servers)
      ? await startServers({
          servers: Number(servers),
          dir: join(folderOf(dir), `${file}-servers`),
          ...{ syncs, joins },
          signal: this.#signal,
        })
      : undefined;
    const partial = started === undefined ? undefined : this.#listener.partialOutput?.(started.dir);
    const { addresses, token } = started ?? runningServers(servers);
    const storage = await connectServers({ addresses, token });
    const { listMax, hasTypes, requestBytesMax, strips, limits } = storage;
    const [stats] = await storage.stats();
    return {
      plan: { kind: "servers", addresses, token, stripBytes: strips.bytes, modes: modesOf(stats) },
      file,
      shape: {
        ...{ listMax, hasTypes, requestBytesMax, servers: strips.servers, stripBytes: strips.bytes },
        messageBytesMax: limits.dataBytes,
      },
      stripBytes: strips.bytes,
      end: async () => {
        // After an interrupted run the file still exists.
        await storage.remove(file).catch(() => {});
        await storage.close();
        await started?.stop();
        if (started !== undefined) rmSync(started.dir, { recursive: true, force: true });
        partial?.done();
      },
    };
  }
}

/** Non-default modes of the servers, in words. */
function modesOf(stats: ServerStats | undefined): string[] {
  if (stats === undefined) return [];
  const { syncMode, joins, simulatedSeekMs } = stats;
  return [
    ...(syncMode === "beside" ? [] : [syncMode === "blocking" ? BLOCKING_SYNC : `${syncMode} sync`]),
    ...(joins === "touching" ? [] : [joins === "none" ? "pieces not joined" : "sieving servers"]),
    ...(simulatedSeekMs > 0 ? [`simulated seeks of ${simulatedSeekMs} ms`] : []),
  ];
}

interface RunningStorage {
  readonly plan: BackendPlan;
  readonly file: string;
  readonly shape: StorageShape | undefined;
  readonly stripBytes: number | undefined;
  end(): Promise<void>;
}

function machineText({ backend, dir }: MeasureRequest): string {
  const where = backend === "posix" || backend === "mpiio" ? `, files in ${resolve(dir)}` : "";
  const processors = cpus();
  const model = processors[0]?.model.trim();
  // Without /proc the model is unknown, and only the number of usable processors is known.
  const count = processors.length || availableParallelism();
  return `${hostname()}: ${count} processors${model ? ` (${model})` : ""}, ${formatBytes(totalmem())} of memory${where}`;
}
