import type { Approval } from "#contract/approval.ts";
import type { JsonValue } from "#contract/json.ts";
import type { Tool } from "#contract/tool.ts";
import { isObject } from "#src/base/json.ts";
import { isSecretKey } from "#src/base/redact.ts";
import { buttonText } from "#src/base/statement.ts";
import { didYouMean } from "#src/base/suggest.ts";
import { plainLine } from "#src/base/text.ts";

import { printNote, type Session } from "./session.ts";

/** A word to type, and what it does. */
export interface Choice {
  typed: string;
  about?: string;
}

const NOTES = {
  pasted: "Pasted text decides nothing: type it, then press Enter.",
  begun: "That line was begun before the question was shown: it decided nothing.",
};

/** What a question for a word may say and take beside it. */
export interface Asking {
  /** The answer to a decision that is not this person's to take. */
  whyNotYours?: string | undefined;
  /** Whether a sentence leaves it undecided and is the next message, see Session.said. */
  takesMessages?: boolean;
  /** Aborting leaves it undecided. */
  signal?: AbortSignal;
}

/**
 * Says what to type and takes one of these words with Enter; undefined when it was left undecided, and
 * always without a terminal. Whatever else is typed, or was typed before, decides nothing.
 */
export async function choose(
  session: Session,
  choices: readonly Choice[],
  asking: Asking = {},
): Promise<string | undefined> {
  const words = choices.map(({ typed }) => typed);
  const hint = offer(session, choices);
  return takeWord(session, { hint, ...asking }, (said) => {
    // Names have to be right to the letter; the chat's own words not.
    const word =
      words.find((one) => one === said) ??
      words.find((one) => one === one.toLowerCase() && one === said.toLowerCase());
    return word ?? { not: whyNone(said, words, asking.whyNotYours) };
  });
}

/**
 * Asks which of so many listed things are meant; 0 for the first. Undefined where the person wants none of them now.
 */
export async function chooseSome(session: Session, count: number): Promise<number[] | undefined> {
  const { screen } = session;
  const [all, some, later] = ["all", "1,2", "later"].map((word) => screen.ink.paint("bold", word));
  const hint = `Type ${all}, numbers such as ${some}, or ${later}, then Enter.`;
  return takeWord(session, { hint, takesMessages: true }, (said) => {
    const word = said.toLowerCase();
    if (word === "later") return undefined;
    if (word === "all") return Array.from({ length: count }, (_, at) => at);
    const chosen = word.split(/[\s,]+/).map((one) => (/^\d{1,4}$/.test(one) ? Number(one) - 1 : -1));
    if (chosen.every((at) => at >= 0 && at < count)) return [...new Set(chosen)];
    const not = `Expected all, later, or numbers from 1 to ${count}, got ${plainLine(said)}; nothing was decided.`;
    return { not };
  });
}

/** Says what to type and takes a typed line; `read` says what it means, or why it means nothing here. */
async function takeWord<Meant extends string | number[] | undefined>(
  session: Session,
  { hint, takesMessages = false, signal }: Asking & { hint: string },
  read: (said: string) => Meant | { not: string },
): Promise<Meant | undefined> {
  const { screen, keyboard } = session;
  for (;;) {
    screen.say(takesMessages ? `${hint} Or say what should be different.` : hint);
    const line = await keyboard.word(screen.ink.paint("gray", "answer> "), signal);
    if (line === undefined) return undefined;
    if (line.kind !== "typed") {
      printNote(session, NOTES[line.kind]);
      continue;
    }
    const said = line.text.trim();
    if (said === "") continue;
    const meant = read(said);
    if (typeof meant !== "object" || Array.isArray(meant)) return meant;
    if (takesMessages && isMessage(said)) {
      session.said = said;
      return undefined;
    }
    printNote(session, meant.not);
  }
}

/** Words that decide wherever they are offered. */
const DECIDING = new Set(["approve", "grant", "deny"]);

/** Several words that begin like no decision: what is nearly one is pointed out instead. */
function isMessage(said: string): boolean {
  const [first = "", ...rest] = said.split(/\s+/).filter((word) => /\p{L}/u.test(word));
  return rest.length > 0 && !said.startsWith("/") && !DECIDING.has(first.toLowerCase());
}

/** What decides has to be typed as it stands, so a near miss is pointed out and not taken. */
function whyNone(said: string, words: readonly string[], whyNotYours: string | undefined): string {
  if (whyNotYours !== undefined && DECIDING.has(said.toLowerCase()))
    return `Nothing was decided. ${whyNotYours}`;
  if (said.startsWith("/") && words.includes("later"))
    return "Nothing was decided. Commands work after this question: type later to leave it open.";
  const guess = plainLine(didYouMean(said, words));
  return `"${plainLine(said)}" is none of these words; nothing was decided.${guess === "" ? "" : ` ${guess}`}`;
}

/** `Type approve, deny or later, then Enter.` */
function offer({ screen }: Session, choices: readonly Choice[]): string {
  const parts = choices.map(({ typed, about }) =>
    about === undefined
      ? screen.ink.paint("bold", typed)
      : `${screen.ink.paint("bold", typed)} ${screen.ink.paint("gray", `(${about})`)}`,
  );
  const last = parts.pop() ?? "";
  return `Type ${parts.length === 0 ? "" : `${parts.join(", ")} or `}${last}, then Enter.`;
}

/** Names of arguments that say which thing it is, as in `issue_key`, `pageId` or `path`. */
const NAMING = /(?:^|[_.-])(?:id|key|name|path|file|slug|title|url|uri|ref)$/i;
const NAMING_CAMEL = /[a-z](?:Id|Key|Name|Path|File|Slug|Title|Url|Uri|Ref)$/;

/** Visible ASCII without spaces at its ends: a person can type it from what they see. */
const TYPEABLE = /^[!-~](?:[ -~]{0,58}[!-~])?$/;

/** Shorter than this it could be a slip; these words mean something else at the same prompt. */
const SHORTEST = 3;
const TAKEN = new Set([...DECIDING, "edit", "details", "later"]);

/**
 * What a person types to approve (or with `grant` to allow more of the same): that word; for what
 * destroys, the name of the object that the arguments give, else the tool's own.
 */
export function confirmation(
  approval: Approval,
  tool: Tool | undefined,
  word: "approve" | "grant" = "approve",
): Choice {
  const { isDestructive, object } = approval.statement;
  if (!isDestructive) return { typed: word };
  const name = typeableText(object?.label) ?? objectName(approval, tool) ?? shortName(approval, tool);
  const isPlain = name.length >= SHORTEST && !TAKEN.has(name.toLowerCase());
  return {
    typed: word === "approve" && isPlain ? name : `${word} ${name}`,
    about: `to approve: ${plainLine(buttonText(approval.statement))}`,
  };
}

/** `delete_issue` of `jira.delete_issue`; a name that nobody can type is answered with `this`. */
function shortName({ toolId }: Approval, tool: Tool | undefined): string {
  const name = tool?.name ?? toolId.slice(toolId.indexOf(".") + 1);
  return TYPEABLE.test(name) ? name : "this";
}

/** What the first argument that names something says, in the order of the schema; required ones first. */
function objectName({ args }: Approval, tool: Tool | undefined): string | undefined {
  const { properties = {}, required = [] } = tool?.inputSchema ?? {};
  const needed = Array.isArray(required) ? required.map(String) : [];
  const order = [...needed, ...Object.keys(isObject(properties) ? properties : {}), ...Object.keys(args)];
  for (const name of order) {
    if (!Object.hasOwn(args, name) || isSecretKey(name) || !(NAMING.test(name) || NAMING_CAMEL.test(name)))
      continue;
    const said = typeableText(args[name]);
    if (said !== undefined) return said;
  }
  return undefined;
}

function typeableText(value: JsonValue | undefined): string | undefined {
  const text = typeof value === "number" ? String(value) : value;
  return typeof text === "string" && TYPEABLE.test(text) ? text : undefined;
}
