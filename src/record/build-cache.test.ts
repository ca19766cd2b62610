import {
  chmodSync,
  chownSync,
  copyFileSync,
  existsSync,
  lchownSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { keepBuild } from "./build-cache.ts";
import { ensureShim } from "./shim.ts";

const root = realpathSync(mkdtempSync(join(tmpdir(), "plimsoll-cache-")));
// As homes are: others may enter, so what is below has to be safe by itself.
chmodSync(root, 0o755);
afterAll(() => rmSync(root, { recursive: true, force: true }));

const OTHER_USER = 65_534;
const isRoot = process.getuid?.() === 0;
let cases = 0;

/** A cache folder of its own, with a home folder as the second choice. */
function place() {
  const folder = join(root, String(++cases));
  const env = { XDG_CACHE_HOME: join(folder, "cache"), HOME: join(folder, "home") };
  mkdirSync(env.XDG_CACHE_HOME, { recursive: true });
  const notes: string[] = [];
  let builds = 0;
  const build = {
    ...{ name: "thing", ending: ".so", inputs: ["source"] },
    build: (path: string) => {
      builds++;
      writeFileSync(path, "content");
    },
  };
  const keep = () => keepBuild(build, { env, note: (line) => void notes.push(line) });
  const wanted = join(env.XDG_CACHE_HOME, "plimsoll");
  const second = join(env.HOME, ".cache", "plimsoll");
  return { env, keep, notes, wanted, second, builds: () => builds };
}

describe("a build", () => {
  it("is made once and found again", () => {
    const { keep, wanted, notes, builds } = place();
    const { path, fresh } = keep();
    expect(fresh).toBe(true);
    expect(dirname(path)).toBe(wanted);
    expect(readFileSync(path, "utf8")).toBe("content");
    expect(keep()).toEqual({ path, fresh: false });
    expect(readdirSync(wanted)).toEqual([basename(path)]);
    expect([builds(), notes]).toEqual([1, []]);
  });

  it("is made again when the content of its file has changed", () => {
    const { keep, builds } = place();
    const { path } = keep();
    writeFileSync(path, "planted");
    expect(keep()).toEqual({ path, fresh: true });
    expect(readFileSync(path, "utf8")).toBe("content");
    expect(builds()).toBe(2);
  });

  it("is made again when others could write its file", () => {
    const { keep } = place();
    const { path } = keep();
    chmodSync(path, 0o777);
    expect(keep()).toEqual({ path, fresh: true });
  });

  it("is made again when its file is a symbolic link", () => {
    const { keep, env } = place();
    const { path } = keep();
    const elsewhere = join(env.XDG_CACHE_HOME, "elsewhere");
    copyFileSync(path, elsewhere);
    rmSync(path);
    symlinkSync(elsewhere, path);
    expect(keep()).toEqual({ path, fresh: true });
  });

  it.runIf(isRoot)("is made again when its file belongs to somebody else", () => {
    const { keep } = place();
    const { path } = keep();
    chownSync(path, OTHER_USER, OTHER_USER);
    expect(keep()).toEqual({ path, fresh: true });
  });
});

describe("a folder is not used", () => {
  it("when others can write it", () => {
    const { keep, wanted, second, notes } = place();
    mkdirSync(wanted);
    chmodSync(wanted, 0o777);
    expect(dirname(keep().path)).toBe(second);
    expect(notes).toEqual([`other users can write to ${wanted}; it is not used for the recorder`]);
  });

  it("when it is a symbolic link", () => {
    const { keep, wanted, second, env, notes } = place();
    mkdirSync(join(env.XDG_CACHE_HOME, "target"), { mode: 0o700 });
    symlinkSync("target", wanted);
    expect(dirname(keep().path)).toBe(second);
    expect(notes[0]).toContain(`${wanted} is a symbolic link;`);
  });

  it("when others can write a folder above it", () => {
    const { keep, wanted, second, env } = place();
    chmodSync(env.XDG_CACHE_HOME, 0o777);
    expect(dirname(keep().path)).toBe(second);
    expect(existsSync(wanted)).toBe(false);
  });

  it.runIf(isRoot)("when it belongs to somebody else, even if its file is the right one", () => {
    const { keep, wanted, second, env } = place();
    keep();
    chownSync(wanted, OTHER_USER, OTHER_USER);
    expect(dirname(keep().path)).toBe(second);
    // The folder above decides who can exchange it.
    rmSync(wanted, { recursive: true });
    chownSync(env.XDG_CACHE_HOME, OTHER_USER, OTHER_USER);
    expect(dirname(keep().path)).toBe(second);
    expect(existsSync(wanted)).toBe(false);
  });

  it.runIf(isRoot)("and with no other left the build goes into a fresh folder of this process", () => {
    const { keep, wanted, second, env } = place();
    const shared = join(root, `plimsoll-${process.getuid?.()}`);
    const before = process.env.TMPDIR;
    process.env.TMPDIR = root;
    try {
      for (const folder of [wanted, second, shared]) {
        mkdirSync(folder, { recursive: true });
        lchownSync(folder, OTHER_USER, OTHER_USER);
      }
      const { path, fresh } = keep();
      expect(fresh).toBe(true);
      expect(dirname(dirname(path))).toBe(root);
      expect([wanted, second, shared, env.HOME]).not.toContain(dirname(path));
      expect(keep()).toEqual({ path, fresh: false });
    } finally {
      process.env.TMPDIR = before;
      if (before === undefined) delete process.env.TMPDIR;
      rmSync(shared, { recursive: true });
    }
  });

  it("but folders below one that only we can enter may be as they are", () => {
    const { keep, wanted, env } = place();
    chmodSync(dirname(env.XDG_CACHE_HOME), 0o700);
    chmodSync(env.XDG_CACHE_HOME, 0o777);
    expect(dirname(keep().path)).toBe(wanted);
  });

  it("and a symbolic link on the way is followed once, to where it leads now", () => {
    const { keep, env } = place();
    const real = join(dirname(env.XDG_CACHE_HOME), "real");
    mkdirSync(real);
    rmSync(env.XDG_CACHE_HOME, { recursive: true });
    symlinkSync("real", env.XDG_CACHE_HOME);
    expect(dirname(keep().path)).toBe(join(real, "plimsoll"));
  });
});

it.runIf(isRoot)("the recorder that another user has planted is not loaded", () => {
  const { path } = ensureShim();
  const planted = join(root, "planted", "plimsoll");
  mkdirSync(planted, { recursive: true });
  copyFileSync(path, join(planted, basename(path)));
  chownSync(planted, OTHER_USER, OTHER_USER);
  const found = ensureShim({ env: { ...process.env, XDG_CACHE_HOME: dirname(planted) } });
  expect(found.path).toBe(path);
});
