import type { KnownBlock } from "@slack/types";

import type { Card } from "#contract/card.ts";
import type { Words } from "#src/base/words/en.ts";
import { recordedText } from "#src/base/words/recorded.ts";
import { wordsOf } from "#src/base/words/words.ts";

import { channelOf } from "../ids.ts";
import type { ChatLog, ChatParts } from "../../chat/parts.ts";
import type { ClientOf } from "../install/client.ts";
import { renderCard } from "../render/card.ts";
import { words as plainWords } from "../../chat/line.ts";
import type { Line } from "../../document/tree.ts";
import { pack } from "../render/rich.ts";
import { escapeText } from "../render/text.ts";

/** Where a person is told something that nobody else sees. */
export interface EphemeralTarget {
  team: string;
  channel: string;
  user: string;
  thread?: string | undefined;
}

/** What is drawn already. */
export interface EphemeralContent {
  text: string;
  blocks: KnownBlock[];
}

/** Says it to one person; never rejects, as what it is about has happened already. */
export type SendEphemeral = (
  target: EphemeralTarget | undefined,
  words: string | Card | EphemeralContent,
) => Promise<void>;

/** The same; resolves to whether Slack took it. */
export type TrySendEphemeral = (
  target: EphemeralTarget,
  words: string | Card | EphemeralContent,
) => Promise<boolean>;

/** Says sentences of ours in the channel's language. */
export function createTrySendEphemeral(
  clientOf: ClientOf,
  { log, language }: { log: Pick<ChatLog, "warn">; language: ChatParts["language"] },
): TrySendEphemeral {
  return async ({ team, channel, user, thread }, given) => {
    const say = wordsOf(language(channelOf(team, channel)));
    const words = typeof given === "string" ? recordedText(given, say) : given;
    try {
      const client = await clientOf(team);
      await client.chat.postEphemeral({
        channel,
        user,
        ...contentOf(words),
        ...(thread === undefined ? {} : { thread_ts: thread }),
      });
      return true;
    } catch (error) {
      log.warn({ error, channel, user }, "a person could not be told");
      return false;
    }
  };
}

/** What a command, or a button of a message for one person, is answered with. */
export interface Response {
  response_type: "ephemeral" | "in_channel";
  text: string;
  blocks?: KnownBlock[];
  /** In place of the message whose button was pressed. */
  replace_original?: boolean;
}

/** An answer for the person alone. */
export function onlyYou(words: string | Card, say: Words): Response {
  const content =
    typeof words === "string" ? { text: escapeText(recordedText(words, say)) } : contentOf(words);
  return { response_type: "ephemeral", ...content };
}

/**
 * Answers at the address that came with a command or shortcut, which Slack takes five times within half
 * an hour; each one is answered there once at most. False when it was not taken.
 */
export function respond(url: string, response: Response, log: Pick<ChatLog, "warn">): Promise<boolean> {
  return answerAt(url, response, log);
}

async function answerAt(
  url: string,
  response: Response | { delete_original: true },
  log: Pick<ChatLog, "warn">,
): Promise<boolean> {
  try {
    const { ok, status } = await fetch(url, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(response),
      signal: AbortSignal.timeout(10_000),
    });
    if (!ok) log.warn({ status }, "Slack did not take an answer to a command");
    return ok;
  } catch (error) {
    log.warn({ error }, "an answer to a command could not be sent");
    return false;
  }
}

/** Takes a message for one person away. */
export async function removeOriginal(url: string, log: Pick<ChatLog, "warn">): Promise<void> {
  await answerAt(url, { delete_original: true }, log);
}

/** Of a card that takes several pages the first one, which says so: this is for short answers. */
export function contentOf(words: string | Card | EphemeralContent): { text: string; blocks?: KnownBlock[] } {
  if (typeof words === "string") {
    const line = nameIds(words);
    const text = escapeText(words);
    return line.every(({ type }) => type === "text") ? { text } : { text, blocks: pack([line]) };
  }
  if ("blocks" in words) return words;
  // Without table blocks nothing is left to a file that nobody attaches.
  const { text, blocks } = renderCard(words, { tables: false });
  return { text, blocks };
}

/** `slack:T0AAAAAAA:U0BBBBBBB`, with a channel's id in its place, or the id of a person alone. */
const ID = /slack:[A-Z0-9]+:([A-Z][A-Z0-9]{2,})|\b([UW](?=[A-Z]*\d)[A-Z0-9]{8,})\b/g;

/**
 * Ids of people and channels as Slack shows them, by their names. Only for what one person is told: a
 * mention there calls nobody.
 */
function nameIds(text: string): Line {
  const line: Line = [];
  let from = 0;
  for (const match of text.matchAll(ID)) {
    const id = match[1] ?? match[2] ?? "";
    const named = elementOf(id);
    if (named === undefined) continue;
    line.push(...plainWords(text.slice(from, match.index)), named);
    from = match.index + match[0].length;
  }
  return [...line, ...plainWords(text.slice(from))];
}

function elementOf(id: string): Line[number] | undefined {
  if (/^[UW]/.test(id)) return { type: "mention", of: "user", id };
  return /^[CG]/.test(id) ? { type: "mention", of: "channel", id } : undefined;
}
