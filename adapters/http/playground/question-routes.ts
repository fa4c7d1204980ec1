import type { Context, Hono } from "hono";
import * as z from "zod";

import type { ActorId } from "#contract/actor.ts";
import type { FormFault, Forms, FormTool } from "#contract/form.ts";
import type { Question } from "#contract/question.ts";

import { findQuestion } from "../api/question-routes.ts";
import { readBody } from "../api/read-body.ts";
import { type HttpEnv, offerOf } from "../env.ts";
import { actorOf } from "../identity.ts";
import { refusalOf } from "./approval-routes.ts";
import { questionForm, type QuestionFormParts } from "./question-form.ts";
import { requiredIdentity } from "./signed-in.ts";

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
    return draw(c, 200, forms, viewer, await findQuestion(offerOf(c).core, c.req.param("id")));
  });

  /** 200 with the question as it stands then; 422 with the form as it was typed and what is wrong with it. */
  app.post("/playground/questions/:id/answer", async (c) => {
    const { action, values, actor } = await readBody(c, answeredBody);
    const question = await findQuestion(offerOf(c).core, c.req.param("id"));
    const who = actorOf(c.get("identity"), actor);
    const answer = { questionId: question.id, actor: who, action };
    if (action === "decline" || question.kind === "link")
      return draw(c, 200, forms, who, await offerOf(c).core.answer(answer));
    const typed = new Map(values);
    const refused = (wrong: { faults?: FormFault[]; fault?: string }): Promise<Response> =>
      draw(c, 422, forms, who, question, { typed, ...wrong });
    const reading = forms.fromForm(toolOf(question), {}, typed);
    if (!reading.ok) return refused({ faults: reading.faults });
    try {
      return await draw(
        c,
        200,
        forms,
        who,
        await offerOf(c).core.answer({ ...answer, content: reading.args }),
      );
    } catch (error) {
      const wrong = refusalOf(error, [...typed.keys()]);
      if (wrong === undefined) throw error;
      return refused(wrong);
    }
  });
}

function toolOf(question: Extract<Question, { kind: "form" }>): FormTool {
  return { id: question.toolId, name: question.toolId, inputSchema: question.schema };
}

async function draw(
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
