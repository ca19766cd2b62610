import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { unseenNotes } from "../../record/unseen.ts";
import { notesOfUnseen } from "./unseen.ts";

const texts = (text: string) => notesOfUnseen(text).map((note) => note.text);

it("says each thing once, and of many the first three", () => {
  const lines = ["a", "b", "a", "c", "d", "e"].map((name) => `stream\tapp\t/data/${name}\n`).join("");
  expect(notesOfUnseen(lines)).toEqual([
    {
      id: "unseen-streams",
      count: 5,
      text: "Not recorded: fprintf, fgets, getc and similar calls on /data/a, /data/b, /data/c and 2 more. --with strace counts their system calls.",
    },
  ]);
});

it("names programs by the reason", () => {
  expect(texts("static\tsh\t/opt/a\nset-uid\tsh\t/bin/su\ngo\tsh\t/opt/b\n")).toEqual([
    "Not recorded: programs without preload support: /opt/a (statically linked), /bin/su (set-uid), /opt/b (a Go program). --with strace records them (set-uid programs only as root).",
  ]);
});

it("takes a line that is cut or of a kind that it does not know for nothing", () => {
  expect(notesOfUnseen("")).toEqual([]);
  expect(notesOfUnseen("later-kind\tapp\tx\n\n")).toEqual([]);
  expect(texts("io_uring")).toHaveLength(1);
});

it("has nothing to say of a folder without the file, or without the folder", () => {
  const folder = mkdtempSync(join(tmpdir(), "plimsoll-unseen-"));
  expect(unseenNotes(folder)).toEqual([]);
  rmSync(folder, { recursive: true });
  expect(unseenNotes(folder)).toEqual([]);
});
