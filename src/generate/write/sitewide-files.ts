/** A synthetic site as the files that a real one would have: accounting, readings of clients, samples of servers. */
import { mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import {
  type AnswerItem,
  type AnswerSheet,
  type JobBlock,
  type Release,
  SACCT_HEADER,
  Samples,
  type Site,
  SiteAnswers,
  type SiteTaker,
  clientReadings,
  sacctLines,
  seriesMinutes,
} from "../sitewide/index.ts";
import type { Listener } from "../../base/listener.ts";
import { generateJobs } from "./sitewide-tables.ts";
import { makeFolder } from "../../node/folders.ts";
import { appendFile, writeFile } from "../../node/write-file.ts";

export interface FileLimits {
  readonly sampleMinutes: number;
  /** Nodes whose readings are written, at most. */
  readonly clientReadings: number;
  readonly release: Release;
}

export async function writeFiles(
  work: string,
  site: Site,
  limits: FileLimits,
  listener: Listener,
): Promise<{ readonly sheet: AnswerSheet; readonly made: Record<string, number> }> {
  const answers = new SiteAnswers(site);
  const jobs = new JobFiles(work, limits);
  const samples = new Samples(site, limits.release, limits.sampleMinutes, seriesMinutes(site)[0]);
  const takers: SiteTaker[] = site.hasSeries ? [answers, jobs, samples] : [answers, jobs];
  await generateJobs(site, takers, listener);
  let written = 0;
  for (const { server, unix, text } of samples.samples()) {
    const path = join(work, "samples", server, `${unix}.txt`);
    if (written < 1000) makeFolder(dirname(path));
    writeFile(path, text);
    written++;
    await listener.yieldToEvents?.();
  }
  const planted = { clients: { ...jobs.planted }, ...(site.hasSeries && { samples: samples.planted }) };
  const item: AnswerItem = { planted, published: {}, tolerance: {} };
  const made = { sacct: jobs.jobsWritten, clients: jobs.planted.nodes, samples: written };
  return { sheet: answers.finish({ V10: item }), made };
}

/** Accounting of all jobs, and client readings of the first ones with counters. */
class JobFiles implements SiteTaker {
  jobsWritten = 0;
  /** What the readings that were written add up to. */
  readonly planted = { jobs: 0, nodes: 0, bytesRead: 0, bytesWritten: 0, opens: 0 };
  readonly #work: string;
  readonly #sacct: string;
  readonly #limits: FileLimits;

  constructor(work: string, limits: FileLimits) {
    this.#work = work;
    this.#limits = limits;
    this.#sacct = join(work, "slurm", "sacct.txt");
    mkdirSync(dirname(this.#sacct));
    writeFile(this.#sacct, SACCT_HEADER);
  }

  jobs(block: JobBlock): void {
    appendFile(this.#sacct, sacctLines(block));
    this.jobsWritten += block.count;
    if (!block.hasCounters) return;
    for (let row = 0; row < block.count; row++) this.#clients(block, row);
  }

  /** All nodes of a job or none, so that its sums are whole. */
  #clients(block: JobBlock, row: number): void {
    const { planted } = this;
    const nodes = block.facts.nodes[row] as number;
    if (planted.nodes + nodes > this.#limits.clientReadings) return;
    for (const { path, text } of clientReadings(block, row, this.#limits.release)) {
      const to = join(this.#work, "clients", path);
      makeFolder(dirname(to));
      writeFile(to, text);
    }
    planted.jobs++;
    planted.nodes += nodes;
    planted.bytesRead += block.counters.bytes_read[row] as number;
    planted.bytesWritten += block.counters.bytes_written[row] as number;
    planted.opens += block.counters.opens[row] as number;
  }
}
