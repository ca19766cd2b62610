/** Spans of the application as lanes of the timeline, cut down to what a picture needs. */
import type { TraceSpans } from "../../model/index.ts";
import type { SpanFacts } from "./spans.ts";

/** Stretches of a lane; where there are more, gaps are closed, the shortest first by powers of two. */
const STRETCHES_MAX = 20_000;

export function traceSpans({ names, lanes }: SpanFacts): TraceSpans[] {
  return lanes.map((pairs, index) => {
    const { category = "", name = "" } = names[index] ?? {};
    const kept = closeGaps(pairs);
    return {
      ...{ category, name },
      startSeconds: Float64Array.from({ length: kept.length >> 1 }, (_, i) => (kept[2 * i] as number) / 1e9),
      endSeconds: Float64Array.from(
        { length: kept.length >> 1 },
        (_, i) => (kept[2 * i + 1] as number) / 1e9,
      ),
    };
  });
}

function closeGaps(pairs: Float64Array): Float64Array {
  let kept = pairs;
  for (let gapNs = 1000; kept.length > 2 * STRETCHES_MAX; gapNs *= 2) kept = withoutGaps(kept, gapNs);
  return kept;
}

function withoutGaps(pairs: Float64Array, gapNs: number): Float64Array {
  const kept = new Float64Array(pairs.length);
  let length = 0;
  for (let i = 0; i < pairs.length; i += 2) {
    if (length > 0 && (pairs[i] as number) - (kept[length - 1] as number) <= gapNs) length -= 1;
    else kept[length++] = pairs[i] as number;
    kept[length++] = pairs[i + 1] as number;
  }
  return kept.subarray(0, length);
}
