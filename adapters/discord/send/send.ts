import {
  type APIEmbed,
  type APIMessage,
  type APIMessageTopLevelComponent,
  ComponentType,
  MessageFlags,
  type RawFile,
  RESTJSONErrorCodes as Code,
  type RESTPatchAPIChannelMessageJSONBody,
} from "discord.js";

import type { TurnView } from "#contract/present.ts";
import { oneLine } from "#src/base/text.ts";
import { wordsOf } from "#src/base/words/words.ts";

import { callFiles, type CallUpload, contentOf, readCallFiles } from "../../chat/files.ts";
import { withNames } from "../../chat/people.ts";
import type { DiscordRef } from "../ids.ts";
import type { DiscordDeps } from "../options.ts";
import { EMBEDS_BUDGET, toEmbeds } from "../render/embeds.ts";
import { small, words } from "../../chat/line.ts";
import type { RenderedMessage } from "../render/message.ts";
import { BROUGHT, renderTurn } from "../render/turn.ts";
import { nonceOf } from "./find.ts";
import { discordCode } from "./refusal.ts";

type Body = RESTPatchAPIChannelMessageJSONBody;

export interface Request {
  body: Body;
  files?: RawFile[];
}

/** The message as it was; without `message` it is a new one. */
type Target = Pick<DiscordRef, "isAnswer" | "isEmbeds" | "isPrivate"> & { message?: string };

/** Draws a turn and sends it, with the files that the message does not have yet. */
export type Send = (
  view: TurnView,
  target: Target,
  call: (request: Request) => Promise<unknown>,
) => Promise<{ sent: APIMessage; isEmbeds: boolean }>;

export function createSend(deps: DiscordDeps): Send {
  async function attempt(
    view: TurnView,
    target: Target,
    isEmbeds: boolean,
    call: (request: Request) => Promise<unknown>,
  ): Promise<APIMessage> {
    const { message } = target;
    const has = message === undefined ? [] : ((await deps.files.get(message)) ?? []);
    const prepare = async (charts: "file" | "text"): Promise<[RenderedMessage, CallUpload[]]> => {
      const rendered = await draw(await withNames(view, deps.nameOf), target, { isEmbeds, charts }, deps);
      return [rendered, await missingFiles(view, rendered, has, deps)];
    };
    const [rendered, missing] = await prepare("file").catch((error: unknown) => {
      deps.log.error({ error, turn: view.turnId }, "a message is drawn without pictures");
      return prepare("text");
    });
    for (const [key, value] of rendered.values) await deps.values.set(key, value);
    const body = bodyOf(view, rendered, isEmbeds);
    const sent = (await call(withFiles(body, missing, has))) as APIMessage;
    if (missing.length > 0) {
      const files = sent.attachments.map(({ id, filename }) => ({ id, filename }));
      await deps.files.set(sent.id, files);
    }
    return sent;
  }

  return async (view, target, call) => {
    const isNew = target.message === undefined;
    const isEmbeds = isNew ? deps.options.embeds : target.isEmbeds === true;
    try {
      return { sent: await attempt(view, target, isEmbeds, call), isEmbeds };
    } catch (error) {
      if (discordCode(error) !== Code.InvalidFormBodyOrContentType) throw error;
      deps.log.error({ error, turn: view.turnId }, "Discord refused how a message was drawn");
      // A new message may still be of the other kind; another says in words that there is something.
      if (isNew && !isEmbeds) return { sent: await attempt(view, target, true, call), isEmbeds: true };
      return { sent: (await call({ body: plainBody(isEmbeds, view) })) as APIMessage, isEmbeds };
    }
  };
}

/** The message of a turn. `isEmbeds`: it has to fit embeds. */
async function draw(
  view: TurnView,
  { isAnswer, isPrivate = false }: Target,
  { isEmbeds, charts }: { isEmbeds: boolean; charts: "file" | "text" },
  { cards, pages }: DiscordDeps,
): Promise<RenderedMessage> {
  const open = view.isSettled ? await pages.get(view.turnId) : undefined;
  return renderTurn(view, cards, {
    ...(open === undefined ? {} : { pages: open }),
    ...(isEmbeds ? { budget: EMBEDS_BUDGET } : {}),
    isPrivate,
    charts,
    // Who alone sees it knows what they asked.
    ...(isAnswer || isPrivate ? {} : { above: small(words(oneLine(view.message, 150))) }),
  });
}

async function missingFiles(
  view: TurnView,
  { files }: RenderedMessage,
  has: readonly { filename: string }[],
  { core }: DiscordDeps,
): Promise<CallUpload[]> {
  const isMissing = ({ filename }: { filename: string }): boolean =>
    has.every((file) => file.filename !== filename);
  const brought = view.isSettled ? callFiles(view, BROUGHT).attached.filter(isMissing) : [];
  const read = brought.map(async (one): Promise<CallUpload> => {
    const [found] = await readCallFiles([one], core);
    // What the store has no more is named by the message all the same: an empty file keeps its place.
    return found ?? { filename: one.filename, file: Buffer.from(""), title: one.filename };
  });
  const made = files
    .filter(isMissing)
    .map(async (file) => ({ filename: file.filename, file: await contentOf(file), title: file.title }));
  return [...(await Promise.all(made)), ...(await Promise.all(read))];
}

/** Nobody is notified by what data says. */
const QUIET = { allowed_mentions: { parse: [], replied_user: false } } satisfies Body;

/** The first component carries the mark by which the message is found again. */
function bodyOf({ turnId }: TurnView, rendered: RenderedMessage, isEmbeds: boolean): Body {
  const parts: { components: APIMessageTopLevelComponent[]; embeds?: APIEmbed[] } = isEmbeds
    ? toEmbeds(rendered.components)
    : rendered;
  const { mark } = nonceOf(turnId);
  const components = parts.components.map((one, index) => (index === 0 ? { ...one, id: mark } : one));
  if (parts.embeds !== undefined) return { ...QUIET, components, embeds: parts.embeds };
  return { ...QUIET, components, flags: MessageFlags.IsComponentsV2 };
}

function plainBody(isEmbeds: boolean, { language }: TurnView): Body {
  const { undrawable } = wordsOf(language).turn;
  if (isEmbeds) return { ...QUIET, embeds: [{ description: undrawable }], components: [] };
  const components = [{ type: ComponentType.TextDisplay as const, content: undrawable }];
  return { ...QUIET, components, flags: MessageFlags.IsComponentsV2 };
}

function withFiles(body: Body, missing: readonly CallUpload[], has: readonly { id: string }[]): Request {
  if (missing.length === 0) return { body };
  const added = missing.map(({ filename, title }, id) => ({ id, filename, description: title }));
  return {
    body: { ...body, attachments: [...has.map(({ id }) => ({ id })), ...added] },
    files: missing.map(({ filename, file }) => ({ name: filename, data: file })),
  };
}
