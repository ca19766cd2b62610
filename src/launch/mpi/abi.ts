/**
 * Differences between MPI libraries for a program that was not compiled against one of them. Sources: `mpi.h` of MPICH 4.0 and
 * of Open MPI 4.1, and chapter 20 of the MPI 5.0 standard for its ABI, which no library here has: that table is untested beyond
 * its own consistency.
 */

/** A communicator, datatype, request, …: an int or an address, which a double holds exactly. */
export type Handle = number;

export interface Abi {
  readonly id: "mpich" | "openmpi" | "standard";
  readonly name: string;
  /** Names for the loader, the usual one first. */
  readonly libraries: readonly string[];
  /** How wide handles are; those of files are always addresses. */
  readonly handleType: "int" | "intptr_t";
  /** Constants of handle type; a text is the symbol whose address it is. */
  readonly handles: Readonly<Record<HandleName, number | string>>;
  readonly status: { readonly bytes: number; readonly source: number; readonly tag: number };
  readonly anySource: number;
  readonly anyTag: number;
  readonly commTypeShared: number;
  readonly threadFunneled: number;
  readonly modes: Readonly<Record<ModeName, number>>;
  /** Buffer sizes for texts from the library. */
  readonly maxErrorString: number;
  readonly maxVersionString: number;
  readonly maxInfoValue: number;
}

export type HandleName = "world" | "byte" | "infoNull" | "requestNull" | "errorsReturn";
type ModeName = "create" | "readOnly" | "writeOnly" | "readWrite" | "exclusive" | "deleteOnClose";

/** ROMIO's numbers, the same in MPICH and Open MPI. */
const ROMIO_MODES = { create: 1, readOnly: 2, writeOnly: 4, readWrite: 8, deleteOnClose: 16, exclusive: 64 };

/** MPICH, Cray MPICH, Intel MPI, MVAPICH: one ABI since 2013. Debian names the library differently. */
const mpich: Abi = {
  id: "mpich",
  name: "MPICH ABI",
  libraries: ["libmpi.so.12", "libmpich.so.12"],
  handleType: "int",
  handles: {
    world: 0x44000000,
    byte: 0x4c00010d,
    infoNull: 0x1c000000,
    requestNull: 0x2c000000,
    errorsReturn: 0x54000001,
  },
  status: { bytes: 20, source: 8, tag: 12 },
  anySource: -2,
  anyTag: -1,
  commTypeShared: 1,
  threadFunneled: 1,
  modes: ROMIO_MODES,
  maxErrorString: 512,
  maxVersionString: 8192,
  maxInfoValue: 1024,
};

const openmpi: Abi = {
  id: "openmpi",
  name: "Open MPI ABI",
  libraries: ["libmpi.so.40"],
  handleType: "intptr_t",
  handles: {
    world: "ompi_mpi_comm_world",
    byte: "ompi_mpi_byte",
    infoNull: "ompi_mpi_info_null",
    requestNull: "ompi_request_null",
    errorsReturn: "ompi_mpi_errors_return",
  },
  status: { bytes: 24, source: 0, tag: 4 },
  anySource: -1,
  anyTag: -1,
  commTypeShared: 0,
  threadFunneled: 1,
  modes: ROMIO_MODES,
  maxErrorString: 256,
  maxVersionString: 256,
  maxInfoValue: 256,
};

const standard: Abi = {
  id: "standard",
  name: "MPI 5 ABI",
  libraries: ["libmpi_abi.so.0"],
  handleType: "intptr_t",
  handles: {
    world: 0x101,
    byte: 0x247,
    infoNull: 0x130,
    requestNull: 0x180,
    errorsReturn: 0x143,
  },
  status: { bytes: 32, source: 0, tag: 4 },
  anySource: -1,
  anyTag: -2,
  commTypeShared: 221,
  threadFunneled: 1024,
  modes: { create: 2, readOnly: 16, writeOnly: 256, readWrite: 32, deleteOnClose: 4, exclusive: 8 },
  maxErrorString: 512,
  maxVersionString: 8192,
  maxInfoValue: 1024,
};

export const ABIS = { mpich, openmpi, standard } as const;
