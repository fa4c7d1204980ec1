import type { REST } from "discord.js";
import { Routes } from "discord.js";

import type { TurnView } from "#contract/present.ts";

import { showLinksOnce } from "../chat/links.ts";
import type { ChatLog, ChatState } from "../chat/parts.ts";
import { renderLinkQuestion } from "./render/question.ts";
import { FOR_ONE } from "./render/window.ts";

export interface TellLinkParts {
  rest: REST;
  /** By question: the page it wants opened was shown to its person. */
  told: ChatState<boolean>;
  values: ChatState<string>;
  app: string;
  log: Pick<ChatLog, "debug">;
}

/**
 * Shows pages that a turn waits for to the person who began it by an interaction: `token` reaches them for
 * fifteen minutes. After that, and where somebody was only mentioned, a button of the message shows them.
 * Never rejects.
 */
export function tellLinks(
  token: string,
  view: TurnView,
  { rest, told, values, app, log }: TellLinkParts,
): Promise<void> {
  return showLinksOnce(view, told, async (question) => {
    try {
      const { components, values: long } = renderLinkQuestion(question);
      for (const [key, value] of long) await values.set(key, value);
      const body = { components, flags: FOR_ONE, allowed_mentions: { parse: [] } };
      await rest.post(Routes.webhook(app, token), { body, auth: false });
      return true;
    } catch (error) {
      log.debug({ error, question: question.id }, "a page is shown at its button only");
      return false;
    }
  });
}
