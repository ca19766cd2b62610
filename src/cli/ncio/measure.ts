/** Measures points: checks them against the machine, finds ranks and storage, and keeps what is done. */
import { rmSync, statfsSync, statSync } from "node:fs";
import { cpus, hostname, totalmem, tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { UsageError } from "../../base/errors.ts";
import { formatBytes, formatCount } from "../../base/units.ts";
import { launchedBy } from "../../launch/environment.ts";
import type { NcioPoint } from "../../model/index.ts";
import type { StorageShape } from "../../ncio/method/index.ts";
import { type Crew, followCrew, leadCrew, processCrew, taskCrew } from "../../ncio/run/crew.ts";
import type { Journal } from "../../ncio/run/journal.ts";
import {
  type BackendPlan,
  checkNeeds,
  describePoint,
  type PointPlan,
  pointKey,
} from "../../ncio/run/plan.ts";
import { pointOf } from "../../ncio/run/point.ts";
import { checkAgreement } from "../../ncio/run/rank.ts";
import type { Context } from "../context.ts";
import { newFileName, runUnderMpi } from "./mpiexec.ts";
import { type Common, measuringOf } from "./options.ts";

export interface Request {
  readonly options: Common;
  readonly points: readonly PointPlan[];
  /** All that decides what is measured, for `--resume` and for ranks with command lines of their own. */
  readonly setting: unknown;
  /** Opened by the one who leads, once it is known that the run can begin. */
  readonly openJournal?: () => Journal;
}

export interface Measured {
  readonly points: readonly NcioPoint[];
  readonly machine: string;
  readonly launch: string;
  /** Points that an earlier run had measured. */
  readonly resumed: number;
  readonly startedUnixMs: number;
}

/** Undefined on ranks that do not lead, and where the work was handed to mpiexec: then there is nothing to print. */
export async function measure(request: Request, context: Context): Promise<Measured | undefined> {
  const { options, points } = request;
  const launched = launchedBy(process.env);
  const alone = launched === undefined || launched.size === 1;
  if (options.backend === "mpiio" && launched === undefined) {
    check(request);
    await runUnderMpi(options, folderOf(options), context);
    return undefined;
  }
  if (!alone && options.backend === "memory")
    throw new UsageError("--backend memory works in one process only; start it without mpiexec");
  if (alone && options.backend !== "mpiio") {
    check(request);
    const crew = options.backend === "memory" ? taskCrew(options.ranks) : processCrew(options.ranks);
    return new Measurement(request, context).run(crew);
  }
  const { connectMpi } = await import("../../launch/mpi/index.ts");
  const communicator = await connectMpi();
  if (points.some(({ pattern }) => ranksOf(pattern) !== communicator.size))
    communicator.abort(
      `the pattern has ${ranksOf((points[0] as PointPlan).pattern)} ranks, but mpiexec started ${communicator.size}; they must be equal`,
    );
  await checkAgreement(communicator, request.setting);
  if (communicator.rank !== 0) {
    await followCrew(communicator);
    return undefined;
  }
  check(request);
  return new Measurement(request, context).run(leadCrew(communicator));
}

function ranksOf(pattern: PointPlan["pattern"]): number {
  return pattern.pattern === "subarray" ? pattern.ranksGrid.reduce((a, b) => a * b, 1) : pattern.ranks;
}

function check({ options, points }: Request): void {
  const onDisk = options.backend === "posix" || options.backend === "mpiio" || options.backend === "servers";
  const folder = options.backend === "servers" ? serverFolder(options) : folderOf(options);
  const { method } = measuringOf(options, undefined);
  checkNeeds(points, method.collectiveBytes, {
    diskBytes: onDisk ? freeBytes(folder) : undefined,
    diskName: folder,
    memoryBytes: options.memory ?? totalmem() / 2,
  });
}

function folderOf({ dir }: Common): string {
  const folder = resolve(dir);
  const found = statSync(folder, { throwIfNoEntry: false });
  if (found === undefined) throw new UsageError(`--dir ${dir}: there is no such folder`);
  if (!found.isDirectory()) throw new UsageError(`--dir ${dir}: not a folder`);
  return folder;
}

/** Where servers of this run keep their files; those that run already know it themselves. */
const serverFolder = ({ servers, dir }: Common): string =>
  /^\d+$/.test(servers) ? folderOf({ dir } as Common) : tmpdir();

function freeBytes(folder: string): number {
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize;
}

class Measurement {
  readonly #request: Request;
  readonly #context: Context;

  constructor(request: Request, context: Context) {
    this.#request = request;
    this.#context = context;
  }

  async run(crew: Crew): Promise<Measured> {
    const { options, points, openJournal } = this.#request;
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
        this.#context.note(
          `${formatCount(resumed)} of ${formatCount(points.length)} points already measured`,
        );
      if (todo.length > 0) await this.#measure(crew, todo, storage, found, journal);
      await crew.end();
      return {
        points: points.map((point) => found.get(pointKey(point)) as NcioPoint),
        machine: machineText(options),
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
    const { options } = this.#request;
    const measuring = measuringOf(options, storage.stripBytes);
    const plan = { points: todo, measuring, backend: storage.plan, file: storage.file };
    const perPoint = measuring.warmUps + measuring.repeats;
    const bar = this.#context.progress({ label: "ncio", total: todo.length * perPoint, unit: "runs" });
    let turns = 0;
    await crew.run(
      plan,
      (event) => {
        const point = todo[event.point] as PointPlan;
        if (event.kind === "turn") {
          bar.relabel?.(`${event.point + 1}/${todo.length} ${describePoint(point)}`);
          bar.update(++turns);
          return;
        }
        const measured = pointOf(point, event.result, { plan, launch: crew.launch, shape: storage.shape });
        found.set(pointKey(point), measured);
        journal?.add(pointKey(point), measured);
      },
      this.#context.signal,
    );
    bar.end();
  }

  /** Storage that is ready, and what goes when the run ends. */
  async #storage(): Promise<RunningStorage> {
    const { options } = this.#request;
    const file = newFileName();
    const { backend } = options;
    if (backend === "servers") return this.#servers(file);
    const shape = backend === "mpiio" ? undefined : { hasTypes: false };
    if (backend === "memory" || backend === "null")
      return { plan: { kind: backend }, file, shape, stripBytes: undefined, end: async () => {} };
    const folder = folderOf(options);
    const partial = this.#context.partialOutput(join(folder, file));
    return {
      plan: { kind: backend, folder },
      file,
      shape,
      stripBytes: undefined,
      end: async () => {
        rmSync(join(folder, file), { force: true });
        partial.done();
      },
    };
  }

  /** Servers that run already, or some for this run alone. */
  async #servers(file: string): Promise<RunningStorage> {
    const { options } = this.#request;
    const { connectServers, runningServers, startServers } = await import("../../ncio/servers/index.ts");
    const own = /^\d+$/.test(options.servers);
    const started = own
      ? await startServers({
          servers: Number(options.servers),
          dir: join(folderOf(options), `${file}-servers`),
          signal: this.#context.signal,
        })
      : undefined;
    const partial = started === undefined ? undefined : this.#context.partialOutput(started.dir);
    const { addresses, token } = started ?? runningServers(options.servers);
    const storage = await connectServers({ addresses, token });
    const { listMax, hasTypes, requestBytesMax, strips, limits } = storage;
    return {
      plan: { kind: "servers", addresses, token, stripBytes: strips.bytes },
      file,
      shape: {
        ...{ listMax, hasTypes, requestBytesMax, servers: strips.servers, stripBytes: strips.bytes },
        messageBytesMax: limits.dataBytes,
      },
      stripBytes: strips.bytes,
      end: async () => {
        // After an interrupted run the file is still there.
        await storage.remove(file).catch(() => {});
        await storage.close();
        await started?.stop();
        if (started !== undefined) rmSync(started.dir, { recursive: true, force: true });
        partial?.done();
      },
    };
  }
}

interface RunningStorage {
  readonly plan: BackendPlan;
  readonly file: string;
  readonly shape: StorageShape | undefined;
  readonly stripBytes: number | undefined;
  end(): Promise<void>;
}

function machineText({ backend, dir }: Common): string {
  const where = backend === "posix" || backend === "mpiio" ? `, files in ${resolve(dir)}` : "";
  const [first] = cpus();
  return `${hostname()}: ${cpus().length} processors (${first?.model.trim() ?? "unknown"}), ${formatBytes(totalmem())} of memory${where}`;
}
