/** `/account/NAME`: what the jobs of an account did. */
import type { Page } from "../site.ts";
import { personContent } from "./person.ts";

export const accountPage: Page = {
  path: "/account/:name",
  adminsOnly: true,
  make: (ask) => personContent(ask, "account", ask.names[0] ?? ""),
};
