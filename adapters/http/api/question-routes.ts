import type { Hono } from "hono";
import * as z from "zod";

import type { Core } from "#contract/core.ts";
import type { JsonObject } from "#contract/json.ts";
import type { Question, QuestionState } from "#contract/question.ts";

import { ApiError } from "../errors.ts";
import { actorOf, type HttpEnv, offerOf } from "../identity.ts";
import { jsonObject, readBody } from "./bodies.ts";
import { conversationOf, questionToWire } from "./wire.ts";

const STATES: ReadonlySet<string> = new Set<QuestionState>([
  "open",
  "accepted",
  "declined",
  "cancelled",
  "expired",
]);

/** `POST /questions/{id}/answer` */
interface AnswerBody {
  action: "accept" | "decline" | "cancel";
  content?: JsonObject | undefined;
  actor?: string | undefined;
}

const answerBody: z.ZodType<AnswerBody> = z
  .strictObject({
    action: z.enum(["accept", "decline", "cancel"]),
    content: jsonObject.optional(),
    actor: z.string().min(1).max(80).optional(),
  })
  .refine((body) => body.content === undefined || body.action === "accept", {
    path: ["content"],
    message: "goes with accept only",
  });

/** Reading and answering what servers ask in the middle of a call. */
export function addQuestionRoutes(app: Hono<HttpEnv>): void {
  app.get("/questions", async (c) => {
    const state = readState(c.req.query("state"));
    const session = c.req.query("session_id");
    const questions = await offerOf(c).core.questions({
      ...(state === undefined ? {} : { state }),
      ...(session === undefined ? {} : { conversationId: conversationOf(session) }),
    });
    const viewer = actorOf(c.get("identity"), c.req.query("actor"));
    return c.json({ questions: questions.map((question) => questionToWire(question, viewer)) });
  });

  app.get("/questions/:id", async (c) => {
    const viewer = actorOf(c.get("identity"), c.req.query("actor"));
    return c.json(questionToWire(await findQuestion(offerOf(c).core, c.req.param("id")), viewer));
  });

  app.post("/questions/:id/answer", async (c) => {
    const body = await readBody(c, answerBody);
    const actor = actorOf(c.get("identity"), body.actor);
    const { core } = offerOf(c);
    const { id } = await findQuestion(core, c.req.param("id"));
    const answered = await core.answer({
      questionId: id,
      actor,
      action: body.action,
      ...(body.content === undefined ? {} : { content: body.content }),
    });
    return c.json(questionToWire(answered, actor));
  });
}

export async function findQuestion(core: Core, id: string): Promise<Question> {
  const question = await core.question(id);
  if (question !== undefined) return question;
  throw new ApiError(404, "not_found", `question_id: no question ${JSON.stringify(id.slice(0, 80))}`);
}

function readState(given: string | undefined): QuestionState | undefined {
  if (given === undefined || STATES.has(given)) return given as QuestionState | undefined;
  throw new ApiError(
    400,
    "bad_request",
    `state: expected one of ${[...STATES].join(", ")}, got ${JSON.stringify(given.slice(0, 40))}`,
    { details: { field: "state" } },
  );
}
