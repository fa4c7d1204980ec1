import { readFileSync } from "node:fs";

import { parse } from "yaml";
import { z } from "zod";

import { conditionSchema } from "./conditions.ts";
import type { PageEdit } from "./edits.ts";

const args = z.record(z.string(), z.unknown());

const callSchema = z.strictObject({
  server: z.string().optional(),
  tool: z.string(),
  args: args.default({}),
});

const listOrOne = z.union([z.string().transform((text) => [text]), z.array(z.string())]);

/** Keys of issues as they stand, or those that the seed files give for a condition. */
const keySource = z.union([z.array(z.string()), conditionSchema]);

/**
 * Which issues have to be shown. A list: exactly these. `where`: exactly those. `must` and `may`: at least the first
 * and nothing beyond the second, for what words leave open. `any_of`: one of several readings.
 */
const keysSchema = z.union([
  z.array(z.string()),
  z.strictObject({ where: conditionSchema }),
  z.strictObject({ must: keySource, may: keySource }),
  z.strictObject({ any_of: z.array(keySource) }),
]);

/** What has to come of a case. Everything that is named holds; of `one_of` one alternative. */
export interface Expectation {
  keys?: z.infer<typeof keysSchema> | undefined;
  /** How the keys have to be ordered, such as `priority desc`. */
  sorted?: string | undefined;
  /** Only so many, the first of the sorted ones. */
  first?: number | undefined;
  /** A part of them, and none that an earlier turn showed: a further page. */
  fresh?: boolean | undefined;
  /** The row of the last list that has to be shown, 1 for the first. */
  row?: number | undefined;
  /** One of these pages is shown, or stands among the first three of a list. */
  page?: string[] | undefined;
  count?: z.infer<typeof conditionSchema> | number | undefined;
  groups?: { by: GroupField; where: z.infer<typeof conditionSchema> } | undefined;
  /** Texts that have to be seen, all of them. */
  says?: string[] | undefined;
  /** Texts that the reply itself has to have, not only what is opened below it. */
  answers?: string[] | undefined;
  /** Calls that have to be made or, where they change something, proposed. */
  calls?: z.infer<typeof callSchema>[] | undefined;
  /** What a page's text shall be made of the one there is; no other change. */
  edit?: PageEdit | undefined;
  /** No page's text is changed, whatever else is shown, asked or proposed. */
  unedited?: boolean | undefined;
  /** A question for exactly these arguments. */
  asks?: string[] | undefined;
  /** Whose arguments. */
  tool?: string | undefined;
  /** It says that it cannot: no call and no question. */
  refuses?: boolean | undefined;
  /** It answers politely without a call and without a refusal. */
  nothing?: boolean | undefined;
  one_of?: Expectation[] | undefined;
}

const groupField = z.enum(["project", "type", "status", "priority", "assignee", "reporter"]);

export type GroupField = z.infer<typeof groupField>;

const demoExpectation: z.ZodType<Expectation> = z.lazy(() =>
  z
    .strictObject({
      keys: keysSchema.optional(),
      sorted: z
        .string()
        .regex(/^(created|updated|due|priority|key|status) (asc|desc)$/)
        .optional(),
      first: z.int().optional(),
      fresh: z.boolean().optional(),
      row: z.int().optional(),
      page: listOrOne.optional(),
      count: z.union([conditionSchema, z.int()]).optional(),
      groups: z.strictObject({ by: groupField, where: conditionSchema }).optional(),
      says: listOrOne.optional(),
      answers: listOrOne.optional(),
      proposes: z.array(callSchema).optional(),
      edit: z
        .strictObject({ page: z.coerce.string(), gone: z.array(z.string()), come: z.array(z.string()) })
        .optional(),
      unedited: z.boolean().optional(),
      asks: listOrOne.optional(),
      tool: z.string().optional(),
      refuses: z.boolean().optional(),
      nothing: z.boolean().optional(),
      one_of: z.array(demoExpectation).optional(),
    })
    .transform(({ proposes, ...rest }) => ({ ...rest, calls: proposes })),
);

const catalogueExpectation: z.ZodType<Expectation> = z.lazy(() =>
  z
    .strictObject({
      call: callSchema.optional(),
      calls: z.array(callSchema).optional(),
      asks: listOrOne.optional(),
      tool: z.string().optional(),
      refuses: z.boolean().optional(),
      one_of: z.array(catalogueExpectation).optional(),
    })
    .refine(
      (one) => ["call", "calls", "asks", "refuses", "one_of"].filter((name) => name in one).length === 1,
      "expected exactly one of call, calls, asks, refuses, one_of",
    )
    .transform(({ call, calls, ...rest }) => ({ ...rest, calls: call === undefined ? calls : [call] })),
);

const common = {
  class: z.string(),
  say: z.string().optional(),
  turns: z.array(z.string()).optional(),
  as: z.string().default("ana"),
  /** Changes that earlier turns propose are wanted. */
  changes_before: z.boolean().default(false),
  note: z.string().optional(),
};

const toolSchema = z.looseObject({
  name: z.string(),
  description: z.string().optional(),
  inputSchema: z.looseObject({ properties: z.record(z.string(), z.unknown()).optional() }),
  outputSchema: z.looseObject({}).optional(),
  annotations: z.looseObject({ readOnlyHint: z.boolean().optional() }).optional(),
});

export type CatalogueTool = z.infer<typeof toolSchema>;

const answersSchema = z.record(z.string(), z.unknown());

const demoFile = z.strictObject({
  cases: z.array(z.strictObject({ ...common, expect: demoExpectation })),
});

const catalogueFile = z.strictObject({
  catalogues: z.array(z.string()).optional(),
  answers: answersSchema.default({}),
  cases: z.array(
    z.strictObject({
      ...common,
      expect: catalogueExpectation,
      answers: answersSchema.default({}),
      tools: z.array(toolSchema).optional(),
    }),
  ),
});

const listSchema = z.strictObject({
  server: z.string(),
  source: z.string(),
  tools: z.array(toolSchema),
  reads: z.array(z.string()).default([]),
});

/** The tools of one server; `reads` are those that only read although the list does not say so. */
export type Catalogue = z.infer<typeof listSchema>;

/** What people say, in one session, and what has to come of the last turn. */
export interface Case {
  id: string;
  class: string;
  turns: string[];
  as: string;
  expect: Expectation;
  changesBefore: boolean;
}

/** A case on servers that are made up of tool lists. */
export interface CatalogueCase extends Case {
  catalogues: Catalogue[];
  /** Structured content by tool. */
  answers: Record<string, unknown>;
}

export function readDemoCases(file: string): Case[] {
  const { cases } = readFile(file, demoFile);
  return cases.map((one, at) => toCase(one, file, at));
}

/** Throws an error that names the file, and the case where one names a tool or an argument that there is not. */
export function readCatalogueCases(file: string, readList: (name: string) => Catalogue): CatalogueCase[] {
  const { cases, catalogues = [], answers } = readFile(file, catalogueFile);
  const lists = catalogues.map(readList);
  return cases.map((one, at) => {
    const base = toCase(one, file, at);
    const own =
      one.tools === undefined ? lists : [{ server: `f${at}`, source: file, tools: one.tools, reads: [] }];
    if (own.length === 0)
      throw new Error(`${base.id}: expected "catalogues" in the file or "tools" in the case`);
    checkCalls(base.expect, own, base.id);
    return { ...base, catalogues: own, answers: { ...answers, ...one.answers } };
  });
}

export function readCatalogue(file: string): Catalogue {
  return check(file, JSON.parse(readFileSync(file, "utf8")), listSchema);
}

type RawCase = z.infer<typeof demoFile>["cases"][number];

function toCase(one: RawCase, file: string, at: number): Case {
  const name = file.replace(/^.*\//, "").replace(/\.ya?ml$/, "");
  const turns = one.turns ?? (one.say === undefined ? [] : [one.say]);
  const id = `${name}:${at + 1}`;
  if (turns.length === 0) throw new Error(`${id}: expected "say" or "turns"`);
  return { id, class: one.class, turns, as: one.as, expect: one.expect, changesBefore: one.changes_before };
}

function checkCalls(expect: Expectation, catalogues: Catalogue[], id: string): void {
  for (const alternative of expect.one_of ?? []) checkCalls(alternative, catalogues, id);
  for (const { server, tool, args: wanted } of expect.calls ?? []) {
    const homes = catalogues.filter((list) => server === undefined || list.server === server);
    const found = homes.flatMap((list) => list.tools).find(({ name }) => name === tool);
    if (found === undefined)
      throw new Error(`${id}: no tool "${tool}" in ${homes.map((one) => one.server).join(", ")}`);
    const known = found.inputSchema.properties ?? {};
    const stray = Object.keys(wanted).find((name) => !(name in known));
    if (stray !== undefined)
      throw new Error(`${id}: ${tool} has no argument "${stray}", only ${Object.keys(known).join(", ")}`);
  }
}

function readFile<Schema extends z.ZodType>(file: string, schema: Schema): z.infer<Schema> {
  return check(file, parse(readFileSync(file, "utf8")), schema);
}

function check<Schema extends z.ZodType>(file: string, data: unknown, schema: Schema): z.infer<Schema> {
  const checked = schema.safeParse(data);
  if (!checked.success) throw new Error(`${file}: ${z.prettifyError(checked.error)}`);
  return checked.data;
}
