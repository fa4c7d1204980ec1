import { z } from "zod";

import { templateFault } from "../base/template.ts";
import { toolGlob } from "./policy-schema.ts";
import { duration, toolArgs } from "./values.ts";

const template = z
  .string()
  .min(1, { error: "a sentence such as Close {object} in {owner}/{repo}" })
  .superRefine((text, context) => {
    const message = templateFault(text);
    if (message !== undefined) context.addIssue({ code: "custom", message });
  });

const sentence = template.refine((text) => !text.startsWith("{"), {
  error: "a sentence that begins with a verb, such as Close {object}",
});

const member = template.describe("A member of what was read, with dots, or words with {members} in them.");

const object = z
  .strictObject({
    read: z
      .string()
      .regex(/^[^\s.]+$/, { error: "the bare name of a read of the same server, such as get_issue" }),
    args: toolArgs
      .exactOptional()
      .describe("Its arguments, with {arguments} of the call; without: those of the call that it has too."),
    kind: z.string().min(1).exactOptional().describe("What it is, in the singular, such as issue."),
    label: member.exactOptional(),
    title: member.exactOptional(),
    url: member.exactOptional(),
  })
  .describe("What a call acts on, read before anybody is asked.");

const toolWords = z.strictObject({
  statement: sentence
    .exactOptional()
    .describe("What a call does, as an order, with {arguments}: Open an issue in {owner}/{repo}: {title}."),
  done: sentence
    .exactOptional()
    .describe("The same when it was done: Opened an issue in {owner}/{repo}: {title}."),
  object: object.exactOptional(),
  fixed_arguments: toolArgs
    .exactOptional()
    .describe("Arguments that nobody is asked for, beside those of its server."),
  destructive: z.boolean().exactOptional().describe("It deletes, or overwrites what cannot be brought back."),
  undo: z
    .union([z.boolean(), z.strictObject({ within: duration })])
    .exactOptional()
    .describe("Whether it can be undone, or for how long: within: 30d."),
});

export const toolsSchema = z
  .record(toolGlob, toolWords)
  .default({})
  .describe("What people read of the calls of a tool, by its id, its bare name or a glob.");
