/** Addresses within the site. All are relative, so that a proxy may put the site below any path. */
import type { Cell, TableBlock, TableColumn } from "../model/index.ts";

export type Place = "job" | "user" | "account" | "target" | "run" | "study";

/** A name as one path segment; undefined: browsers would resolve it to another path. */
function pathPart(name: string): string | undefined {
  if (name === "" || name === "." || name === ".." || name.length > 200) return undefined;
  if (/\p{Surrogate}/u.test(name)) return undefined;
  return encodeURIComponent(name).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

/** The address of a page; `root` leads from the current page to the first one. */
export function addressOf(root: string, place: Place, name: string): string | undefined {
  const part = pathPart(name);
  return part === undefined ? undefined : `${root}${place}/${part}`;
}

/** The same table with links in these columns. Rows without a page, such as sums, have none. */
export function linked(
  table: TableBlock,
  root: string,
  places: Readonly<Record<string, Place>>,
  isName: (cell: Cell, row: readonly Cell[]) => boolean = () => true,
): TableBlock {
  const added = table.columns.flatMap((column, at) => {
    const place = places[column.key];
    return place === undefined ? [] : [{ column, at, place }];
  });
  if (added.length === 0) return table;
  const hidden = added.map(
    ({ column }): TableColumn => ({
      ...{ key: `${column.key}-page`, label: `${column.label}, page`, unit: "text", hidden: true },
      about: "",
    }),
  );
  return {
    ...table,
    columns: [
      ...table.columns.map((column) =>
        places[column.key] === undefined ? column : { ...column, link: `${column.key}-page` },
      ),
      ...hidden,
    ],
    rows: table.rows.map((row) => [
      ...row,
      ...added.map(({ at, place }) => {
        const cell = row[at] ?? null;
        if (typeof cell !== "string" || !isName(cell, row)) return null;
        return addressOf(root, place, cell) ?? null;
      }),
    ]),
  };
}
