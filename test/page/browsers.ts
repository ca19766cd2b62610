/** The browsers that the drop page is tried in. */
import { hasFirefox, launchFirefox, openInFirefox } from "./firefox.ts";
import { type AnyPage, hasBrowser, launch, openPage } from "./kit.ts";

export interface Driver {
  open(path: string, options?: { readonly fragment?: string }): Promise<AnyPage>;
  close(): Promise<void>;
}

async function chromium(): Promise<Driver> {
  const browser = await launch();
  return { open: (path, options) => openPage(browser, path, options), close: () => browser.close() };
}

async function firefox(): Promise<Driver> {
  const browser = await launchFirefox();
  return { open: (path, options) => openInFirefox(browser, path, options), close: () => browser.close() };
}

export const BROWSERS = [
  { name: "Chromium", isThere: hasBrowser, start: chromium },
  { name: "Firefox", isThere: hasFirefox, start: firefox },
];
