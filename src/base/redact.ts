import type { JsonValue } from "#contract/json.ts";

const MASK = "[redacted]";
const SECRET_KEY =
  /(^|[_\-.])(pass(word|wd|phrase)?|secret|token|api[_-]?key|authorization|cookie|credential|private[_-]?key)s?($|[_\-.])/i;

/** Masks secrets in anything that leaves by log, audit or card. */
export interface Redactor {
  text(value: string): string;
  json(value: JsonValue): JsonValue;
}

/**
 * A redactor that masks values under keys that name a secret (`api_token`, `Authorization`), and the
 * given secret values wherever they stand. Values under six characters are too common to search for.
 */
export function createRedactor(secrets: readonly string[]): Redactor {
  const known = [...new Set(secrets.filter((secret) => secret.length >= 6))].toSorted(
    (a, b) => b.length - a.length,
  );

  function text(value: string): string {
    let result = value;
    for (const secret of known) result = result.replaceAll(secret, MASK);
    return result;
  }

  function json(value: JsonValue): JsonValue {
    if (typeof value === "string") return text(value);
    if (Array.isArray(value)) return value.map((item) => json(item));
    if (value === null || typeof value !== "object") return value;
    return Object.fromEntries(
      Object.entries(value).map(([key, item]) => [
        key,
        isSecretKey(key) && item !== null && item !== "" ? MASK : json(item),
      ]),
    );
  }

  return { text, json };
}

/** Whether a key names a secret: `apiToken`, `api_token`, `x-api-key`; not `next_page_token_count` or `tokens` of a model. */
export function isSecretKey(key: string): boolean {
  const snake = key.replaceAll(/([a-z0-9])([A-Z])/g, "$1_$2");
  return SECRET_KEY.test(snake) && !/^(next_)?(page|progress|prompt|answer)_?tokens?$/i.test(snake);
}
