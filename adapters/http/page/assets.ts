import { hash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { extname, join } from "node:path";

import { ApiError } from "../errors.ts";
import { type Drawing, styleOf } from "./drawings.ts";

const TYPES: Readonly<Record<string, string>> = {
  ".css": "text/css; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".svg": "image/svg+xml",
};

/** The page's static files, read once at start. */
export interface Assets {
  /** Answers 304 when the browser's copy is current. Code `not_found` for an unknown name. */
  respond(name: string, ifNoneMatch: string | undefined): Response;
}

export async function loadAssets(drawings: readonly Drawing[] = []): Promise<Assets> {
  const folder = join(import.meta.dirname, "assets");
  const names = (await readdir(folder)).filter((name) => extname(name) in TYPES);
  const files = new Map(
    await Promise.all(
      [
        ...names.map((name) => ({ name, path: join(folder, name) })),
        ...drawings.map((drawing) => ({ name: styleOf(drawing), path: drawing.style })),
      ].map(async ({ name, path }) => {
        const bytes = await readFile(path);
        const etag = `"${hash("sha256", bytes, "base64url").slice(0, 22)}"`;
        return [name, { bytes: new Uint8Array(bytes), etag, type: TYPES[extname(name)] ?? "" }] as const;
      }),
    ),
  );
  return {
    respond(name, ifNoneMatch) {
      const file = files.get(name);
      if (file === undefined)
        throw new ApiError(404, "not_found", `No file ${JSON.stringify(name.slice(0, 80))}`);
      // Modules import one another by plain names, so each is asked for again and answered from its hash.
      const headers = { "cache-control": "no-cache", "content-type": file.type, etag: file.etag };
      if (ifNoneMatch === file.etag) return new Response(null, { status: 304, headers });
      return new Response(file.bytes, { headers });
    },
  };
}
