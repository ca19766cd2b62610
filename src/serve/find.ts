/** `/find?q=`: redirects to the page of the job, user, account or target with this name. */
import { chooseTargets, fullName, storedTargetNames } from "../analyze/load/index.ts";
import { plainText, type Reply } from "./http.ts";
import { addressOf, type Place } from "./links.ts";
import { type Ask, NotFound } from "./site.ts";

export async function findReply(ask: Ask): Promise<Reply> {
  const q = ask.param("q") ?? "";
  const place = q === "" ? undefined : await placeOf(ask, q);
  const address = place === undefined ? undefined : addressOf("", place.place, place.name);
  if (address === undefined)
    throw new NotFound(`not found: ${q}; expected a job, a user, an account or a target`);
  return plainText(303, "found", { Location: address });
}

async function placeOf(ask: Ask, q: string): Promise<{ place: Place; name: string } | undefined> {
  const targets = await ask.answer("targets", storedTargetNames);
  const [target] = chooseTargets(targets, [q.replace(/[*?,]/g, "\0")]).targets;
  if (target !== undefined) return { place: "target", name: fullName(target) };
  // Does not reveal whether other users' jobs exist.
  if (!ask.viewer.isAdmin) return { place: q === ask.viewer.name ? "user" : "job", name: q };
  const is = `'${q.replaceAll("'", "''")}'`;
  const [row] = await ask.answer(`find ${q}`, (db) =>
    db.rows(`select exists (select 1 from jobs where job_id = ${is}) or exists (select 1 from job_days where job_id = ${is})
        or exists (select 1 from runs where job_id = ${is}) as job,
      exists (select 1 from jobs where user_name = ${is}) as user, exists (select 1 from jobs where account = ${is}) as account`),
  );
  const place = (["job", "user", "account"] as const).find((one) => row?.[one] === true);
  return place === undefined ? undefined : { place, name: q };
}
