import { codeOf } from "../base/errors.ts";

/** Why a platform did not take a message, as far as its adapter says. */
export interface Refusal {
  /**
   * `later`: try again. `message_gone`: somebody deleted the message; there is none now. `place_gone`:
   * the bot cannot post there any more.
   */
  kind: "later" | "message_gone" | "place_gone";
  /** The platform named a time (429); it certainly did nothing. */
  retryAfterMs?: number;
}

/** Reads `retryAfterMs` and the codes `message_gone` and `place_gone` off what a port rejected with. */
export function toRefusal(error: unknown): Refusal {
  const code = codeOf(error);
  if (code === "message_gone" || code === "place_gone") return { kind: code };
  if (typeof error === "object" && error !== null && "retryAfterMs" in error) {
    const { retryAfterMs } = error;
    if (typeof retryAfterMs === "number" && retryAfterMs >= 0) return { kind: "later", retryAfterMs };
  }
  return { kind: "later" };
}

/** Milliseconds until the next try after so many failures in a row: doubling, of which half is jitter. */
export function retryDelay(failures: number, { minMs, maxMs }: { minMs: number; maxMs: number }): number {
  const full = Math.min(maxMs, minMs * 2 ** Math.min(failures - 1, 20));
  return full / 2 + (Math.random() * full) / 2;
}
