/**
 * Client readings: what one node of a job counted, as one JSON document with the files as they were before and after the
 * job. Differences are made when it is read, so that better rules help old data too.
 */
import { FormatError } from "../../base/errors.ts";
import { type ByteSource, bytesSource } from "../../base/source.ts";
import { type CounterTable, type LustreItem, readLustre } from "../lustre/index.ts";
import { isMountFile } from "../mounts/index.ts";
import { bytesOf, hexOf, textOf } from "./bytes-field.ts";
import { decimal64, type Fields, objectOf, stampOf, versionFault } from "./fields.ts";

export const CLIENT_READING = "client-reading";
/** Version 2 may have files of NFS and Storage Scale. */
const CLIENT_READING_VERSION = 2;

/** One file as it was read: `llite/lustre1-ffff8800/stats`, `lnet/stats`, `mountstats`, `mmpmon/fs_io_s`. */
export interface ReadFile {
  readonly path: string;
  readonly bytes: Uint8Array;
}

export interface ClientSide {
  readonly atNs: bigint;
  readonly files: readonly ReadFile[];
}

export interface ClientReading {
  readonly jobId: string;
  readonly node: string;
  readonly cluster?: string | undefined;
  readonly user?: string | undefined;
  readonly uid?: number | undefined;
  /** Nodes of the job. */
  readonly nodes?: number | undefined;
  readonly nodeMemoryBytes?: bigint | undefined;
  readonly collector?: string | undefined;
  /** Undefined when the prolog was not run or its file is gone: then nothing can be said of this node. */
  readonly before?: ClientSide | undefined;
  /** Undefined in the document that waits for the end of the job. */
  readonly after?: ClientSide | undefined;
  /** What went wrong while it was read. */
  readonly notes?: readonly string[] | undefined;
}

export function clientReadingText(reading: ClientReading): string {
  const { before, after, nodeMemoryBytes, notes = [], ...plain } = reading;
  const hasMounts = [before, after].some((side) => side?.files.some(isMountFile));
  const document = {
    plimsoll: CLIENT_READING,
    version: hasMounts ? CLIENT_READING_VERSION : 1,
    ...plain,
    ...(nodeMemoryBytes !== undefined && { nodeMemoryBytes: String(nodeMemoryBytes) }),
    ...(before !== undefined && { before: sideFields(before) }),
    ...(after !== undefined && { after: sideFields(after) }),
    ...(notes.length > 0 && { notes }),
  };
  return `${JSON.stringify(document)}\n`;
}

function sideFields({ atNs, files }: ClientSide): object {
  return {
    atNs: String(atNs),
    files: files.map(({ path, bytes }) => {
      const text = textOf(bytes);
      return text === undefined ? { path, hex: hexOf(bytes) } : { path, text };
    }),
  };
}

/** The statistics of a client are some kilobytes for each mount. */
const BYTES_MAX = 64 << 20;

export function readClientReading(source: ByteSource): ClientReading {
  const fault = (detail: string, cause?: unknown) => new FormatError(source.name, {}, detail, { cause });
  if (source.byteLength > BYTES_MAX) throw fault(`larger than ${BYTES_MAX} bytes: not a client sample`);
  const bytes = source.read(0, source.byteLength);
  let end = bytes.length;
  while (end > 0 && bytes[end - 1] === 0) end--;
  let value: Fields | undefined;
  try {
    value = objectOf(JSON.parse(new TextDecoder().decode(bytes.subarray(0, end))));
  } catch (cause) {
    throw fault(`the file is truncated or damaged: incomplete JSON in ${end} bytes`, cause);
  }
  if (value === undefined) throw fault("expected an object");
  const wrong = versionFault(value, CLIENT_READING, CLIENT_READING_VERSION);
  if (wrong !== undefined) throw fault(wrong);
  const { jobId, node, notes = [] } = value;
  if (typeof jobId !== "string" || typeof node !== "string") throw fault("expected jobId and node as text");
  if (!Array.isArray(notes) || !notes.every((note) => typeof note === "string"))
    throw fault("notes are not a list of texts");
  const memory = value.nodeMemoryBytes;
  if (memory !== undefined && decimal64(memory) === undefined)
    throw fault("nodeMemoryBytes is not a number as text");
  return {
    jobId,
    node,
    cluster: textField(value.cluster, "cluster", fault),
    user: textField(value.user, "user", fault),
    uid: numberField(value.uid, "uid", fault),
    nodes: numberField(value.nodes, "nodes", fault),
    nodeMemoryBytes: decimal64(memory),
    collector: textField(value.collector, "collector", fault),
    before: sideOf(value.before, "before", fault),
    after: sideOf(value.after, "after", fault),
    notes,
  };
}

type Fault = (detail: string) => FormatError;

function textField(value: unknown, name: string, fault: Fault): string | undefined {
  if (value !== undefined && typeof value !== "string") throw fault(`${name} is not text`);
  return value;
}

function numberField(value: unknown, name: string, fault: Fault): number | undefined {
  if (value !== undefined && (!Number.isSafeInteger(value) || (value as number) < 0))
    throw fault(`${name} is not a whole number`);
  return value as number | undefined;
}

function sideOf(value: unknown, name: string, fault: Fault): ClientSide | undefined {
  if (value === undefined) return undefined;
  const side = objectOf(value);
  const atNs = stampOf(side?.atNs);
  if (side === undefined || atNs === undefined || !Array.isArray(side.files))
    throw fault(`${name}: expected atNs, nanoseconds since 1970 as text, and files`);
  const files = side.files.map((one: unknown) => {
    const fields = objectOf(one) ?? {};
    const bytes = bytesOf(fields.text, fields.hex);
    if (typeof fields.path !== "string" || bytes === undefined)
      throw fault(`${name}: a file is not path and text, or path and hex`);
    return { path: fields.path, bytes };
  });
  return { atNs, files };
}

/** The files of one side as the readers of Lustre's files have them, for `clientDelta`. */
export function sideItems({ atNs, files }: ClientSide, table: CounterTable): LustreItem[] {
  const ofLustre = files.filter((file) => !isMountFile(file));
  return ofLustre.flatMap(
    ({ path, bytes }) => readLustre(bytesSource(bytes, path), { readAtNs: atNs, path }, table).items,
  );
}
