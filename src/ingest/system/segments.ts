/** Segments of `collect server`: differences that are made already. */
import type { ByteSource } from "../../base/source.ts";
import { readSegment, type SegmentState, type SegmentTarget } from "../../formats/samples/index.ts";
import type { RowSink } from "../../model/index.ts";
import type { Added, FileImporter, ImportSetting } from "../input-format.ts";
import { count } from "../notes.ts";
import { coverageKey } from "./coverage.ts";
import type { TargetFile } from "./reading-rows.ts";
import { STATE_KINDS } from "./state-rows.ts";
import { targetFile } from "./system-rows.ts";
import { noteFirst } from "./tracking.ts";

/** A target's line whose differences are taken. */
interface OpenFile {
  readonly file: TargetFile;
  readonly line: SegmentTarget;
  dropped: number;
}

/** A stretch of a table of states. */
type Stretch = readonly [key: string, fromNs: bigint, toNs: bigint];

export class SegmentImporter implements FileImporter {
  readonly #setting: ImportSetting;
  /** Their rows are those of the system, which are flushed once for all formats. */
  readonly rows = 0;

  constructor(setting: ImportSetting) {
    this.#setting = setting;
  }

  add(source: ByteSource): Added {
    const { system, notes, coverage } = this.#setting;
    const [minutes, targets, states] = [system.minutes.mark(), system.targets.mark(), system.states.mark()];
    const lines: OpenFile[] = [];
    const jobFiles = new Map<string, OpenFile>();
    const exportFiles = new Map<string, OpenFile>();
    const stretches: Stretch[] = [];
    let host: string | null = null;
    let overlapping = 0;
    let current: OpenFile | undefined;
    try {
      readSegment(source, {
        header: (header) => {
          host = header.host;
          this.#setting.origin.collectedBy(header.collector);
        },
        target: (line) => {
          const file = targetFile(line.target, line.kind, host);
          if (file === undefined) return;
          const key = coverageKey(file.fileSystem, file.target, file.kind);
          const { fromNs, toNs } = line;
          const isFree = fromNs === undefined || coverage.isFree(key, fromNs, toNs);
          if (!isFree) overlapping++;
          const open: OpenFile = { file, line, dropped: 0 };
          if (line.kind === "export_stats") {
            if (!isFree || fromNs === undefined) return;
            exportFiles.set(line.target, open);
            stretches.push([key, fromNs, toNs]);
            return;
          }
          if (isFree) lines.push(open);
          if (line.kind === "job_stats") {
            if (isFree) jobFiles.set(line.target, open);
          } else if (isFree && fromNs !== undefined) {
            system.targets.begin(file, fromNs, toNs);
            open.dropped += system.takeGrowths(file, undefined, line.counters, line.gap);
          }
        },
        job: ({ target, id, counters }) => {
          const open = jobFiles.get(target);
          if (open?.line.fromNs === undefined) return;
          if (open !== current) system.minutes.begin(open.file, open.line.fromNs, open.line.toNs);
          current = open;
          open.dropped += system.takeGrowths(open.file, id, counters, open.line.gap);
        },
        client: (line) => {
          const open = exportFiles.get(line.target);
          if (open?.line.fromNs !== undefined)
            system.states.client(open.file, open.line.fromNs, open.line.toNs, line);
        },
        state: (state) => {
          const stretch = this.#takeState(state, host);
          if (stretch !== undefined) stretches.push(stretch);
        },
      });
    } catch (error) {
      system.minutes.back(minutes);
      system.targets.back(targets);
      system.states.back(states);
      throw error;
    }
    for (const { file, line, dropped } of lines) {
      const { fromNs, toNs, gap, carriedIn } = line;
      if (fromNs === undefined) {
        noteFirst(notes, coverage, file, toNs);
        system.readings.first(file, toNs, carriedIn);
      } else system.readings.add(file, fromNs, toNs, gap, dropped);
      count(notes.counts, "carriedIn", carriedIn);
      if (gap) count(notes.counts, "gaps");
    }
    for (const stretch of stretches) system.readings.cover(...stretch);
    count(notes.counts, "segments");
    count(notes.counts, "readings", lines.length);
    count(notes.counts, "overlapping", overlapping);
    return lines.length === 0 && overlapping > 0 ? "overlapping" : "stored";
  }

  /** A state that the store does not have yet; gives its stretch. */
  #takeState(state: SegmentState, host: string | null): Stretch | undefined {
    const { system, coverage } = this.#setting;
    const { target: name, fromNs, toNs } = state;
    const file = name === undefined ? undefined : targetFile(name, STATE_KINDS.targets, host);
    if (name !== undefined && file === undefined) return undefined;
    const key =
      file === undefined
        ? coverageKey("", host ?? "", STATE_KINDS.servers)
        : coverageKey(file.fileSystem, file.target, file.kind);
    const isKnown = fromNs === undefined ? coverage.isWithin(key, toNs) : !coverage.isFree(key, fromNs, toNs);
    if (isKnown) return undefined;
    if (file === undefined) system.states.server(host, state);
    else system.states.target(file, state);
    return [key, fromNs ?? toNs, toNs];
  }

  async flush(_: RowSink): Promise<void> {}
}
