import { z } from "zod";

import type { ActorId } from "#contract/actor.ts";

/** Somebody, as the operator says. */
export type PersonSettings = z.infer<typeof personSchema>;

const actor = z
  .string()
  .regex(/^((slack|discord):[^\s:]+|http|console):[^\s:]+$/, {
    error: "a person on a surface, as slack:WORKSPACE:USER, discord:GUILD:USER, http:NAME or console:NAME",
  })
  .transform((id) => id as ActorId);

export const email = z.email({ error: "an e-mail address" });

export const personSchema = z.strictObject({
  name: z.string().min(1).max(80).exactOptional().describe("What people call them."),
  email: email.exactOptional(),
  actors: z.array(actor).default([]).describe("Who they are on surfaces, such as slack:T1:U1 and http:ana."),
  accounts: z
    .record(z.string(), z.string().min(1).max(200))
    .default({})
    .describe("By server: the id of their account there, as its tools take it."),
});

export const peopleList = z.array(personSchema).max(10_000);

export const peopleSchema = z
  .union([
    peopleList,
    z.strictObject({
      file: z.string().min(1).exactOptional().describe("YAML or JSON with a list of people."),
      match_by_email: z
        .boolean()
        .default(true)
        .describe("Whether one e-mail address on two surfaces, or in a server, makes one person."),
      list: peopleList.default([]),
    }),
  ])
  .transform((given) => (Array.isArray(given) ? { match_by_email: true, list: given } : given));

/** How the people of a server are found, and which texts of its tools carry the name of who asked. */
export const serverPeopleSchema = z.strictObject({
  search: z.string().min(1).exactOptional().describe("A read tool that finds people."),
  argument: z
    .string()
    .min(1)
    .default("query")
    .describe("Its argument that takes a name or an e-mail address."),
  id: z
    .string()
    .min(1)
    .default("id")
    .describe("Member of each row of its answer that the server's tools take."),
  name: z.string().min(1).default("name").describe("Member that people read."),
  email: z.string().min(1).default("email").describe("Member with the e-mail address, where it has one."),
  arguments: z
    .array(z.string().min(1))
    .default([])
    .describe("Further arguments of its tools that take a person, such as fields.owner."),
  signed: z
    .record(z.string(), z.string())
    .default({})
    .describe("Tool to its text that begins with the name of who asked, such as add_comment: body."),
});
