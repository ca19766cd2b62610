/** MPI-IO with every shape of a datatype and every method, against a plain file: every byte, holes included. */
import { readFileSync, writeFileSync } from "node:fs";
import { assert } from "../../../src/base/assert.ts";
import { MpiError, type MpiCommunicator, openMpiFile } from "../../../src/launch/mpi/index.ts";
import { performMpiio } from "../../../src/launch/mpi/test-kit.ts";
import type { NcioMethod } from "../../../src/model/ncio.ts";
import type { Datatype } from "../../../src/base/datatype.ts";
import type { RankAccess } from "../../../src/ncio/pattern/pattern.ts";

const bytes = (length: number): Datatype => ({ kind: "bytes", length });
const vector = (count: number, stride: number, of: Datatype): Datatype => ({
  kind: "vector",
  count,
  stride,
  of,
});
const parts = (...places: [number, Datatype][]): Datatype => ({
  kind: "parts",
  parts: places.map(([at, of]) => ({ at, of })),
});

/** Every byte's place, one by one: slow and plain. */
function places(type: Datatype, from: number, into: number[] = []): number[] {
  if (type.kind === "bytes") for (let i = 0; i < type.length; i++) into.push(from + i);
  else if (type.kind === "vector")
    for (let i = 0; i < type.count; i++) places(type.of, from + i * type.stride, into);
  else for (const { at, of } of type.parts) places(of, from + at, into);
  return into;
}

/** Each shape has the same number of bytes in memory as in the file. */
const SHAPES: Record<string, (rank: number, ranks: number) => RankAccess> = {
  contiguous: (rank) => ({ memory: bytes(5000), file: bytes(5000), fileStart: 5000 * rank }),
  "contiguous in steps": (rank) => ({
    memory: vector(10, 50, bytes(50)),
    file: bytes(500),
    fileStart: 500 * rank,
  }),
  "c-nc": (rank, ranks) => ({
    memory: bytes(8 * 300),
    file: vector(300, 128 * ranks, bytes(8)),
    fileStart: 128 * rank,
  }),
  "nc-c": (rank) => ({ memory: vector(300, 24, bytes(8)), file: bytes(2400), fileStart: 2400 * rank }),
  "nc-nc": (rank, ranks) => ({
    memory: vector(100, 40, bytes(16)),
    file: vector(100, 64 * ranks, bytes(16)),
    fileStart: 64 * rank,
  }),
  subarray: (rank) => ({
    // Planes, rows and columns of a 3-D grid of 4-byte cells.
    memory: vector(4, 10 * 12 * 4, vector(5, 12 * 4, bytes(6 * 4))),
    file: vector(4, 20 * 24 * 4, vector(5, 24 * 4, bytes(6 * 4))),
    fileStart: 6 * 4 * rank,
  }),
  indexed: (rank) => ({
    // Memory in an order of its own.
    memory: parts([900, bytes(100)], [0, bytes(7)], [300, bytes(93)]),
    file: parts([3, bytes(50)], [60, bytes(60)], [700, bytes(90)]),
    fileStart: 1000 * rank,
  }),
  struct: (rank) => ({
    memory: parts(
      [0, bytes(10)],
      [64, vector(5, 12, bytes(4))],
      [200, vector(3, 30, parts([0, bytes(2)], [8, bytes(8)]))],
    ),
    file: parts([0, vector(10, 9, bytes(3))], [200, bytes(30)]),
    fileStart: 600 * rank,
  }),
  // Some ranks have nothing, but take part.
  uneven: (rank, ranks) => ({
    memory: bytes(rank % 2 === 0 ? 0 : 160),
    file: rank % 2 === 0 ? bytes(0) : vector(20, 16 * ranks, bytes(8)),
    fileStart: 16 * rank,
  }),
};

const byteOf = (rank: number, n: number) => (rank * 59 + n * 7 + 1) % 251;
const BEFORE = 0xee;

export async function files(
  world: MpiCommunicator,
  [folder = "", ...rest]: readonly string[],
): Promise<unknown> {
  const methods = (rest.length > 0 ? rest : ["posix", "sieving", "two-phase"]) as NcioMethod[];
  let checks = 0;
  for (const [name, shape] of Object.entries(SHAPES))
    for (const method of methods)
      for (const sync of name === "nc-nc" ? [true, false] : [false]) {
        const path = `${folder}/${name.replaceAll(" ", "-")}-${method}`;
        await writes(world, path, shape, method, sync);
        if (!sync) await reads(world, path, shape, method);
        checks++;
      }
  await errors(world, folder);
  await sizes(world, folder);
  return { checks };
}

async function writes(
  world: MpiCommunicator,
  path: string,
  shape: (rank: number, ranks: number) => RankAccess,
  method: NcioMethod,
  sync: boolean,
): Promise<void> {
  const all = Array.from({ length: world.size }, (_, rank) => shape(rank, world.size));
  const filePlaces = all.map(({ file, fileStart }) => places(file, fileStart));
  const end = Math.max(...filePlaces.flat()) + 100;
  if (world.rank === 0) writeFileSync(path, new Uint8Array(end).fill(BEFORE));
  const access = all[world.rank] as RankAccess;
  const inMemory = places(access.memory, 0);
  const buffer = new Uint8Array(Math.max(0, ...inMemory) + 1).fill(0x11);
  inMemory.forEach((at, n) => {
    buffer[at] = byteOf(world.rank, n);
  });
  await world.barrier();
  const hints = { cb_buffer_size: "4096", ind_wr_buffer_size: "1024" };
  const times = await performMpiio({
    communicator: world,
    path,
    access,
    buffer,
    direction: "write",
    method,
    sync,
    hints,
    repeats: 2,
  });
  assert(times.seconds.length === 2 && times.syncSeconds.length === (sync ? 2 : 0), "times of each repeat");
  assert(/ufs|nfs|UNIX|ROMIO/i.test(times.driver), `a driver: ${times.driver}`);
  await world.barrier();
  if (world.rank !== 0) return;
  const expected = new Uint8Array(end).fill(BEFORE);
  filePlaces.forEach((list, rank) => {
    list.forEach((at, n) => {
      expected[at] = byteOf(rank, n);
    });
  });
  assert(Buffer.compare(readFileSync(path), expected) === 0, `${path} is as a plain program writes it`);
}

async function reads(
  world: MpiCommunicator,
  path: string,
  shape: (rank: number, ranks: number) => RankAccess,
  method: NcioMethod,
): Promise<void> {
  const access = shape(world.rank, world.size);
  await world.barrier();
  const whole = readFileSync(path);
  const inMemory = places(access.memory, 0);
  const buffer = new Uint8Array(Math.max(0, ...inMemory) + 1).fill(0x22);
  await performMpiio({ communicator: world, path, access, buffer, direction: "read", method, sync: false });
  const expected = new Uint8Array(buffer.length).fill(0x22);
  places(access.file, access.fileStart).forEach((at, n) => {
    expected[inMemory[n] as number] = whole[at] as number;
  });
  assert(Buffer.compare(buffer, expected) === 0, `${path} read with ${method}, and nothing beside it`);
}

async function errors(world: MpiCommunicator, folder: string): Promise<void> {
  const refused = await openMpiFile(world, `${folder}/none/such`, { mode: "read" }).then(
    () => undefined,
    (error: unknown) => error,
  );
  assert(
    refused instanceof MpiError && /none\/such.*(no such file|does not exist)/i.test(refused.message),
    `${refused}`,
  );
  const access = { memory: bytes(8), file: bytes(8), fileStart: 8 * world.rank };
  const request = { communicator: world, path: `${folder}/list`, access, buffer: new Uint8Array(8) };
  for (const method of ["list", "datatype"] as const) {
    const no = await performMpiio({ ...request, direction: "write", method, sync: false }).then(
      () => undefined,
      (error: unknown) => error,
    );
    assert(no instanceof Error && no.message.includes(`has no ${method} requests`), `${no}`);
  }
}

async function sizes(world: MpiCommunicator, folder: string): Promise<void> {
  const path = `${folder}/sized`;
  const file = await openMpiFile(world, path, {
    mode: "create",
    hints: { cb_nodes: "1", cb_buffer_size: "65536" },
  });
  assert(
    file.hint("cb_buffer_size") === "65536" && file.hint("no_such_hint") === undefined,
    "hints in force",
  );
  await file.close();
}
