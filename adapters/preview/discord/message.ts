import { type Child, jsx as el } from "hono/jsx";

import type { TurnView } from "#contract/present.ts";

import { readCustomId } from "../../discord/render/buttons.ts";
import { renderFormWindow } from "../../discord/render/form.ts";
import type { RenderedMessage } from "../../discord/render/message.ts";
import { renderTurn } from "../../discord/render/turn.ts";
import { renderNotice, renderWindow } from "../../discord/render/window.ts";
import { type DiscordDrawContext, type Fields, fieldsIn, stillDiscord, textOf } from "../context.ts";
import {
  type Attributes,
  box,
  frameMessage,
  frameWindow,
  type MessageFrame,
  toHtml,
  type WindowFrame,
} from "../frame.ts";
import { createPopovers, type TurnDrawing } from "../popovers.ts";
import { drawComponents, drawEmbed, drawFile } from "./components.ts";
import { drawMarkdown } from "./text.ts";

/**
 * The message of a turn as Discord would show it, from the components that Discord would be sent. Its
 * buttons open the answers for one person that they bring there; what would decide or change something
 * does nothing.
 */
export async function drawDiscordTurn(view: TurnView, parts: TurnDrawing): Promise<string> {
  const rendered = renderTurn(view, parts.cards);
  const popovers = createPopovers("dc-popover", view, parts);
  const message = draw(rendered, "", {
    ...contextOf(rendered, view),
    attributes(component) {
      const { action = "", value = "" } = readCustomId(textOf(component.custom_id)) ?? {};
      return popovers.opener(action, rendered.values.get(value) ?? value);
    },
  });
  const windows = await popovers.drawn({
    window: (window, close) => forOne(renderWindow(window), close),
    question({ form, card, note }, close) {
      // What a person says yes to stands in a message, as a window of Discord has no room for it.
      if (card !== undefined) return forOne(renderNotice(card), close);
      const noted = note === undefined ? {} : { note };
      const modal = renderFormWindow(form, { page: 0, customId: "", values: {}, ...noted });
      return drawModal({ ...modal }, stillDiscord(Date.now()), { close });
    },
  });
  return toHtml(message, ...windows);
}

/** An answer that one person sees. */
function forOne(answer: RenderedMessage, close: Attributes): Child {
  return [
    draw(answer, "Only you can see this", contextOf(answer)),
    el("button", { ...close, type: "button", class: "dc-dismiss" }, "Dismiss message"),
  ];
}

function draw({ components }: RenderedMessage, note: string, context: DiscordDrawContext): Child {
  return drawMessage({ author: "Countersign", isApp: true, note, payload: { components } }, context);
}

/** What is attached is told; of charts of a turn the page has pictures. */
function contextOf({ files }: RenderedMessage, view?: TurnView): DiscordDrawContext {
  const known = new Map(
    files.map(({ filename, title, chart }) => {
      const at = chart && view ? view.results.findIndex(({ card }) => card.elements.includes(chart)) : -1;
      const href = at === -1 ? {} : { href: `/agent/turns/${view?.turnId}/results/${at}/chart.svg` };
      return [`attachment://${filename}`, { note: title, ...href }];
    }),
  );
  return { ...stillDiscord(Date.now()), file: (url) => known.get(url) };
}

/** A message with its author. `payload`: its content, embeds, components and attachments, as on the wire. */
export function drawMessage(
  { payload, ...frame }: MessageFrame & { payload: Fields },
  context: DiscordDrawContext,
): Child {
  return frameMessage("dc", frame, drawPayload(payload, context));
}

/** Text, then embeds, then components; files that no component shows come last. */
function drawPayload(payload: Fields, context: DiscordDrawContext): Child[] {
  const content = textOf(payload.content);
  const components = JSON.stringify(payload.components ?? []);
  const files = fieldsIn(payload.attachments).map((file) => textOf(file.filename));
  return [
    content === "" ? null : box("dc-text", ...drawMarkdown(content, context)),
    ...fieldsIn(payload.embeds).map((embed) => drawEmbed(embed, context)),
    ...drawComponents(payload.components, context),
    ...files
      .filter((name) => name !== "" && !components.includes(JSON.stringify(`attachment://${name}`)))
      .map((name) => drawFile(`attachment://${name}`, context)),
  ];
}

/** A window over the page, from its payload. */
export function drawModal(
  modal: Fields,
  context: DiscordDrawContext,
  buttons: Pick<WindowFrame, "close" | "submit">,
): Child {
  const words = { title: textOf(modal.title), leave: "Cancel", send: "Submit" };
  return frameWindow("dc", { ...words, ...buttons }, drawComponents(modal.components, context));
}
