import {
  type APIMessage,
  RESTJSONErrorCodes as Code,
  ComponentType,
  MessageFlags,
  type RawFile,
  type RESTPatchAPIChannelMessageJSONBody,
} from "discord.js";

import type { Cards } from "#contract/core.ts";
import type { TurnView } from "#contract/present.ts";

import { callFiles, readCallFiles } from "../../chat/files.ts";
import type { ChatState } from "../../chat/parts.ts";
import { type NameOf, withNames } from "../../chat/people.ts";
import { cutText, oneLine } from "../../chat/text.ts";
import type { DiscordDeps } from "../deps.ts";
import { EMBEDS_BUDGET, toEmbeds } from "../render/embeds.ts";
import { small, words } from "../../chat/line.ts";
import type { RenderedMessage } from "../render/message.ts";
import { BROUGHT, renderTurn } from "../render/turn.ts";
import { discordCode } from "./errors.ts";
import { nonceOf } from "./find.ts";
import type { DiscordRef } from "./place.ts";

type Body = RESTPatchAPIChannelMessageJSONBody;

export interface Request {
  body: Body;
  files?: RawFile[];
}

/** The message as it was; without `message` it is a new one. */
type Target = Pick<DiscordRef, "isAnswer" | "isEmbeds"> & { message?: string };

/** Draws a turn and sends it, with the files that the message does not have yet. */
export type Send = (
  view: TurnView,
  target: Target,
  call: (request: Request) => Promise<unknown>,
) => Promise<{ sent: APIMessage; isEmbeds: boolean }>;

export function createSend(
  parts: Pick<DiscordDeps, "core" | "cards" | "pages" | "files" | "values" | "log"> & {
    embeds: boolean;
    nameOf: NameOf;
  },
): Send {
  async function attempt(
    view: TurnView,
    target: Target,
    isEmbeds: boolean,
    call: (request: Request) => Promise<unknown>,
  ): Promise<APIMessage> {
    const named = await withNames(view, parts.nameOf);
    const drawn = await drawTurn(named, { isAnswer: target.isAnswer, isEmbeds }, parts);
    for (const [key, value] of drawn.values) await parts.values.set(key, value);
    const has = target.message === undefined ? [] : ((await parts.files.get(target.message)) ?? []);
    const isMissing = ({ filename }: { filename: string }): boolean =>
      has.every((file) => file.filename !== filename);
    const brought = view.isSettled ? callFiles(view, BROUGHT).attached.filter(isMissing) : [];
    const missing: Upload[] = [
      ...drawn.files
        .filter(isMissing)
        .map(({ filename, content, title }) => ({ filename, file: Buffer.from(content), title })),
      ...(await Promise.all(brought.map((one) => readOne(one, parts.core)))),
    ];
    const body = isEmbeds ? embedsBody(view, drawn) : componentsBody(view, drawn);
    const sent = (await call(withFiles(body, missing, has))) as APIMessage;
    if (missing.length > 0) {
      const files = sent.attachments.map(({ id, filename }) => ({ id, filename }));
      await parts.files.set(sent.id, files);
    }
    return sent;
  }

  return async (view, target, call) => {
    const isNew = target.message === undefined;
    const isEmbeds = isNew ? parts.embeds : target.isEmbeds === true;
    try {
      return { sent: await attempt(view, target, isEmbeds, call), isEmbeds };
    } catch (error) {
      if (discordCode(error) !== Code.InvalidFormBodyOrContentType) throw error;
      parts.log.error({ error, turn: view.turnId }, "Discord refused how a message was drawn");
      // A new message may still be of the other kind; another says in words that there is something.
      if (isNew && !isEmbeds) return { sent: await attempt(view, target, true, call), isEmbeds: true };
      return { sent: (await call({ body: plainBody(isEmbeds) })) as APIMessage, isEmbeds };
    }
  };
}

type Upload = Awaited<ReturnType<typeof readCallFiles>>[number];

/** What the store has no more is named by the message all the same: an empty file keeps its place. */
async function readOne(one: { id: string; filename: string }, core: DiscordDeps["core"]): Promise<Upload> {
  const [read] = await readCallFiles([one], core);
  return read ?? { filename: one.filename, file: Buffer.from(""), title: one.filename };
}

/** Nobody is notified by what data says. */
const QUIET = { allowed_mentions: { parse: [], replied_user: false } } satisfies Body;

const UNDRAWABLE = "Discord could not draw this answer. Ask an operator to look into the log.";

function componentsBody({ turnId }: TurnView, { components: [first, ...rest] }: RenderedMessage): Body {
  const components = first === undefined ? rest : [{ ...first, id: nonceOf(turnId).mark }, ...rest];
  return { ...QUIET, components, flags: MessageFlags.IsComponentsV2 };
}

function embedsBody({ turnId }: TurnView, drawn: RenderedMessage): Body {
  const { embeds, components } = toEmbeds(drawn.components);
  return {
    ...QUIET,
    embeds,
    components: components.map((row, index) => (index === 0 ? { ...row, id: nonceOf(turnId).mark } : row)),
  };
}

function plainBody(isEmbeds: boolean): Body {
  if (isEmbeds) return { ...QUIET, embeds: [{ description: UNDRAWABLE }], components: [] };
  const components = [{ type: ComponentType.TextDisplay as const, content: UNDRAWABLE }];
  return { ...QUIET, components, flags: MessageFlags.IsComponentsV2 };
}

function withFiles(body: Body, missing: readonly Upload[], has: readonly { id: string }[]): Request {
  if (missing.length === 0) return { body };
  const added = missing.map(({ filename, title }, id) => ({ id, filename, description: title }));
  return {
    body: { ...body, attachments: [...has.map(({ id }) => ({ id })), ...added] },
    files: missing.map(({ filename, file }) => ({ name: filename, data: file })),
  };
}

interface DrawOptions {
  cards: Cards;
  pages: ChatState<Record<string, number>>;
}

/**
 * The message of a turn. `isAnswer`: what was asked stands above it, so that it need not say it. `isEmbeds`:
 * it has to fit embeds.
 */
async function drawTurn(
  view: TurnView,
  { isAnswer, isEmbeds = false }: { isAnswer: boolean; isEmbeds?: boolean | undefined },
  { cards, pages }: DrawOptions,
): Promise<RenderedMessage> {
  const open = view.isSettled ? await pages.get(view.turnId) : undefined;
  return renderTurn(view, cards, {
    ...(open === undefined ? {} : { pages: open }),
    ...(isEmbeds ? { budget: EMBEDS_BUDGET } : {}),
    ...(isAnswer ? {} : { above: small(words(cutText(oneLine(view.message), 150))) }),
  });
}
