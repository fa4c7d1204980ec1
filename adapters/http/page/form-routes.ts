import type { Context, Hono } from "hono";
import * as z from "zod";

import type { ActorId } from "#contract/actor.ts";
import type { Approval } from "#contract/approval.ts";
import type { Core } from "#contract/core.ts";
import type { FormFault, Forms, FormTool } from "#contract/form.ts";
import type { PendingQuestion } from "#contract/plan.ts";
import type { Question } from "#contract/question.ts";
import type { Tool } from "#contract/tool.ts";
import type { Turn } from "#contract/turn.ts";
import { codeOf, faultyFields } from "#src/base/errors.ts";

import { findApproval } from "../api/approval-routes.ts";
import { actorBody, actorField, eventId, fieldValues, readBody } from "../api/bodies.ts";
import { findQuestion } from "../api/question-routes.ts";
import { conversationOf, eventOf } from "../api/wire.ts";
import { ApiError, notFound } from "../errors.ts";
import { type HttpEnv, offerOf, requiredIdentity, viewerOf } from "../identity.ts";
import { grantList } from "./approval.ts";
import { editForm, fillForm, fillPath, questionForm, type Refused } from "./forms.ts";
import { cardHtml, fragment, html } from "./html.ts";
import { callCard } from "./results.ts";

const editedBody = z.strictObject({ values: fieldValues, actor: actorField });

/** What the page needs beside the API to edit a request, look up an outcome and list grants: fragments. */
export function addApprovalFragments(app: Hono<HttpEnv>, forms: Forms): void {
  app.get("/playground/approvals/:id/edit", async (c) => {
    const { approval, tool } = await findEditable(offerOf(c).core, c.req.param("id"));
    const form = forms.toForm(tool, approval.args);
    return fragment(c, editForm(approval, { form, identity: requiredIdentity(c) }));
  });

  /** 204 when the edit is made; 422 with the form as it was typed and what is wrong with it. */
  app.post("/playground/approvals/:id/edit", async (c) => {
    const { values, actor } = await readBody(c, editedBody);
    const { core } = offerOf(c);
    const { approval, tool } = await findEditable(core, c.req.param("id"));
    const typed = new Map(values);
    const refuse = (wrong: Refused): Response | Promise<Response> => {
      const form = forms.toForm(tool, approval.args);
      // The tool may have changed since the form was drawn: what has no field is said of the whole.
      const lost = (wrong.faults ?? []).filter(
        ({ name }) => !form.fields.some((field) => field.name === name),
      );
      const fault = wrong.fault ?? lost.map(({ name, message }) => `${name}: ${message}`).join(" ");
      const identity = requiredIdentity(c);
      const parts = { form, identity, typed, ...wrong, ...(fault !== "" && { fault }) };
      return fragment(c, editForm(approval, parts), 422);
    };
    const reading = forms.fromForm(tool, approval.args, typed);
    if (!reading.ok) return refuse({ faults: reading.faults });
    if (JSON.stringify(reading.args) === JSON.stringify(approval.args))
      return refuse({ fault: "Nothing was changed yet. Change a field, or cancel and decide as it is." });
    try {
      await core.edit({ approvalId: approval.id, actor, args: reading.args });
    } catch (error) {
      return refuse(argumentFaults(error, [...typed.keys()]));
    }
    return c.body(null, 204);
  });

  app.post("/playground/approvals/:id/lookup", async (c) => {
    const { actor } = await readBody(c, actorBody);
    const { core } = offerOf(c);
    const { id } = await findApproval(core, c.req.param("id"));
    const result = await core.lookup(id, actor);
    return fragment(
      c,
      html`<p class="looked-up-head">What <code>${result.toolId}</code> says now:</p>
        ${cardHtml(callCard(result))}`,
    );
  });

  app.get("/playground/grants", async (c) =>
    fragment(c, grantList(await offerOf(c).core.grants(conversationOf(c.req.query("c") ?? "")))),
  );
}

async function findEditable(core: Core, id: string): Promise<{ approval: Approval; tool: Tool }> {
  const approval = await findApproval(core, id);
  if (approval.state === "pending") return { approval, tool: findTool(core, approval.toolId) };
  const message = `Only a pending request can be edited; this one is ${approval.state}.`;
  throw new ApiError(409, "not_pending", message);
}

function findTool(core: Core, id: string): Tool {
  const tool = core.tools().find((listing) => listing.tool.id === id)?.tool;
  if (tool !== undefined) return tool;
  const message = `${id} is not offered now; its server may be down. Try again when it is back.`;
  throw new ApiError(503, "not_offered", message);
}

/** Turns `bad_args` of the core into faults at the fields it names; rethrows other errors. */
function argumentFaults(error: unknown, names: string[]): Refused {
  if (!(error instanceof Error) || codeOf(error) !== "bad_args") throw error;
  const { message } = error;
  const faulty = faultyFields(error, names);
  // One field: said beside it. Several share one message: said once, and the fields are marked.
  if (faulty.length === 1) return { faults: faulty.map((name) => ({ name, message })) };
  return {
    faults: faulty.map((name) => ({ name, message: "The tool does not take this." })),
    fault: message,
  };
}

const filledBody = z.strictObject({ values: fieldValues, event_id: eventId, actor: actorField });

/** The form for what a turn ended by asking for, or for one of its choices, as fragments of the page. */
export function addFillFragments(app: Hono<HttpEnv>, forms: Forms): void {
  app.get("/playground/turns/:id/fill", async (c) => {
    const { path, question, tool, asks } = await findAsked(offerOf(c).core, c.req.param("id"), c.req.query());
    const form = forms.toForm(tool, question.args);
    return fragment(c, fillForm(path, { form, identity: requiredIdentity(c), asks }));
  });

  /** 200 with the turn that begins; 422 with the form as it was typed and what is wrong with it. */
  app.post("/playground/turns/:id/fill", async (c) => {
    const { values, event_id, actor } = await readBody(c, filledBody);
    const { core } = offerOf(c);
    const { turn, path, question, tool, asks } = await findAsked(core, c.req.param("id"), c.req.query());
    const form = forms.toForm(tool, question.args);
    const typed = new Map(values);
    const refuse = (wrong: Refused): Response | Promise<Response> =>
      fragment(c, fillForm(path, { form, identity: requiredIdentity(c), asks, typed, ...wrong }), 422);
    const reading = forms.fromForm(tool, question.args, typed);
    if (!reading.ok) return refuse({ faults: reading.faults });
    const call = { tool: tool.id, args: reading.args };
    const checked = core.checkCall(call);
    if (!checked.ok) {
      const faults = placed(checked.faults, [...typed.keys()]);
      return refuse({ faults, ...(faults.length === 0 && { fault: checked.message }) });
    }
    const { surface, conversationId, channel, message } = turn;
    const eventId = eventOf(conversationId, "fill", event_id);
    const { turnId } = await core.submit({
      surface,
      actor,
      conversationId,
      channel,
      message,
      eventId,
      call,
    });
    return c.json({ turn_id: turnId, message });
  });
}

/** Moves faults of arguments to their fields. */
function placed(faults: readonly FormFault[], names: readonly string[]): FormFault[] {
  return faults.flatMap(({ name, message }) => {
    const field = names.find((one) => one === name || one.startsWith(`${name}.`));
    return field === undefined ? [] : [{ name: field, message }];
  });
}

/** `choice` or `next`: the place among what the turn offers; without either what the turn asks for. */
async function findAsked(
  core: Core,
  id: string,
  { choice, next }: { choice?: string; next?: string },
): Promise<{ turn: Turn; path: string; question: PendingQuestion; tool: Tool; asks: boolean }> {
  const turn = await core.turn(id);
  // Turns of chat platforms are gone on with there.
  if (turn === undefined || turn.surface !== "http") throw notFound("turn", id);
  const { question: asked, choices = [], next: steps = [] } = turn.result ?? {};
  const offered = next === undefined ? choices[Number(choice)] : steps[Number(next)];
  const isAsked = choice === undefined && next === undefined;
  const question = isAsked ? asked : offered;
  const none = isAsked ? "asks for nothing" : `offers nothing at place ${next ?? choice}`;
  if (question === undefined) throw new ApiError(409, "not_pending", `This turn ${none}.`);
  const which =
    next !== undefined ? { next: Number(next) } : choice !== undefined ? { choice: Number(choice) } : {};
  const tool = findTool(core, question.tool);
  const asks = core.tools().some((one) => one.tool.id === tool.id && one.decision === "ask");
  return { turn, path: fillPath(id, which), question, tool, asks };
}

const answeredBody = z.strictObject({
  action: z.enum(["accept", "decline"]),
  values: fieldValues,
  actor: actorField,
});

/** What servers ask, as fragments of the page: the form, and the way back. */
export function addQuestionFragments(app: Hono<HttpEnv>, forms: Forms): void {
  const draw = (
    c: Context<HttpEnv>,
    viewer: ActorId,
    question: Question,
    wrong?: Refused,
  ): Response | Promise<Response> => {
    const form = question.kind === "form" && { form: forms.toForm(toolOf(question), {}) };
    const parts = { identity: requiredIdentity(c), ...form, ...wrong };
    return fragment(c, questionForm(question, viewer, parts), wrong === undefined ? 200 : 422);
  };

  app.get("/playground/questions/:id", async (c) => {
    const viewer = viewerOf(c);
    return draw(c, viewer, await findQuestion(offerOf(c).core, c.req.param("id")));
  });

  /** 200 with the question as it stands then; 422 with the form as it was typed and what is wrong with it. */
  app.post("/playground/questions/:id/answer", async (c) => {
    const { action, values, actor } = await readBody(c, answeredBody);
    const { core } = offerOf(c);
    const question = await findQuestion(core, c.req.param("id"));
    const answer = { questionId: question.id, actor, action };
    if (action === "decline" || question.kind === "link") return draw(c, actor, await core.answer(answer));
    const typed = new Map(values);
    const reading = forms.fromForm(toolOf(question), {}, typed);
    if (!reading.ok) return draw(c, actor, question, { typed, faults: reading.faults });
    try {
      return await draw(c, actor, await core.answer({ ...answer, content: reading.args }));
    } catch (error) {
      return draw(c, actor, question, { typed, ...argumentFaults(error, [...typed.keys()]) });
    }
  });
}

function toolOf(question: Extract<Question, { kind: "form" }>): FormTool {
  return { id: question.toolId, name: question.toolId, inputSchema: question.schema };
}
