import { createHash } from "node:crypto";

/** By what a message of the bot is known again. */
export interface Marks {
  /** At most 25 characters; for some minutes Discord itself posts a second one of the same nonce once only. */
  nonce: string;
  /** The id of the message's first component: 31 bits that tell the messages of a thread apart. */
  mark: number;
}

export function marksOf(subject: string): Marks {
  const hash = createHash("sha256").update(subject).digest();
  return { nonce: hash.toString("base64url").slice(0, 24), mark: hash.readUInt32BE(0) & 0x7fffffff || 1 };
}
