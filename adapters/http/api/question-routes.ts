import type { Hono } from "hono";
import * as z from "zod";

import type { Core } from "#contract/core.ts";
import type { Question, QuestionState } from "#contract/question.ts";

import { notFound } from "../errors.ts";
import { type HttpEnv, offerOf, viewerOf } from "../identity.ts";
import { actorField, jsonObject, readBody, readFilter } from "./bodies.ts";
import { questionToWire } from "./wire.ts";

const STATES: readonly QuestionState[] = ["open", "accepted", "declined", "cancelled", "expired"];

const answerBody = z
  .strictObject({
    action: z.enum(["accept", "decline", "cancel"]),
    content: jsonObject.optional(),
    actor: actorField,
  })
  .refine((body) => body.content === undefined || body.action === "accept", {
    path: ["content"],
    message: "goes with accept only",
  });

/** Reading and answering what servers ask in the middle of a call. */
export function addQuestionRoutes(app: Hono<HttpEnv>): void {
  app.get("/questions", async (c) => {
    const questions = await offerOf(c).core.questions(readFilter(c, STATES));
    const viewer = viewerOf(c);
    return c.json({ questions: questions.map((question) => questionToWire(question, viewer)) });
  });

  app.get("/questions/:id", async (c) => {
    const viewer = viewerOf(c);
    return c.json(questionToWire(await findQuestion(offerOf(c).core, c.req.param("id")), viewer));
  });

  app.post("/questions/:id/answer", async (c) => {
    const { actor, action, content } = await readBody(c, answerBody);
    const { core } = offerOf(c);
    const { id } = await findQuestion(core, c.req.param("id"));
    const answered = await core.answer({
      questionId: id,
      actor,
      action,
      ...(content !== undefined && { content }),
    });
    return c.json(questionToWire(answered, actor));
  });
}

export async function findQuestion(core: Core, id: string): Promise<Question> {
  const question = await core.question(id);
  if (question === undefined) throw notFound("question", id);
  return question;
}
