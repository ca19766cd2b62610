/** How much a log may ask of us. Nothing in a file is trusted; every bound here is an option of the commands. */
export interface Limits {
  /** Plain bytes of all regions of a log together. */
  readonly plainBytesMax: number;
  /** Plain bytes of the name region, which is held in memory. */
  readonly nameTableBytesMax: number;
  /** Bytes of one name. */
  readonly nameBytesMax: number;
  /** Records of one module (DXT: segments count too). */
  readonly recordsMax: number;
  /** Records of files that a job holds in memory, of all modules together; DXT is not held. */
  readonly heldRecordsMax: number;
  /** Plain bytes of one record other than DXT. */
  readonly recordBytesMax: number;
}

export const DEFAULT_LIMITS: Limits = {
  plainBytesMax: 64 * 2 ** 30,
  nameTableBytesMax: 2 ** 30,
  nameBytesMax: 2 ** 20,
  recordsMax: 2 ** 31,
  heldRecordsMax: Number.POSITIVE_INFINITY,
  recordBytesMax: 64 * 2 ** 20,
};
