/** Every variant of every snippet for all samples, each code once. */
import { codeOf, type Entry, type Variant, type Variants } from "../../../src/analyze/job/snippets/entry.ts";
import { SNIPPETS } from "../../../src/analyze/job/snippets/index.ts";
import { SAMPLES } from "./samples.ts";

export interface Case {
  /** `vector-view, mpi, fortran, 2`. */
  readonly name: string;
  readonly id: string;
  readonly kind: "mpi" | "plain";
  readonly variant: Variant;
  readonly code: string;
  readonly params: unknown;
  /** The program only reads. */
  readonly reads: boolean;
}

export const MOUNTS: ReadonlySet<string> = new Set(["/", "/scratch", "/lustre/work"]);

export const CASES: readonly Case[] = Object.keys(SNIPPETS).flatMap((name) => {
  const entry = SNIPPETS[name as keyof typeof SNIPPETS] as unknown as Entry<unknown>;
  const samples = SAMPLES[name as keyof typeof SAMPLES] as readonly unknown[];
  return (["mpi", "plain"] as const).flatMap((kind) => casesOf(entry, kind, samples));
});

function casesOf(entry: Entry<unknown>, kind: "mpi" | "plain", samples: readonly unknown[]): Case[] {
  const variants: Variants<unknown> = entry[kind] ?? {};
  return (Object.keys(variants) as Variant[]).flatMap((variant) => {
    const seen = new Set<string>();
    return samples.flatMap((params, at) => {
      const { code } = codeOf(variants, variant, params, MOUNTS);
      if (seen.has(code)) return [];
      seen.add(code);
      const reads = (params as { way?: string } | undefined)?.way === "read";
      return [
        {
          name: `${entry.id}, ${kind}, ${variant}, ${at + 1}`,
          id: entry.id,
          kind,
          variant,
          code,
          params,
          reads,
        },
      ];
    });
  });
}
