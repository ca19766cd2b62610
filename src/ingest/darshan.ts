/** Darshan logs: runs, accesses and files. */
import { createHash } from "node:crypto";
import type { ByteSource } from "../base/source.ts";
import { DarshanLog } from "../formats/darshan/log.ts";
import { type Identity, StoredRows } from "../formats/darshan/stored-rows.ts";
import type { RowSink } from "../model/index.ts";
import { nodeCodecs } from "../node/codecs.ts";
import type { Added, FileImporter, ImportSetting } from "./input-format.ts";
import { type InputOrigin, siteZone } from "./origin.ts";

export class DarshanImporter implements FileImporter {
  readonly #rows: StoredRows;

  readonly #origin: InputOrigin;
  readonly #zone: string | undefined;

  constructor({ nowUnixSeconds, origin, zone }: Pick<ImportSetting, "nowUnixSeconds" | "origin" | "zone">) {
    this.#origin = origin;
    this.#zone = siteZone(zone);
    this.#rows = new StoredRows({ identify, nowUnixSeconds });
  }

  get rows(): number {
    return this.#rows.accesses + this.#rows.runs;
  }

  add(source: ByteSource, path: string, hash: Buffer): Added {
    const log = new DarshanLog(source, { codecs: nodeCodecs });
    const runId = { low: hash.readUInt32BE(4), high: hash.readUInt32BE(0) };
    this.#rows.add(log, path, runId, { synthetic: this.#origin.flag === 1, zone: this.#zone });
    return "stored";
  }

  flush(sink: RowSink): Promise<void> {
    return this.#rows.flush(sink);
  }
}

function identify(name: string): Identity {
  const hash = createHash("sha256").update(name).digest();
  return { low: hash.readUInt32BE(4), high: hash.readUInt32BE(0) };
}
