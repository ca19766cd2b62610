/** Segments of `collect server`: differences that are made already. */
import type { ByteSource } from "../../base/source.ts";
import { readSegment, type SegmentTarget } from "../../formats/samples/index.ts";
import type { RowSink } from "../../model/index.ts";
import type { Added, FileImporter, ImportSetting } from "../input-format.ts";
import { count } from "../notes.ts";
import { coverageKey } from "./coverage.ts";
import type { TargetFile } from "./reading-rows.ts";
import { targetFile } from "./system-rows.ts";
import { noteFirst } from "./tracking.ts";

/** A target's line whose differences are taken. */
interface OpenFile {
  readonly file: TargetFile;
  readonly line: SegmentTarget;
  dropped: number;
}

export class SegmentImporter implements FileImporter {
  readonly #setting: ImportSetting;
  /** Their rows are those of the system, which are flushed once for all formats. */
  readonly rows = 0;

  constructor(setting: ImportSetting) {
    this.#setting = setting;
  }

  add(source: ByteSource): Added {
    const { system, notes, coverage } = this.#setting;
    const [minutes, targets] = [system.minutes.mark(), system.targets.mark()];
    const lines: OpenFile[] = [];
    const jobFiles = new Map<string, OpenFile>();
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
      });
    } catch (error) {
      system.minutes.back(minutes);
      system.targets.back(targets);
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
    count(notes.counts, "segments");
    count(notes.counts, "readings", lines.length);
    count(notes.counts, "overlapping", overlapping);
    return lines.length === 0 && overlapping > 0 ? "overlapping" : "stored";
  }

  async flush(_: RowSink): Promise<void> {}
}
