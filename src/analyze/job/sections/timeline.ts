import { formatCount } from "../../../base/units.ts";
import type { Section } from "../../../model/index.ts";
import type { ReportInput } from "../input.ts";
import { spanBlocks } from "./spans.ts";
import { counted } from "./counted.ts";

export function timeline({ job, trace }: ReportInput): Section {
  const common = { id: "timeline", title: "Timeline of calls" };
  if (trace === undefined)
    return {
      ...common,
      detail: true,
      blocks: [
        {
          kind: "notice",
          level: "missing",
          text: "The log has no traces of single calls (DXT).",
          how: `${job.files.length === 0 ? "Once there is I/O, set" : "Set"} DARSHAN_MOD_ENABLE=DXT_POSIX,DXT_MPIIO before the run (Darshan 3.4 and later), or DXT_ENABLE_IO_TRACE=1 (before 3.4). Tracing costs little: about 40 bytes per call.`,
        },
      ],
    };
  const calls = trace.layers.map(({ name, calls: count }) => `${formatCount(count)} ${name}`).join(" and ");
  const nested = trace.layers.length > 1 ? " A call of an upper layer contains those below it." : "";
  return {
    ...common,
    detail: true,
    intro: `${calls} calls on ${counted(trace.filesTotal, "file")}.${nested} Zoom with W and S or ctrl and the wheel, move with A and D or by dragging; drag on the ruler to sum up an interval; click a call for details.`,
    blocks: [...spanBlocks(job), { kind: "trace", trace }],
  };
}
