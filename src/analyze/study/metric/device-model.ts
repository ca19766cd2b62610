/**
 * A storage device as a few numbers, and processes that read from it, in virtual time. An access first passes the client
 * (one at a time: the processor and network card of the node), then a server (one at a time each): latency plus bytes over
 * bandwidth. Processes have one access under way at a time, as in the paper's benchmarks.
 */
import type { Random } from "../../../base/prng.ts";

export interface DeviceModel {
  readonly latencySeconds: number;
  readonly bytesPerSecond: number;
  /** Served side by side; further accesses wait. */
  readonly servers: number;
}

export interface ClientModel {
  /** Time of an access on what all processes of the node share. */
  readonly sharedSeconds: number;
  /** Between two accesses of a process. */
  readonly thinkSeconds: number;
}

export interface ModelAccess {
  readonly bytes: number;
  /** Read from the device for it; more than `bytes` with data sieving. */
  readonly movedBytes: number;
  /** Work for this access besides the device, such as picking regions out of a sieve buffer. */
  readonly extraSeconds?: number;
}

interface ModelWorkload {
  /** Accesses of each process, in order. */
  readonly processes: readonly (readonly ModelAccess[])[];
  /** Server of an access: each process has its own, or they go around. */
  readonly placement: "own" | "around";
  /** Relative spread of service times. */
  readonly jitter: number;
  readonly random: Random;
}

interface ModelTrace {
  readonly startNs: Float64Array;
  readonly endNs: Float64Array;
  readonly bytes: Float64Array;
  readonly movedBytes: Float64Array;
  /** From the first start to when the last process is done. */
  readonly executionSeconds: number;
}

export function runModel(device: DeviceModel, client: ClientModel, workload: ModelWorkload): ModelTrace {
  const { processes, placement, jitter, random } = workload;
  const count = processes.reduce((sum, list) => sum + list.length, 0);
  const trace = {
    startNs: new Float64Array(count),
    endNs: new Float64Array(count),
    bytes: new Float64Array(count),
    movedBytes: new Float64Array(count),
  };
  const ready = new Float64Array(processes.length);
  const done = new Uint32Array(processes.length);
  const serverFree = new Float64Array(device.servers);
  let clientFree = 0;
  let last = 0;
  for (let i = 0; i < count; i++) {
    const process = earliest(ready, done, processes);
    const index = done[process] as number;
    const access = processes[process]?.[index] as ModelAccess;
    const start = ready[process] as number;
    const spread = 1 + jitter * (random.unit() + random.unit() - 1);
    // Accesses are taken in the order in which they arrive, so both queues are first come, first served.
    const sent = Math.max(start, clientFree) + client.sharedSeconds;
    if (client.sharedSeconds > 0) clientFree = sent;
    // The file of a process begins on the server after that of its neighbour.
    const server = (placement === "own" ? process : process + index) % device.servers;
    const begun = Math.max(sent, serverFree[server] as number);
    const served = begun + spread * (device.latencySeconds + access.movedBytes / device.bytesPerSecond);
    serverFree[server] = served;
    const end = served + spread * (access.extraSeconds ?? 0);
    trace.startNs[i] = Math.round(start * 1e9);
    trace.endNs[i] = Math.round(end * 1e9);
    trace.bytes[i] = access.bytes;
    trace.movedBytes[i] = access.movedBytes;
    ready[process] = end + client.thinkSeconds;
    done[process] = index + 1;
    last = Math.max(last, ready[process] as number);
  }
  return { ...trace, executionSeconds: last };
}

function earliest(
  ready: Float64Array,
  done: Uint32Array,
  processes: readonly (readonly ModelAccess[])[],
): number {
  let best = -1;
  for (let p = 0; p < ready.length; p++) {
    if ((done[p] as number) >= (processes[p]?.length ?? 0)) continue;
    if (best < 0 || (ready[p] as number) < (ready[best] as number)) best = p;
  }
  return best;
}
