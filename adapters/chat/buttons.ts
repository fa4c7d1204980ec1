import type { CardAction } from "#contract/card.ts";

/** What buttons do. `value` of those that page and unfold: see `pageValue` and `foldValue`. */
export const ACTIONS = [
  "approve",
  "deny",
  "grant",
  "grants",
  "revoke",
  "edit",
  "details",
  "lookup",
  "settle_happened",
  "settle_did_not",
  "stop",
  "prompt",
  "show_json",
  "run_log",
  "show_all",
  "show_result",
  "page_previous",
  "page_next",
  "privacy",
  "fill_in",
  "connect",
  "disconnect",
  "open_form",
] as const;

export type ActionName = (typeof ACTIONS)[number];

export interface ButtonSpec {
  action: ActionName;
  label: string;
  value: string;
  style?: "primary" | "danger";
}

/** A button of a card. */
export function toButton({ id, label, value, style }: CardAction): ButtonSpec {
  return { action: id, label, value, ...(style === undefined ? {} : { style }) };
}

/** Reference and page of a button that turns pages; asking for the same page twice changes nothing. */
export function pageValue(ref: string, page: number): string {
  return `${ref}|${page}`;
}

export function readPageValue(value: string): { ref: string; page: number } | undefined {
  const match = /^(.*)\|(\d{1,6})$/s.exec(value);
  return match === null ? undefined : { ref: match[1] ?? "", page: Number(match[2]) };
}

/** Reference of a card and the place of the folded element in it. */
export function foldValue(ref: string, path: string): string {
  return `${ref}|${path}`;
}

export function readFoldValue(value: string): { ref: string; path: string } | undefined {
  const match = /^(.*)\|(\d+(?:\.\d+)*|reply)$/s.exec(value);
  return match === null ? undefined : { ref: match[1] ?? "", path: match[2] ?? "" };
}
