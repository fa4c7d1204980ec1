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

import { findApproval } from "../api/approval-routes.ts";
import { actorBody, eventId, readBody } from "../api/bodies.ts";
import { findQuestion } from "../api/question-routes.ts";
import { turnNotFound } from "../api/turn-routes.ts";
import { conversationOf, eventOf } from "../api/wire.ts";
import { ApiError } from "../errors.ts";
import { actorOf, type HttpEnv, offerOf, requiredIdentity } from "../identity.ts";
import { grantList } from "./approval.ts";
import {
  editForm,
  type EditFormParts,
  fillForm,
  type FillFormParts,
  questionForm,
  type QuestionFormParts,
} from "./forms.ts";
import { html, raw } from "./html.ts";
import { renderCardHtml } from "./render/html.ts";
import { callCard } from "./results.ts";

/** Pairs, not an object: a field may have any name. */
const editedBody: z.ZodType<{ values: [string, string][]; actor?: string | undefined }> = z.strictObject({
  values: z.array(z.tuple([z.string(), z.string()])),
  actor: z.string().min(1).max(80).optional(),
});

/** What the page needs beside the API to edit a request, look up an outcome and list grants: fragments. */
export function addApprovalFragments(app: Hono<HttpEnv>, forms: Forms): void {
  app.get("/playground/approvals/:id/edit", async (c) => {
    const { approval, tool } = await findEditable(offerOf(c).core, c.req.param("id"));
    return drawEditForm(c, 200, { approval, form: forms.toForm(tool, approval.args) });
  });

  /** 204 when the edit is made; 422 with the form as it was typed and what is wrong with it. */
  app.post("/playground/approvals/:id/edit", async (c) => {
    const body = await readBody(c, editedBody);
    const actor = actorOf(c.get("identity"), body.actor);
    const { approval, tool } = await findEditable(offerOf(c).core, c.req.param("id"));
    const typed = new Map(body.values);
    const refused = (wrong: { faults?: FormFault[]; fault?: string }): Promise<Response> => {
      const form = forms.toForm(tool, approval.args);
      // The tool may have changed since the form was drawn: what has no field is said of the whole.
      const lost = (wrong.faults ?? []).filter(
        ({ name }) => !form.fields.some((field) => field.name === name),
      );
      const fault = wrong.fault ?? lost.map(({ name, message }) => `${name}: ${message}`).join(" ");
      return drawEditForm(c, 422, { approval, form, typed, ...wrong, ...(fault !== "" && { fault }) });
    };
    const reading = forms.fromForm(tool, approval.args, typed);
    if (!reading.ok) return refused({ faults: reading.faults });
    if (JSON.stringify(reading.args) === JSON.stringify(approval.args))
      return refused({ fault: "Nothing was changed yet. Change a field, or cancel and decide as it is." });
    try {
      await offerOf(c).core.edit({ approvalId: approval.id, actor, args: reading.args });
    } catch (error) {
      const names = [...typed.keys()];
      const wrong = argumentFaults(error, names);
      if (wrong === undefined) throw error;
      return refused(wrong);
    }
    return c.body(null, 204);
  });

  app.post("/playground/approvals/:id/lookup", async (c) => {
    const body = await readBody(c, actorBody);
    const actor = actorOf(c.get("identity"), body.actor);
    const { core } = offerOf(c);
    const { id } = await findApproval(core, c.req.param("id"));
    const result = await core.lookup(id, actor);
    c.header("cache-control", "no-store");
    return c.html(
      html`<p class="looked-up-head">What <code>${result.toolId}</code> says now:</p>
        ${raw(renderCardHtml(callCard(result)))}`,
    );
  });

  app.get("/playground/grants", async (c) => {
    c.header("cache-control", "no-store");
    return c.html(
      grantList(await offerOf(c).core.grants(conversationOf(c.req.query("c") ?? "")), Date.now()),
    );
  });
}

async function findEditable(core: Core, id: string): Promise<{ approval: Approval; tool: Tool }> {
  const approval = await findApproval(core, id);
  if (approval.state !== "pending")
    throw new ApiError(
      409,
      "not_pending",
      `Only a pending request can be edited; this one is ${approval.state}.`,
    );
  const tool = core.tools().find((listing) => listing.tool.id === approval.toolId)?.tool;
  if (tool === undefined)
    throw new ApiError(
      503,
      "not_offered",
      `${approval.toolId} is not offered now; its server may be down. Try again when it is back.`,
    );
  return { approval, tool };
}

async function drawEditForm(
  c: Context<HttpEnv>,
  status: 200 | 422,
  parts: Omit<EditFormParts, "identity">,
): Promise<Response> {
  c.header("cache-control", "no-store");
  return c.html(await editForm({ ...parts, identity: requiredIdentity(c) }), status);
}

/** Arguments that the tool does not take, beside the fields that the core names; undefined for other errors. */
function argumentFaults(
  error: unknown,
  names: string[],
): { faults: FormFault[]; fault?: string } | undefined {
  if (!(error instanceof Error) || !("code" in error) || error.code !== "bad_args") return undefined;
  const { message } = error;
  const details = "details" in error ? error.details : undefined;
  const fields =
    typeof details === "object" && details !== null && "fields" in details && Array.isArray(details.fields)
      ? details.fields.map(String)
      : [];
  const faults = names
    .filter((name) => fields.some((field) => name === field || name.startsWith(`${field}.`)))
    .map((name) => ({ name, message }));
  // One field: said beside it. Several share one message: said once, and the fields are marked.
  if (faults.length === 1) return { faults };
  return {
    faults: faults.map(({ name }) => ({ name, message: "The tool does not take this." })),
    fault: message,
  };
}

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
    const { turn, question, tool } = await findPendingQuestion(offerOf(c).core, c.req.param("id"));
    return drawFillForm(c, 200, { turnId: turn.id, form: forms.toForm(tool, question.args) });
  });

  /** 200 with the turn that begins; 422 with the form as it was typed and what is wrong with it. */
  app.post("/playground/turns/:id/fill", async (c) => {
    const body = await readBody(c, filledBody);
    const actor = actorOf(c.get("identity"), body.actor);
    const { turn, question, tool } = await findPendingQuestion(offerOf(c).core, c.req.param("id"));
    const form = forms.toForm(tool, question.args);
    const typed = new Map(body.values);
    const refused = (faults: readonly FormFault[], fault?: string): Promise<Response> =>
      drawFillForm(c, 422, {
        turnId: turn.id,
        form,
        typed,
        faults,
        ...(fault === undefined ? {} : { fault }),
      });
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

async function findPendingQuestion(
  core: Core,
  id: string,
): Promise<{ turn: Turn; question: PendingQuestion; tool: Tool }> {
  const turn = await core.turn(id);
  // Turns of chat platforms are gone on with there.
  if (turn === undefined || turn.surface !== "http") throw turnNotFound(id);
  const question = turn.result?.question;
  if (question === undefined) throw new ApiError(409, "not_pending", "This turn asks for nothing.");
  const tool = core.tools().find((listing) => listing.tool.id === question.tool)?.tool;
  if (tool === undefined) {
    const message = `${question.tool} is not offered now; its server may be down. Try again when it is back.`;
    throw new ApiError(503, "not_offered", message);
  }
  return { turn, question, tool };
}

async function drawFillForm(
  c: Context<HttpEnv>,
  status: 200 | 422,
  parts: Omit<FillFormParts, "identity">,
): Promise<Response> {
  c.header("cache-control", "no-store");
  return c.html(await fillForm({ ...parts, identity: requiredIdentity(c) }), status);
}

/** Pairs, not an object: a field may have any name. */
interface AnsweredBody {
  action: "accept" | "decline";
  values: [string, string][];
  actor?: string | undefined;
}

const answeredBody: z.ZodType<AnsweredBody> = z.strictObject({
  action: z.enum(["accept", "decline"]),
  values: z.array(z.tuple([z.string(), z.string()])),
  actor: z.string().min(1).max(80).optional(),
});

/** What servers ask, as fragments of the page: the form, and the way back. */
export function addQuestionFragments(app: Hono<HttpEnv>, forms: Forms): void {
  app.get("/playground/questions/:id", async (c) => {
    const viewer = actorOf(c.get("identity"), c.req.query("actor"));
    return drawQuestion(c, 200, forms, viewer, await findQuestion(offerOf(c).core, c.req.param("id")));
  });

  /** 200 with the question as it stands then; 422 with the form as it was typed and what is wrong with it. */
  app.post("/playground/questions/:id/answer", async (c) => {
    const { action, values, actor } = await readBody(c, answeredBody);
    const question = await findQuestion(offerOf(c).core, c.req.param("id"));
    const who = actorOf(c.get("identity"), actor);
    const answer = { questionId: question.id, actor: who, action };
    if (action === "decline" || question.kind === "link")
      return drawQuestion(c, 200, forms, who, await offerOf(c).core.answer(answer));
    const typed = new Map(values);
    const refused = (wrong: { faults?: FormFault[]; fault?: string }): Promise<Response> =>
      drawQuestion(c, 422, forms, who, question, { typed, ...wrong });
    const reading = forms.fromForm(toolOf(question), {}, typed);
    if (!reading.ok) return refused({ faults: reading.faults });
    try {
      return await drawQuestion(
        c,
        200,
        forms,
        who,
        await offerOf(c).core.answer({ ...answer, content: reading.args }),
      );
    } catch (error) {
      const wrong = argumentFaults(error, [...typed.keys()]);
      if (wrong === undefined) throw error;
      return refused(wrong);
    }
  });
}

function toolOf(question: Extract<Question, { kind: "form" }>): FormTool {
  return { id: question.toolId, name: question.toolId, inputSchema: question.schema };
}

async function drawQuestion(
  c: Context<HttpEnv>,
  status: 200 | 422,
  forms: Forms,
  viewer: ActorId,
  question: Question,
  more: Pick<QuestionFormParts, "typed" | "faults" | "fault"> = {},
): Promise<Response> {
  c.header("cache-control", "no-store");
  const form = question.kind === "form" ? { form: forms.toForm(toolOf(question), {}) } : {};
  return c.html(
    await questionForm({ question, viewer, identity: requiredIdentity(c), ...form, ...more }),
    status,
  );
}
