/** A synthetic site as a store. */
import { join } from "node:path";
import type { Listener } from "../../base/listener.ts";
import type { Slice } from "../reuse/index.ts";
import {
  generateSite,
  NOTHING,
  shareOf,
  type Site,
  SiteAnswers,
  SiteTables,
  type SiteTaker,
} from "../sitewide/index.ts";
import { fillStore } from "./answers.ts";

export function writeTables(work: string, site: Site, listener: Listener) {
  return fillStore(join(work, "store"), "plimsoll generate sitewide", async ([batch]) => {
    const answers = new SiteAnswers(site);
    const tables = new SiteTables(site, batch);
    await generateJobs(site, [tables, answers], listener);
    await tables.finish();
    return { sheet: answers.finish({}, tables.monitoring), made: { ...tables.rows } };
  });
}

/** The rows of one slice as a store of their own. Jobs are drawn from the first one on, since each depends on those before it. */
export function writeTableSlice(work: string, site: Site, slice: Slice, listener: Listener): Promise<void> {
  return fillStore(join(work, "store"), "plimsoll generate sitewide", async ([batch]) => {
    const tables = new SiteTables(site, batch, shareOf(slice));
    await generateJobs(site, [tables], listener);
    await tables.finish();
  });
}

/** What `writeTables` gives, without rows. */
export async function countTables(site: Site, listener: Listener) {
  const answers = new SiteAnswers(site);
  const tables = new SiteTables(site, { append: async () => {} }, NOTHING);
  await generateJobs(site, [tables, answers], listener);
  return { sheet: answers.finish({}, tables.monitoring), made: { ...tables.rows } };
}

/** The whole site, with what it has come to. */
export async function generateJobs(
  site: Site,
  takers: readonly SiteTaker[],
  listener: Listener,
): Promise<void> {
  const jobs = site.clusters.reduce((all, model) => all + model.jobs * site.options.scale, site.seriesJobs);
  const progress = listener.progress?.({ label: "generate", total: Math.round(jobs), unit: "jobs" });
  await generateSite(site, takers, async (count) => {
    progress?.add(count);
    await listener.yieldToEvents?.();
  });
  progress?.end();
}
