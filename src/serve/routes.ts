/** The pages of the site, one line each, and the lookup of an address. */
import { accountPage } from "./pages/account.ts";
import { applicationsPage, filesPage, runsPage } from "./pages/runs.ts";
import { comparePage } from "./pages/compare.ts";
import { jobPage } from "./pages/job.ts";
import { nowPage } from "./pages/now.ts";
import { quietPage } from "./pages/quiet.ts";
import { runPage } from "./pages/run.ts";
import { storePage } from "./pages/store.ts";
import { studiesPage } from "./pages/studies.ts";
import { targetPage } from "./pages/target.ts";
import { userPage } from "./pages/user.ts";
import { weekPage } from "./pages/week.ts";
import type { Page } from "./site.ts";

export const PAGES: readonly Page[] = [
  nowPage,
  targetPage,
  jobPage,
  userPage,
  accountPage,
  comparePage,
  quietPage,
  weekPage,
  runsPage,
  runPage,
  filesPage,
  applicationsPage,
  studiesPage,
  storePage,
];

interface Route {
  readonly page: Page;
  readonly names: readonly string[];
}

/** The page of a path, with the names in it; undefined: no such page, or a name that cannot be decoded. */
export function routeOf(path: string): Route | undefined {
  const parts = path.split("/").slice(1);
  for (const page of PAGES) {
    const wanted = page.path.split("/").slice(1);
    if (wanted.length !== parts.length) continue;
    const names: string[] = [];
    const fits = wanted.every((word, at) => {
      const part = parts[at] as string;
      if (!word.startsWith(":")) return word === part;
      const name = decoded(part);
      if (name === undefined || name === "" || name.length > 300) return false;
      names.push(name);
      return true;
    });
    if (fits) return { page, names };
  }
  return undefined;
}

function decoded(part: string): string | undefined {
  try {
    return decodeURIComponent(part);
  } catch {
    return undefined;
  }
}
