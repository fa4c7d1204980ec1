import type { Hono } from "hono";
import * as z from "zod";

import type { NextStep } from "#contract/plan.ts";

import { actorField, eventId, readBody } from "../api/bodies.ts";
import { eventOf } from "../api/wire.ts";
import { ApiError, notFound } from "../errors.ts";
import { type HttpEnv, offerOf } from "../identity.ts";
import { fillPath } from "./forms.ts";
import { button, html, type Html } from "./html.ts";

/** What can be done with what a turn brought, with the place in which a form opens where `hasPlace` says there is none yet. */
export function nextRow(turnId: string, next: readonly NextStep[], hasPlace: boolean): Html | string {
  if (next.length === 0) return "";
  return html`<p class="asked next">
      ${next.map(({ kind, title }, at) =>
        kind === "form"
          ? button("fill", title, { value: fillPath(turnId, { next: at }) })
          : button("next", title, { value: `/playground/turns/${turnId}/next/${at}` }),
      )}
    </p>
    ${!hasPlace && html`<div data-fill-place></div>`}`;
}

const pressedBody = z.strictObject({ event_id: eventId, actor: actorField });

/** Begins what a button of a turn says. */
export function addNextRoute(app: Hono<HttpEnv>): void {
  /** 200 with the turn that begins, or that had begun before. */
  app.post("/playground/turns/:id/next/:at", async (c) => {
    const { event_id: press, actor } = await readBody(c, pressedBody);
    const { core } = offerOf(c);
    const { id, at } = c.req.param();
    const turn = await core.turn(id);
    // Turns of chat platforms are gone on with there.
    if (turn === undefined || turn.surface !== "http") throw notFound("turn", id);
    const step = turn.result?.next?.[Number(at)];
    if (step === undefined || step.kind === "form")
      throw new ApiError(409, "not_offered", `This turn offers no step ${at} that begins at once.`);
    const { surface, conversationId, channel } = turn;
    const { kind, title, tool, args } = step;
    const message = kind === "retry" ? turn.message : title;
    const eventId = eventOf(conversationId, "next", id, press);
    const about = kind === "undo" ? { undoes: id } : { call: { tool, args } };
    const begun = await core.submit({ surface, actor, conversationId, channel, message, eventId, ...about });
    return c.json({ turn_id: begun.turnId, message });
  });
}
