import { posix } from "node:path";

import type { Limit } from "../limit.ts";
import {
  type RelatedAnswer,
  type RelatedRequest,
  type RelatedRow,
  type RelationKind,
  relationKinds,
} from "../wire.ts";
import { type IndexTables, moduleName, relationKey } from "./index-store.ts";
import { visibleSources } from "./search.ts";

/** Rows of one relation. */
const MOST = 50;

/** Languages whose code uses one another's names. */
function familyOf(path: string): string {
  const suffix = path.slice(path.lastIndexOf(".") + 1).toLowerCase();
  return /^[cm]?[jt]sx?$/.test(suffix) ? "script" : suffix;
}

/** Whether a module's name, or its path in the repository, means this file; in Go a folder is the module. */
function isModuleOf(target: string, path: string): boolean {
  const name = moduleName(target);
  const wanted = name.includes("/") ? name : name.replaceAll(".", "/");
  const file = moduleName(path).replace(/\/(?:index|__init__)$/, "");
  const given = familyOf(path) === "go" ? posix.dirname(file) : file;
  if (given === wanted || given.endsWith(`/${wanted}`)) return true;
  // Outside of scripts a module's name begins above the folder.
  return familyOf(path) !== "script" && wanted.endsWith(`/${given}`);
}

interface Found {
  name: string;
  /** What has the relation: the innermost definition around it, or its file. */
  origin?: string;
  path: string;
  line: number;
  repo: string;
  document: number;
}

const ROWS = `FROM relations r JOIN documents d ON d.id = r.document JOIN sources s ON s.id = r.source WHERE `;

const among = (column: string, documents: { id: number }[]): string =>
  `${column} IN (${documents.map(({ id }) => id).join(",")})`;

/** A pattern for `LIKE … ESCAPE '!'` that finds a text wherever it stands. */
const anywhere = (text: string): string => `%${text.replaceAll(/[!%_]/g, "!$&")}%`;

const keyOf = ({ name, document }: Found): string => `${name}\n${document}`;

/** Names of each relation that are told with a hit in code. */
const MOST_TOLD = 5;

/** What a piece of code calls, extends and is called by: names alone. */
export async function relationsOf(
  index: IndexTables,
  { document, name, sources }: { document: number; name: string; sources: number[] },
): Promise<Record<string, string[]>> {
  const own = name.split(".").at(-1) ?? name;
  const names = async (column: string, where: string, ...values: (string | number)[]): Promise<string[]> => {
    const rows = await index.all<{ name: string }>(
      `SELECT DISTINCT ${column} AS name FROM relations
       WHERE ${where} AND source IN (${sources.join(",")}) ORDER BY 1 LIMIT ${MOST_TOLD}`,
      ...values,
    );
    return rows.map((row) => row.name);
  };
  const told = {
    calls: await names("target", "document = ? AND kind = 'calls' AND origin = ?", document, own),
    called_by: await names("origin", "kind = 'calls' AND key = ? AND origin <> key", own),
    extends: await names("target", "document = ? AND kind = 'extends' AND origin = ?", document, own),
  };
  return Object.fromEntries(Object.entries(told).filter(([, found]) => found.length > 0));
}

/** What code has to do with a function, class, module or file, as its language says it by name. */
export async function relatedCode(
  index: IndexTables,
  request: RelatedRequest,
  limit: Limit,
): Promise<Omit<RelatedAnswer, "query_time_ms">> {
  const { entity, entity_type: type, relationship } = request;
  const ids = (await visibleSources(index, request)).map(({ id }) => id);
  const isFile = type === "file" || type === "module";
  const scope = `r.source IN (${ids.join(",")})`;

  async function query(select: string, where: string, ...values: (string | number)[]): Promise<Found[]> {
    return index.all<Found>(
      `SELECT ${select} AS name, r.origin, d.path, r.line, s.name AS repo, r.document
       ${ROWS} ${scope} AND ${where} ORDER BY s.name, d.path, r.line LIMIT 400`,
      ...values,
    );
  }

  /** The file that is meant, with or without its suffix and the folders before it. */
  const isEntity = (path: string): boolean => {
    const [given, wanted] = [moduleName(path), moduleName(entity)];
    return given === wanted || given.endsWith(`/${wanted}`) || given.endsWith(`.${wanted}`);
  };
  const last = relationKey("imports", entity);
  const name = isFile ? last : (entity.split(/[.#:]+/).at(-1) ?? entity);

  /** The files that are meant, or that define what is meant. */
  async function documents(): Promise<{ id: number; path: string }[]> {
    if (!isFile)
      return index.all<{ id: number; path: string }>(
        `SELECT DISTINCT d.id, d.path FROM definitions n JOIN documents d ON d.id = n.document
         WHERE n.name = ? AND n.source IN (${ids.join(",")}) LIMIT 20`,
        name,
      );
    const rows = await index.all<{ id: number; path: string }>(
      `SELECT id, path FROM documents WHERE source IN (${ids.join(",")}) AND path LIKE ? ESCAPE '!' LIMIT 400`,
      anywhere(moduleName(entity)),
    );
    return rows.filter(({ path }) => isEntity(path));
  }

  /** Where a name is defined: in the same file first, else where its language has only one such place. */
  async function definedAt({ document, path, name: target }: Found): Promise<Found | undefined> {
    const found = await index.all<Found>(
      `SELECT n.name, d.path, n.line, s.name AS repo, n.document FROM definitions n
       JOIN documents d ON d.id = n.document JOIN sources s ON s.id = n.source
       WHERE n.name = ? AND n.source IN (${ids.join(",")}) LIMIT 20`,
      target,
    );
    const places = found.filter((place) => familyOf(place.path) === familyOf(path));
    return (
      places.find((place) => place.document === document) ?? (places.length === 1 ? places[0] : undefined)
    );
  }

  const within = async (kind: string): Promise<Found[]> => {
    const own = await documents();
    if (own.length === 0) return [];
    return query("r.target", `r.kind = ? AND ${among("r.document", own)}`, kind);
  };

  /** Calls from elsewhere of what a file defines, where that is what they mean. */
  async function callersOfFile(): Promise<Found[]> {
    const own = await documents();
    if (own.length === 0) return [];
    const isOwn = new Set(own.map(({ id }) => id));
    const rows = await query(
      "r.target",
      `r.kind = 'calls' AND NOT ${among("r.document", own)}
       AND r.key IN (SELECT name FROM definitions WHERE ${among("document", own)})`,
    );
    const meant = new Map<string, boolean>();
    for (const row of rows) {
      limit.check();
      const key = keyOf(row);
      if (!meant.has(key)) meant.set(key, isOwn.has((await definedAt(row))?.document ?? 0));
    }
    return rows
      .filter((row) => meant.get(keyOf(row)))
      .map((row) => ({ ...row, name: row.origin ?? row.path }));
  }

  /** Files that import the one that defines a name, and have the name in them. */
  async function importersOfName(): Promise<Found[]> {
    const rows: Found[] = [];
    for (const { path } of await documents()) {
      const parts = moduleName(path).split("/").slice(-2);
      const found = await query(
        "r.target",
        `r.kind = 'imports' AND r.key IN (${parts.map(() => "?").join(",")})`,
        ...parts,
      );
      rows.push(
        ...found.filter((row) => familyOf(row.path) === familyOf(path) && isModuleOf(row.name, path)),
      );
    }
    if (rows.length === 0) return [];
    const importers = rows.map(({ document }) => ({ id: document }));
    const users = await index.all<{ document: number }>(
      `SELECT DISTINCT document FROM chunks WHERE ${among("document", importers)} AND content LIKE ? ESCAPE '!'`,
      anywhere(name),
    );
    const uses = new Set(users.map(({ document }) => document));
    return rows.filter(({ document }) => uses.has(document)).map((row) => ({ ...row, name: row.path }));
  }

  /** Each where it is defined, if that is known. */
  const defined = (rows: Found[]): Promise<Found[]> =>
    Promise.all(rows.map(async (row) => (await definedAt(row)) ?? row));

  const finders: Record<RelationKind, () => Promise<Found[]>> = {
    calls: async () =>
      defined(
        await (isFile
          ? within("calls")
          : query("r.target", "r.kind = 'calls' AND (r.origin = ? OR r.within = ?)", name, name)),
      ),
    called_by: () =>
      isFile
        ? callersOfFile()
        : query("r.origin", "r.kind = 'calls' AND r.key = ? AND r.origin <> r.key", name),
    imports: () => within("imports"),
    async imported_by() {
      if (!isFile) return importersOfName();
      const rows = await query("r.target", "r.kind = 'imports' AND r.key = ?", last);
      return rows.filter((row) => isEntity(row.name)).map((row) => ({ ...row, name: row.path }));
    },
    extends: async () => defined(await query("r.target", "r.kind = 'extends' AND r.origin = ?", name)),
  };

  const related: Record<string, RelatedRow[]> = {};
  const put = (kind: string, rows: Found[]): void => {
    const distinct = new Map(rows.map((row) => [`${row.name}\n${row.path}`, row]));
    if (distinct.size === 0) return;
    related[kind] = [...distinct.values()].slice(0, MOST).map(({ name, path, line, repo }) => ({
      relationship: kind,
      name,
      file_path: path,
      line_number: line,
      file: path,
      line,
      repo,
    }));
  };
  if (ids.length > 0) {
    for (const kind of relationKinds) {
      limit.check();
      if (relationship === "all" || relationship === kind) put(kind, await finders[kind]());
    }
    if (relationship === "all" || relationship === "extends")
      put("extended_by", await query("r.origin", "r.kind = 'extends' AND r.key = ?", name));
  }
  const results = Object.values(related).flat();
  return { entity, entity_type: type, relationship, results, related, total_results: results.length };
}
