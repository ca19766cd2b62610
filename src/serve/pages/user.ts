/** `/user/NAME`: bytes, metadata operations and small writes by day, and jobs with their write sizes. */
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
