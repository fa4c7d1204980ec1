import canonicalize from "canonicalize";

import type { Approval } from "#contract/approval.ts";
import type { CardElement, Cell, FieldsElement } from "#contract/card.ts";
import type { JsonObject, JsonValue } from "#contract/json.ts";
import { cutText, UNSEEN, unseenAsEscapes } from "#src/base/text.ts";
import type { Words } from "#src/base/words/en.ts";

/**
 * Every argument as it will be sent. Short values stand in fields; several lines and nested values
 * each in a code block of their own, where no line of theirs can pass for one of the card's. Strings
 * that could be taken for another value, or hold what cannot be seen, are written as JSON.
 */
export function argumentElements(args: JsonObject, { details: say }: Words): CardElement[] {
  const entries = Object.entries(args);
  if (entries.length === 0) return [{ type: "text", text: say.noArguments }];
  const elements: CardElement[] = [];
  let fields: FieldsElement | undefined;
  for (const [name, value] of entries) {
    const cell = oneLineValue(value);
    if (cell === undefined) {
      fields = undefined;
      elements.push({ type: "section", title: exactName(name), elements: [block(value)] });
    } else {
      if (fields === undefined) {
        fields = { type: "fields", items: [] };
        elements.push(fields);
      }
      fields.items.push({ label: exactName(name), value: cell });
    }
  }
  return elements;
}

function oneLineValue(value: JsonValue): Cell | undefined {
  if (typeof value === "string" && isPlainLine(value)) return value;
  if (typeof value === "object" && value !== null) return undefined;
  if (typeof value === "string" && value.includes("\n")) return undefined;
  const text = exactJson(value);
  return text.length <= 200 ? text : undefined;
}

function block(value: JsonValue): CardElement {
  if (typeof value === "string" && isPlainText(value)) return { type: "code", text: value, folded: false };
  return { type: "code", text: exactJson(value), language: "json", folded: false };
}

/** A name that could be taken for something else is written as JSON. */
export function exactName(name: string): string {
  return /^[\w.-]{1,80}$/.test(name) ? name : exactJson(name);
}

/** A string of one line that nobody could take for something else, and short enough for a field. */
function isPlainLine(text: string): boolean {
  return (
    text.length > 0 &&
    text.length <= 200 &&
    text === text.trim() &&
    text.search(UNSEEN) === -1 &&
    // Would read as another JSON value than the string it is.
    !/^(?:["[{]|(?:true|false|null|-?\d+(?:\.\d+)?(?:e[+-]?\d+)?)$)/i.test(text)
  );
}

/** A text of several lines in which everything can be seen. */
function isPlainText(text: string): boolean {
  return text.replaceAll(/[\n\t]/g, "").search(UNSEEN) === -1;
}

/** Canonical JSON (RFC 8785) with every unseen character written as its `\u` escape. */
export function exactJson(value: JsonValue): string {
  return unseenAsEscapes(canonicalText(value));
}

/** A line for people: line breaks and unseen characters as escapes, so it stays one line. */
export function exactLine(text: string): string {
  return unseenAsEscapes(text);
}

/** The same for a text that has lines. */
export function exactText(text: string): string {
  return text
    .split(/([\n\t])/)
    .map((part) => (part === "\n" || part === "\t" ? part : unseenAsEscapes(part)))
    .join("");
}

function canonicalText(value: JsonValue): string {
  try {
    return canonicalize(value) ?? "null";
  } catch {
    // Lone surrogates have no canonical form; this one escapes them.
    return JSON.stringify(value);
  }
}

/**
 * `http:ana` as "ana (http)"; the whole id stays readable, as two people may share a name. Where the
 * platform has a name for the person, that and the last part of the id, which no name can imitate.
 */
export function personLabel(actor: string, names?: Readonly<Record<string, string>>): string {
  const at = actor.lastIndexOf(":");
  if (at === -1) return exactLine(actor);
  const name = names !== undefined && Object.hasOwn(names, actor) ? names[actor] : undefined;
  const plain = visibleLine((name ?? "").replaceAll(/[()]/g, " "), 80);
  return plain === ""
    ? `${exactLine(actor.slice(at + 1))} (${exactLine(actor.slice(0, at))})`
    : `${plain} (${exactLine(actor.slice(at + 1))})`;
}

/** What a person or a server wrote, on one line in which everything can be seen. */
export function visibleLine(text: string, max = 1000): string {
  return cutText(exactLine(text.replaceAll(/\s+/g, " ").trim()), max);
}

/** Those whose names stand on one card. */
type Named = Pick<Approval, "names" | "requestedBy" | "votes" | "approvers">;

/**
 * A person as the platform calls them, else by the last part of the id. Where another one on the same card would read
 * the same, the id stands beside it.
 */
export function personName(actor: string, card: Named): string {
  const plain = plainName(actor, card.names);
  const others = [card.requestedBy, ...card.votes.map((vote) => vote.actor), ...card.approvers];
  const isShared = others.some(
    (other) => other !== actor && other.includes(":") && sameWord(plainName(other, card.names), plain),
  );
  return isShared ? personLabel(actor, card.names) : plain;
}

function plainName(actor: string, names: Named["names"]): string {
  const name = names !== undefined && Object.hasOwn(names, actor) ? (names[actor] ?? "") : "";
  return visibleLine(name, 80) || exactLine(actor.slice(actor.lastIndexOf(":") + 1));
}

function sameWord(one: string, other: string): boolean {
  return one.normalize("NFKC").toLowerCase() === other.normalize("NFKC").toLowerCase();
}
