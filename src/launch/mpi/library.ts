/**
 * An MPI library of this machine, found and bound through koffi. koffi is optional: it is loaded only here, when MPI is used.
 * Pointers that MPI keeps after a call (of non-blocking calls) are those of typed arrays, which koffi hands over without a
 * copy.
 */
import { UsageError } from "../../base/errors.ts";
import { mpiLibrary } from "../../node/mpi.ts";
import type { Environment, Launched } from "../environment.ts";
import { ABIS, type Abi, type Handle, type HandleName } from "./abi.ts";

type Koffi = typeof import("koffi").default;
type Library = ReturnType<Koffi["load"]>;

/** i: int, h: handle, f: file, p: pointer to bytes, n: 64-bit number (address or offset), s: text. All return an error code. */
const FUNCTIONS = {
  Init_thread: "ppip",
  Finalize: "",
  Abort: "hi",
  Get_library_version: "pp",
  Error_string: "ipp",
  Comm_rank: "hp",
  Comm_size: "hp",
  Comm_dup: "hp",
  Comm_free: "p",
  Comm_split_type: "hiihp",
  Comm_set_errhandler: "hh",
  Ibarrier: "hp",
  Ibcast: "pihihp",
  Igather: "pihpihihp",
  Ialltoall: "pihpihhp",
  Isend: "pihiihp",
  Irecv: "pihiihp",
  Iprobe: "iihpp",
  Get_count: "php",
  Test: "ppp",
  Type_contiguous: "ihp",
  Type_create_hvector: "iinhp",
  Type_create_struct: "ipppp",
  Type_create_hindexed: "ipphp",
  Type_commit: "p",
  Type_free: "p",
  Info_create: "p",
  Info_set: "hss",
  Info_get: "hsipp",
  Info_free: "p",
  File_open: "hsihp",
  File_close: "p",
  File_sync: "f",
  File_get_size: "fp",
  File_set_view: "fnhhsh",
  File_get_info: "fp",
  File_read_at: "fnpihp",
  File_read_at_all: "fnpihp",
  File_write_at: "fnpihp",
  File_write_at_all: "fnpihp",
} as const;

type Argument = number | bigint | string | ArrayBufferView | null;
export type MpiFunction = (...values: readonly Argument[]) => number;

export interface Mpi {
  readonly abi: Abi;
  /** Path as given to the loader. */
  readonly path: string;
  /** `MPICH 4.0.2`. */
  readonly version: string;
  readonly call: Readonly<Record<keyof typeof FUNCTIONS, MpiFunction>>;
  readonly handles: Readonly<Record<HandleName, Handle>>;
  /** Yields the CPU (sched_yield). */
  readonly yieldCpu: () => void;
  /** Sleeps, microseconds. */
  readonly sleepMicros: (micros: number) => void;
}

/** A place for a handle that the library gives. */
export interface HandleCell {
  readonly array: Int32Array | BigInt64Array;
  get value(): Handle;
  set value(handle: Handle);
}

export class MpiError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "MpiError";
  }
}

/** The MPI that fits the launcher of this process; `PLIMSOLL_MPI` names another. */
export async function loadMpi(env: Environment, launched: Launched | undefined): Promise<Mpi> {
  const koffi = await loadKoffi();
  // With the allocator hooks of UCX, which MPICH uses here, 3 of 72 runs of four ranks died in V8 on heap memory that was no
  // longer mapped; without them none of 192. The cause is unknown; openucx/ucx#3831 is similar. The price: no registration
  // cache.
  process.env.UCX_MEM_EVENTS ??= "no";
  const { library, path } = openLibrary(koffi, candidates(env, launched), env.PLIMSOLL_MPI !== undefined);
  return bind(koffi, library, path);
}

/** Names for the loader in the order in which they are tried. */
export function candidates(env: Environment, launched: Launched | undefined): readonly string[] {
  if (env.PLIMSOLL_MPI !== undefined) return [env.PLIMSOLL_MPI];
  const { mpich, openmpi, standard } = ABIS;
  const order = launched?.speaks === "pmix" ? [openmpi, standard, mpich] : [mpich, standard, openmpi];
  return order.flatMap(({ libraries }) => libraries);
}

async function loadKoffi(): Promise<Koffi> {
  try {
    return (await import("koffi")).default;
  } catch (error) {
    const detail =
      (error as NodeJS.ErrnoException).code === "ERR_MODULE_NOT_FOUND" ? "not installed" : `${error}`;
    throw new UsageError(`MPI needs the package koffi (${detail}); install it with npm install koffi`);
  }
}

function openLibrary(
  koffi: Koffi,
  names: readonly string[],
  named: boolean,
): { library: Library; path: string } {
  const reasons: string[] = [];
  for (const path of names) {
    try {
      // Parts of MPI libraries that are loaded later need symbols of the first.
      return { library: koffi.load(path, { global: true }), path };
    } catch (error) {
      reasons.push(`${path}: ${(error as Error).message.replace(/^Failed to load shared library: /, "")}`);
    }
  }
  if (named) throw new UsageError(`cannot load the library in PLIMSOLL_MPI (${reasons[0]})`);
  throw new UsageError(
    `no MPI library found (tried ${names.join(", ")}); install MPICH or Open MPI, load the site's MPI module, or name the library in PLIMSOLL_MPI`,
  );
}

function bind(koffi: Koffi, library: Library, path: string): Mpi {
  const abi = abiOf(library, path);
  const types = { i: "int", h: abi.handleType, f: "intptr_t", p: "void *", n: "int64_t", s: "str" };
  const bound = Object.entries(FUNCTIONS).map(([name, letters]) => {
    const parameters = [...letters].map((letter) => types[letter as keyof typeof types]);
    try {
      return [name, library.func(`MPI_${name}`, "int", parameters)] as const;
    } catch {
      throw new UsageError(`${path} is not an MPI library with MPI-IO: it has no MPI_${name}`);
    }
  });
  const libc = koffi.load(null);
  const call = Object.fromEntries(bound) as unknown as Mpi["call"];
  return {
    abi,
    path,
    call,
    version: versionText(call, abi),
    handles: Object.fromEntries(
      Object.entries(abi.handles).map(([name, value]) => [
        name,
        typeof value === "number" ? value : Number(library.symbol(value)),
      ]),
    ) as Record<HandleName, Handle>,
    yieldCpu: libc.func("sched_yield", "int", []),
    sleepMicros: libc.func("usleep", "int", ["unsigned int"]),
  };
}

/** By name and exports of the library. All MPICH-compatible libraries share one ABI. */
function abiOf(library: Library, path: string): Abi {
  const has = (symbol: string) => {
    try {
      return Boolean(library.symbol(symbol));
    } catch {
      return false;
    }
  };
  if (/mpi_abi\.so/.test(path)) return ABIS.standard;
  if (has("ompi_mpi_comm_world")) return ABIS.openmpi;
  if (has("MPI_Abi_get_version")) {
    const major = new Int32Array(new ArrayBuffer(8), 0, 1);
    const minor = new Int32Array(major.buffer, 4, 1);
    library.func("MPI_Abi_get_version", "int", ["void *", "void *"])(major, minor);
    // A library with a different ABI returns -1.
    if ((major[0] as number) > 0 && !has("MPIR_Version_string")) return ABIS.standard;
  }
  return ABIS.mpich;
}

function versionText(call: Mpi["call"], abi: Abi): string {
  const text = Buffer.alloc(abi.maxVersionString + 1);
  const length = new Int32Array(1);
  call.Get_library_version(text, length);
  const whole = text.toString("latin1", 0, length[0]).replace(/\0.*$/s, "");
  return mpiLibrary(whole);
}

/** Throws the library's text for an error code. */
export function check(mpi: Mpi, code: number, what: string): void {
  if (code !== 0) throw new MpiError(`${what}: ${errorText(mpi, code)}`);
}

function errorText({ call, abi }: Mpi, code: number): string {
  const text = Buffer.alloc(abi.maxErrorString + 1);
  const length = new Int32Array(1);
  if (call.Error_string(code, text, length) !== 0) return `error ${code}`;
  return text.toString("utf8", 0, length[0]).replace(/\s+/g, " ").trim();
}

/** Memory that does not move: short typed arrays live on the heap until their buffer is accessed. */
export function pinned<T extends ArrayBufferView>(array: T): T {
  void array.buffer;
  return array;
}

/** Views of at most `limit` bytes. */
export function partsOf(bytes: Uint8Array, limit: number): Uint8Array[] {
  pinned(bytes);
  const count = Math.ceil(bytes.byteLength / limit);
  return Array.from({ length: count }, (_, i) =>
    bytes.subarray(i * limit, Math.min(bytes.length, (i + 1) * limit)),
  );
}

/** `file`: those of files are addresses in every ABI. */
export function handleCell({ abi }: Mpi, initial: Handle = 0, file = false): HandleCell {
  const wide = file || abi.handleType === "intptr_t";
  const array = pinned(wide ? new BigInt64Array(1) : new Int32Array(1));
  const cell: HandleCell = {
    array,
    get value() {
      return Number(array[0]);
    },
    set value(handle) {
      if (array instanceof BigInt64Array) array[0] = BigInt(handle);
      else array[0] = handle;
    },
  };
  cell.value = initial;
  return cell;
}
