/** What selected files are called, for tables that name some of them. */
import type { Queryable } from "../../../model/index.ts";

interface FileId {
  readonly id: string;
  readonly mount: string | null;
  /** Where recorded, and asked for. */
  readonly path: string | null;
}

/** Record id and mount, and the path if wanted, of some selected files by their numbers. */
export async function fileIds(
  db: Queryable,
  files: readonly number[],
  withPaths = false,
): Promise<Map<number, FileId>> {
  if (files.length === 0) return new Map();
  // One text is parsed much faster than a list of numbers.
  const chosen = `select cast(unnest(string_split('${files.join(" ")}', ' ')) as uinteger) as file_no`;
  const rows = await db.rows(`with chosen as (select s.file_no, s.file_id, m.mount
      from (${chosen}) c join reuse_selected s on c.file_no = s.file_no join reuse_mounts m on s.mount_no = m.mount_no)
    ${
      withPaths
        ? `, names as (select file_id, min(path) as path from files
            where file_id in (select file_id from chosen) group by file_id)
          select c.*, n.path from chosen c left join names n on c.file_id = n.file_id`
        : "select *, null as path from chosen"
    }`);
  const text = (value: unknown) => (value === null || value === undefined ? null : String(value));
  return new Map(
    rows.map(({ file_no, file_id, mount, path }) => [
      Number(file_no),
      { id: String(file_id), mount: text(mount), path: text(path) },
    ]),
  );
}
