import type { Hono } from "hono";

import { type HttpEnv, offerOf } from "../env.ts";
import { ApiError } from "../errors.ts";

/** Drawn by a browser in place; everything else is downloaded. No SVG: it can hold scripts. */
const SHOWN = new Set(["image/png", "image/jpeg", "image/gif", "image/webp"]);

/** The files that calls brought. They are a tool's: nothing in them may run here. */
export function addFileRoutes(app: Hono<HttpEnv>): void {
  app.get("/files/:id", async (c) => {
    const id = c.req.param("id");
    const file = await offerOf(c).core.file(id);
    if (file === undefined)
      throw new ApiError(404, "not_found", `file_id: no file ${JSON.stringify(id.slice(0, 80))}`);
    const shown = SHOWN.has(file.mediaType);
    return c.body(new Uint8Array(file.data), 200, {
      "content-type": shown ? file.mediaType : "application/octet-stream",
      "content-disposition": `${shown ? "inline" : "attachment"}; filename*=UTF-8''${encodeURIComponent(file.name)}`,
      "x-content-type-options": "nosniff",
      "cache-control": "private, max-age=86400, immutable",
    });
  });
}
