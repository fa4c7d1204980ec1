import { CountersignError, codeOf, messageOf } from "../base/errors.ts";

/** What stands between us and the store, whichever it is. HTTP answers each with 503. */
export type StoreTrouble =
  | "store_full"
  | "store_read_only"
  | "store_busy"
  | "store_damaged"
  | "store_lost"
  | "store_unreachable"
  | "store_failed";

/** What is the matter and what somebody has to do, for the person who asked: no path, no address. */
const WORDS: Readonly<Record<StoreTrouble, { is: string; cure: string }>> = {
  store_full: { is: "The disk that holds the store is full", cure: "Free some space and try again." },
  store_read_only: {
    is: "The store can only be read",
    cure: "Make its folder writable, or name the primary database and not a replica, and try again.",
  },
  store_busy: { is: "The store is busy with something else", cure: "Try again in a moment." },
  store_damaged: {
    is: "The store is damaged",
    cure: "Stop the product and restore a backup (docs/operations.md, Backup).",
  },
  store_lost: {
    is: "The store is gone from its place, or another stands there",
    cure: "Stop the product, put the store back or restore a backup, and start again.",
  },
  store_unreachable: {
    is: "The database does not answer",
    cure: "See that it runs and can be reached, and try again.",
  },
  store_failed: {
    is: "The disk that holds the store reported an error",
    cure: "Look at the machine's own log, and keep a backup elsewhere.",
  },
};

/** SQLite's primary result codes, https://www.sqlite.org/rescode.html */
const OF_SQLITE: ReadonlyMap<number, StoreTrouble> = new Map([
  [5, "store_busy"],
  [6, "store_busy"],
  [8, "store_read_only"],
  [10, "store_failed"],
  [11, "store_damaged"],
  [13, "store_full"],
  [26, "store_damaged"],
]);
/** SQLITE_IOERR_SHMSIZE: the file beside the log of a full disk could not grow. */
const SHM_SIZE = 4_874;

/** https://www.postgresql.org/docs/current/errcodes-appendix.html, and what sockets say. */
const OF_POSTGRES: ReadonlyMap<string, StoreTrouble> = new Map([
  ["53100", "store_full"],
  ["25006", "store_read_only"],
  ["53300", "store_busy"],
  ["55P03", "store_busy"],
  ["XX001", "store_damaged"],
  ["XX002", "store_damaged"],
  ["58030", "store_failed"],
  ["3D000", "store_lost"],
  ["3F000", "store_lost"],
  ["42P01", "store_lost"],
  ["57P01", "store_unreachable"],
  ["57P02", "store_unreachable"],
  ["57P03", "store_unreachable"],
  ["ECONNREFUSED", "store_unreachable"],
  ["ECONNRESET", "store_unreachable"],
  ["EPIPE", "store_unreachable"],
  ["ETIMEDOUT", "store_unreachable"],
  ["EHOSTUNREACH", "store_unreachable"],
  ["ENOTFOUND", "store_unreachable"],
  ["EAI_AGAIN", "store_unreachable"],
]);

/** A store error with the words for people; what the database said goes along as its cause. */
export function storeTrouble(code: StoreTrouble, cause?: unknown): CountersignError {
  const { is, cure } = WORDS[code];
  const message = `${is}: nothing was recorded and nothing was started. ${cure}`;
  return new CountersignError(code, message, cause === undefined ? {} : { cause });
}

export function isStoreTrouble(error: unknown): boolean {
  return Object.hasOwn(WORDS, codeOf(error) ?? "");
}

/** Whether trying again would find the same: something in the store itself cannot be read. */
export function isStoreDamage(error: unknown): boolean {
  return codeOf(error) === "store_damaged" || codeOf(error) === "store_failed";
}

/**
 * An error of a database driver as one of ours where it tells of the store; any other, such as a
 * constraint or a deadlock, as it is. Both drivers pass everything through here, so every surface and
 * every write has the same codes.
 */
export function fromDriver(error: unknown): unknown {
  const trouble = troubleOf(error);
  return trouble === undefined ? error : storeTrouble(trouble, error);
}

function troubleOf(error: unknown): StoreTrouble | undefined {
  if (!(error instanceof Error) || error instanceof CountersignError) return undefined;
  if ("errcode" in error && typeof error.errcode === "number") {
    return error.errcode === SHM_SIZE ? "store_full" : OF_SQLITE.get(error.errcode & 0xff);
  }
  const code = codeOf(error) ?? "";
  if (code.startsWith("08")) return "store_unreachable";
  const known = OF_POSTGRES.get(code);
  if (known !== undefined) return known;
  // The driver's own, without a code.
  return /^Connection terminated|timeout exceeded when trying to connect/i.test(error.message)
    ? "store_unreachable"
    : undefined;
}

/** Why a store could not be opened: as above, with what the database said, else `store_failed`. */
export function toStoreError(error: unknown): CountersignError {
  const known = fromDriver(error);
  if (!(known instanceof CountersignError)) {
    const message = `The store did not answer as expected: ${messageOf(error)}`;
    return new CountersignError("store_failed", message, { cause: error });
  }
  const words = Object.hasOwn(WORDS, known.code) ? WORDS[known.code as StoreTrouble] : undefined;
  if (words === undefined || known.cause === undefined) return known;
  const message = `${words.is} (${messageOf(known.cause)}). ${words.cure}`;
  return new CountersignError(known.code, message, { cause: known.cause });
}
