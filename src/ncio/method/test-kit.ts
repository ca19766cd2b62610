/** Ranks as tasks of one process, for tests. */
import type { Communicator } from "../../launch/communicator.ts";

interface Meeting {
  arrived: number;
  readonly boxes: (readonly Uint8Array[])[];
  readonly done: Promise<void>;
  readonly finish: () => void;
}

/** Runs the same function on all ranks; fails with the first error of any. */
export async function onRanks<T>(
  size: number,
  run: (communicator: Communicator) => Promise<T>,
): Promise<T[]> {
  return Promise.all(inProcess(size).map((communicator) => run(communicator)));
}

export function inProcess(size: number): Communicator[] {
  const meetings: Meeting[] = [];
  const mail = Array.from({ length: size }, () => ({
    waiting: [] as { from: number; bytes: Uint8Array }[],
    wake: undefined as ((message: { from: number; bytes: Uint8Array }) => void) | undefined,
  }));
  const meetingAt = (turn: number): Meeting => {
    let meeting = meetings[turn];
    if (meeting === undefined) {
      let finish = (): void => {};
      const done = new Promise<void>((resolve) => {
        finish = resolve;
      });
      meetings[turn] = meeting = { arrived: 0, boxes: [], done, finish };
    }
    return meeting;
  };
  return Array.from({ length: size }, (_, rank): Communicator => {
    let turn = 0;
    const meet = async (out: readonly Uint8Array[]): Promise<Uint8Array[]> => {
      const meeting = meetingAt(turn++);
      // Messages are copied, as between processes.
      meeting.boxes[rank] = out.map((bytes) => bytes.slice());
      if (++meeting.arrived === size) meeting.finish();
      await meeting.done;
      return meeting.boxes.map((box) => box[rank] as Uint8Array);
    };
    const toAll = (bytes: Uint8Array): Uint8Array[] => new Array<Uint8Array>(size).fill(bytes);
    return {
      name: "tasks of one process",
      rank,
      size,
      async barrier() {
        await meet(toAll(new Uint8Array(0)));
      },
      async broadcast(bytes, root) {
        return (await meet(toAll(bytes ?? new Uint8Array(0))))[root] as Uint8Array;
      },
      async gather(bytes, root) {
        const all = await meet(toAll(bytes));
        return rank === root ? all : undefined;
      },
      exchange: (out) => meet(out),
      async send(to, bytes) {
        const box = mail[to] as (typeof mail)[number];
        const message = { from: rank, bytes: bytes.slice() };
        if (box.wake === undefined) box.waiting.push(message);
        else box.wake(message);
      },
      receive() {
        const box = mail[rank] as (typeof mail)[number];
        const message = box.waiting.shift();
        if (message !== undefined) return Promise.resolve(message);
        return new Promise((resolve) => {
          box.wake = (late) => {
            box.wake = undefined;
            resolve(late);
          };
        });
      },
      abort(reason): never {
        throw new Error(reason);
      },
      async close() {},
    };
  });
}
