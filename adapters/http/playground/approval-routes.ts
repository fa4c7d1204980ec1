import type { Context, Hono } from "hono";
import * as z from "zod";

import type { Approval } from "#contract/approval.ts";
import type { Core } from "#contract/core.ts";
import type { FormFault, Forms } from "#contract/form.ts";
import type { Tool } from "#contract/tool.ts";

import { findApproval } from "../api/approval-routes.ts";
import { actorBody } from "../api/bodies.ts";
import { readBody } from "../api/read-body.ts";
import { conversationOf } from "../api/wire.ts";
import { type HttpEnv, offerOf } from "../env.ts";
import { ApiError } from "../errors.ts";
import { actorOf } from "../identity.ts";
import { renderCardHtml } from "../render/html.ts";
import { editForm, type EditFormParts } from "./edit-form.ts";
import { grantList } from "./grants.ts";
import { html, raw } from "./html.ts";
import { callCard } from "./result-tabs.ts";
import { requiredIdentity } from "./signed-in.ts";

/** Pairs, not an object: a field may have any name. */
const editedBody: z.ZodType<{ values: [string, string][]; actor?: string | undefined }> = z.strictObject({
  values: z.array(z.tuple([z.string(), z.string()])),
  actor: z.string().min(1).max(80).optional(),
});

/** What the page needs beside the API to edit a request, look up an outcome and list grants: fragments. */
export function addApprovalFragments(app: Hono<HttpEnv>, forms: Forms): void {
  app.get("/playground/approvals/:id/edit", async (c) => {
    const { approval, tool } = await editable(offerOf(c).core, c.req.param("id"));
    return draw(c, 200, { approval, form: forms.toForm(tool, approval.args) });
  });

  /** 204 when the edit is made; 422 with the form as it was typed and what is wrong with it. */
  app.post("/playground/approvals/:id/edit", async (c) => {
    const body = await readBody(c, editedBody);
    const actor = actorOf(c.get("identity"), body.actor);
    const { approval, tool } = await editable(offerOf(c).core, c.req.param("id"));
    const typed = new Map(body.values);
    const refused = (wrong: { faults?: FormFault[]; fault?: string }): Promise<Response> => {
      const form = forms.toForm(tool, approval.args);
      // The tool may have changed since the form was drawn: what has no field is said of the whole.
      const lost = (wrong.faults ?? []).filter(
        ({ name }) => !form.fields.some((field) => field.name === name),
      );
      const fault = wrong.fault ?? lost.map(({ name, message }) => `${name}: ${message}`).join(" ");
      return draw(c, 422, { approval, form, typed, ...wrong, ...(fault !== "" && { fault }) });
    };
    const reading = forms.fromForm(tool, approval.args, typed);
    if (!reading.ok) return refused({ faults: reading.faults });
    if (JSON.stringify(reading.args) === JSON.stringify(approval.args))
      return refused({ fault: "Nothing was changed yet. Change a field, or cancel and decide as it is." });
    try {
      await offerOf(c).core.edit({ approvalId: approval.id, actor, args: reading.args });
    } catch (error) {
      const names = [...typed.keys()];
      const wrong = refusalOf(error, names);
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

async function editable(core: Core, id: string): Promise<{ approval: Approval; tool: Tool }> {
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

async function draw(
  c: Context<HttpEnv>,
  status: 200 | 422,
  parts: Omit<EditFormParts, "identity">,
): Promise<Response> {
  c.header("cache-control", "no-store");
  return c.html(await editForm({ ...parts, identity: requiredIdentity(c) }), status);
}

/** Arguments that the tool does not take, beside the fields that the core names; undefined for other errors. */
export function refusalOf(
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
