/** `/user/NAME`: bytes, metadata and small writes by day, jobs, how efficiently they write. */
import { Forbidden, type Page } from "../site.ts";
import { personContent } from "./person.ts";

export const userPage: Page = {
  path: "/user/:name",
  make(ask) {
    const name = ask.names[0] ?? "";
    if (!ask.viewer.isAdmin && name !== ask.viewer.name)
      throw new Forbidden("this page belongs to another user");
    return personContent(ask, "user", name);
  },
};
