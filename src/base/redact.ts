import type { JsonValue } from "#contract/json.ts";

const MASK = "[redacted]";
const SECRET_KEY =
  /(^|[_\-.])(pass(word|wd|phrase)?|secret|token|api[_-]?key|authorization|cookie|credential|private[_-]?key)s?($|[_\-.])/i;

/** Masks secrets in anything that leaves by log, audit or card. */
export interface Redactor {
  text(value: string): string;
  json(value: JsonValue): JsonValue;
  /** Masks only the secret values that are known: for data in which a key such as `token` may be harmless. */
  known(value: JsonValue): JsonValue;
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

  function walk(value: JsonValue, isSecret: (key: string) => boolean): JsonValue {
    if (typeof value === "string") return text(value);
    if (Array.isArray(value)) return value.map((item) => walk(item, isSecret));
    if (value === null || typeof value !== "object") return value;
    return Object.fromEntries(
      Object.entries(value).map(([key, item]) => [
        key,
        isSecret(key) && item !== null && item !== "" ? MASK : walk(item, isSecret),
      ]),
    );
  }

  return {
    text,
    json: (value) => walk(value, isSecretKey),
    known: (value) => (known.length === 0 ? value : walk(value, () => false)),
  };
}

/**
 * Puts back what was masked: where `edited` still has the mask, the value that `original` has at that
 * place. For arguments that a person edited without seeing their secrets.
 */
export function unmask(edited: JsonValue, original: JsonValue | undefined): JsonValue {
  if (edited === MASK) return original ?? edited;
  if (typeof edited === "string" && edited.includes(MASK) && typeof original === "string") return original;
  if (Array.isArray(edited)) {
    return edited.map((item, index) => unmask(item, Array.isArray(original) ? original[index] : undefined));
  }
  if (typeof edited !== "object" || edited === null) return edited;
  const before =
    typeof original === "object" && original !== null && !Array.isArray(original) ? original : {};
  return Object.fromEntries(Object.entries(edited).map(([key, item]) => [key, unmask(item, before[key])]));
}

/** Whether a key names a secret: `apiToken`, `api_token`, `x-api-key`; not `next_page_token_count` or `tokens` of a model. */
export function isSecretKey(key: string): boolean {
  const snake = key.replaceAll(/([a-z0-9])([A-Z])/g, "$1_$2");
  return SECRET_KEY.test(snake) && !/^(next_)?(page|progress|prompt|answer)_?tokens?$/i.test(snake);
}
