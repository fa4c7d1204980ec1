import { messageOf } from "#src/base/errors.ts";

/** What one look at the set-up found. */
export interface Finding {
  /** Stable, for programs: such as `slack.scopes`. */
  check: string;
  /** `note`: works, and somebody may want to know; `skipped`: there is nothing to look at. */
  status: "ok" | "note" | "failed" | "skipped";
  /** One sentence: what is there, or what is wrong. */
  message: string;
  /** What to type or to do; every failure has one. */
  cure?: string;
}

export function ok(check: string, message: string): Finding {
  return { check, status: "ok", message };
}

export function failed(check: string, message: string, cure: string): Finding {
  return { check, status: "failed", message, cure };
}

export function note(check: string, message: string, cure?: string): Finding {
  return { check, status: "note", message, ...(cure === undefined ? {} : { cure }) };
}

export function skipped(check: string, message: string): Finding {
  return { check, status: "skipped", message };
}

/** Looks; what is thrown instead of found is a failure of the same name. Never rejects. */
export async function look(
  check: string,
  cure: string,
  find: () => Finding[] | Promise<Finding[]>,
): Promise<Finding[]> {
  try {
    return await find();
  } catch (error) {
    return [failed(check, sentence(messageOf(error)), cure)];
  }
}

/** The first letter in capitals, and a full stop. */
export function sentence(text: string): string {
  const trimmed = text.trim();
  const whole = `${trimmed.slice(0, 1).toUpperCase()}${trimmed.slice(1)}`;
  return /[.!?…]$/.test(whole) ? whole : `${whole}.`;
}

/** 2.6 GB, 300 MB. */
export function sizeText(bytes: number): string {
  return bytes >= 1e9 ? `${(bytes / 1e9).toFixed(1)} GB` : `${Math.ceil(bytes / 1e6)} MB`;
}
