import { deflateRawSync, inflateRawSync } from "node:zlib";

/** Shorter texts are not worth it. */
const SHORTEST = 1_000;
/** No JSON begins with it. */
const MARK = "z";

/** A JSON text as it is kept: data and the card that shows it say much the same twice. */
export function packed(json: string): string {
  if (json.length < SHORTEST) return json;
  return MARK + deflateRawSync(json, { level: 3 }).toString("base64");
}

/** The value of a text of `packed`, or of plain JSON. */
export function unpacked(text: string): unknown {
  return JSON.parse(
    text.startsWith(MARK) ? inflateRawSync(Buffer.from(text.slice(MARK.length), "base64")).toString() : text,
  );
}
