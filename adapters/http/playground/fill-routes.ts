import type { Context, Hono } from "hono";
import * as z from "zod";

import type { Core } from "#contract/core.ts";
import type { FormFault, Forms } from "#contract/form.ts";
import type { PendingQuestion } from "#contract/plan.ts";
import type { Tool } from "#contract/tool.ts";
import type { Turn } from "#contract/turn.ts";

import { unknownTurn } from "../api/answer.ts";
import { eventId } from "../api/bodies.ts";
import { readBody } from "../api/read-body.ts";
import { eventOf } from "../api/wire.ts";
import { type HttpEnv, offerOf } from "../env.ts";
import { ApiError } from "../errors.ts";
import { actorOf } from "../identity.ts";
import { fillForm, type FillFormParts } from "./fill-form.ts";
import { requiredIdentity } from "./signed-in.ts";

/** Pairs, not an object: a field may have any name. */
interface FilledBody {
  values: [string, string][];
  event_id: string;
  actor?: string | undefined;
}

const filledBody: z.ZodType<FilledBody> = z.strictObject({
  values: z.array(z.tuple([z.string(), z.string()])),
  event_id: eventId,
  actor: z.string().min(1).max(80).optional(),
});

/** The form for what a turn ended by asking for, as fragments of the page. */
export function addFillFragments(app: Hono<HttpEnv>, forms: Forms): void {
  app.get("/playground/turns/:id/fill", async (c) => {
    const { turn, question, tool } = await asked(offerOf(c).core, c.req.param("id"));
    return draw(c, 200, { turnId: turn.id, form: forms.toForm(tool, question.args) });
  });

  /** 200 with the turn that begins; 422 with the form as it was typed and what is wrong with it. */
  app.post("/playground/turns/:id/fill", async (c) => {
    const body = await readBody(c, filledBody);
    const actor = actorOf(c.get("identity"), body.actor);
    const { turn, question, tool } = await asked(offerOf(c).core, c.req.param("id"));
    const form = forms.toForm(tool, question.args);
    const typed = new Map(body.values);
    const refused = (faults: readonly FormFault[], fault?: string): Promise<Response> =>
      draw(c, 422, { turnId: turn.id, form, typed, faults, ...(fault === undefined ? {} : { fault }) });
    const reading = forms.fromForm(tool, question.args, typed);
    if (!reading.ok) return refused(reading.faults);
    const call = { tool: tool.id, args: reading.args };
    const checked = offerOf(c).core.checkCall(call);
    if (!checked.ok) {
      const faults = placed(checked.faults, [...typed.keys()]);
      return refused(faults, faults.length === 0 ? checked.message : undefined);
    }
    const { surface, conversationId, channel, message } = turn;
    const { turnId } = await offerOf(c).core.submit({
      surface,
      actor,
      conversationId,
      channel,
      message,
      eventId: eventOf(conversationId, "fill", body.event_id),
      call,
    });
    return c.json({ turn_id: turnId, message });
  });
}

/** At the fields of the arguments that the tool does not take. */
function placed(faults: readonly FormFault[], names: readonly string[]): FormFault[] {
  return faults.flatMap(({ name, message }) => {
    const field = names.find((one) => one === name || one.startsWith(`${name}.`));
    return field === undefined ? [] : [{ name: field, message }];
  });
}

async function asked(core: Core, id: string): Promise<{ turn: Turn; question: PendingQuestion; tool: Tool }> {
  const turn = await core.turn(id);
  // Turns of chat platforms are gone on with there.
  if (turn === undefined || turn.surface !== "http") throw unknownTurn(id);
  const question = turn.result?.question;
  if (question === undefined) throw new ApiError(409, "not_pending", "This turn asks for nothing.");
  const tool = core.tools().find((listing) => listing.tool.id === question.tool)?.tool;
  if (tool === undefined) {
    const message = `${question.tool} is not offered now; its server may be down. Try again when it is back.`;
    throw new ApiError(503, "not_offered", message);
  }
  return { turn, question, tool };
}

async function draw(
  c: Context<HttpEnv>,
  status: 200 | 422,
  parts: Omit<FillFormParts, "identity">,
): Promise<Response> {
  c.header("cache-control", "no-store");
  return c.html(await fillForm({ ...parts, identity: requiredIdentity(c) }), status);
}
