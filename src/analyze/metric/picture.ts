/** Data of the timeline figure: process lanes over time, time columns, and single accesses if there are few. */
import type { BatchListener, CallBatch } from "./call-times.ts";
import type { Picture, PictureSpan } from "./metrics.ts";
import type { GridData } from "./picture-grid.ts";

/** Single accesses are kept up to here. */
const SPANS_MAX = 3000;

interface PictureLane {
  readonly name: string;
  readonly processes: number;
}

export interface PicturePlan {
  readonly lanes: readonly PictureLane[];
  readonly processes: number;
  /** Lane of each tally, and whether it writes. */
  readonly laneOf: Uint32Array;
  readonly writes: Uint8Array;
  readonly accesses: number;
  readonly lastEndNs: number;
  pathOf(tally: number): string;
}

/** Every access, if there are few. */
export class PictureSpans implements BatchListener {
  readonly #plan: PicturePlan;
  readonly spans: PictureSpan[] = [];

  static for(plan: PicturePlan | undefined): PictureSpans | undefined {
    return plan === undefined || plan.accesses > SPANS_MAX ? undefined : new PictureSpans(plan);
  }

  private constructor(plan: PicturePlan) {
    this.#plan = plan;
  }

  batch({ start, end, tally, bytes, starts }: CallBatch): void {
    const { laneOf, writes, pathOf } = this.#plan;
    for (let i = 0; i < starts; i++) {
      const own = tally[i] as number;
      this.spans.push({
        startSeconds: (start[i] as number) / 1e9,
        endSeconds: (end[i] as number) / 1e9,
        lane: laneOf[own] as number,
        write: writes[own] === 1,
        bytes: bytes[i] as number,
        file: pathOf(own),
      });
    }
  }
}

export function pictureOf(plan: PicturePlan, grid: GridData, spans: PictureSpans | undefined): Picture {
  const seconds = (ns: Float64Array) => ns.map((one) => one / 1e9);
  const cells = grid.laneNs.length / 2;
  return {
    columns: grid.columns,
    columnSeconds: grid.widthNs / 1e9,
    busySeconds: seconds(grid.busyNs),
    accessSeconds: seconds(grid.accessNs),
    lanes: plan.lanes,
    processes: plan.processes,
    readSeconds: seconds(grid.laneNs.subarray(0, cells)),
    writeSeconds: seconds(grid.laneNs.subarray(cells)),
    spans: spans?.spans ?? null,
    stretches: grid.stretches?.map((ns) => ns / 1e9) ?? null,
  };
}
