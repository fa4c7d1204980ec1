import { z } from "zod";

import { toAdf } from "#servers/kit/adf-from-markdown.ts";
import { fromAdf } from "#servers/kit/adf-to-markdown.ts";
import { foldName } from "#servers/kit/names.ts";
import type { Rest } from "#servers/kit/rest.ts";
import { ToolFailure } from "#servers/kit/tool.ts";

import type { CallContext, IssueFields, Position } from "../backend.ts";
import { fromWiki, toWiki } from "../wiki-markup.ts";
import { parseAnswer } from "./read.ts";

interface Page {
  issues: unknown[];
  next: Position | undefined;
  /** Undefined where the service does not say. */
  total: number | undefined;
}

interface EpicRef {
  key: string;
  /** null where it has to be asked for. */
  summary: string | null;
}

/** What differs between Cloud (v3) and Data Center (v2). */
export interface Dialect {
  /** The root of the API: "/rest/api/3". */
  readonly api: string;
  /** A JQL restriction that every issue meets, where a query needs one. */
  readonly everything: string;
  /** Further fields an issue is asked for. */
  extraFields?(call: CallContext): Promise<string[]>;
  toMarkdown(body: unknown): string;
  fromMarkdown(markdown: string): unknown;
  /** How a person is named in a request body; null for nobody. */
  userRef(id: string | null): Record<string, string | null>;
  /** The issues of a page have only these fields. */
  page(
    jql: string,
    at: Position | undefined,
    limit: number,
    fields: readonly string[],
    call: CallContext,
  ): Promise<Page>;
  /** How many issues a restriction finds. */
  count(where: string, call: CallContext): Promise<number>;
  projects(call: CallContext): Promise<unknown>;
  priorities(call: CallContext): Promise<unknown>;
  /** Users that fit a text; in a project those who can be assigned there. An empty text fits all. */
  users(text: string, project: string | undefined, call: CallContext): Promise<unknown>;
  /** The epic an issue with these fields belongs to; its summary where the fields have it. */
  epicOf(fields: Record<string, unknown>, call: CallContext): Promise<EpicRef | null>;
  /** The field of JQL that holds an issue's epic. */
  readonly epicField: string;
  /** The part of a request body that moves an issue to an epic, or to none. */
  epicBody(epicKey: string | null, call: CallContext): Promise<{ fields?: object; update?: object }>;
  /** Fields a new issue needs beyond those that were given. */
  creationFields?(fields: IssueFields, call: CallContext): Promise<object>;
}

const cloudPageSchema = z.object({
  issues: z.array(z.unknown()),
  nextPageToken: z.string().nullish(),
  isLast: z.boolean().nullish(),
});

const listSchema = z.object({ values: z.array(z.unknown()), isLast: z.boolean().nullish() });

const parentSchema = z
  .object({
    key: z.string(),
    fields: z
      .object({
        summary: z.string().nullish(),
        issuetype: z.object({ name: z.string(), hierarchyLevel: z.number().nullish() }).nullish(),
      })
      .nullish(),
  })
  .nullish();

/** An account id: 24 hexadecimal digits, or digits, a colon and a UUID. */
const accountId = /^(?:[0-9a-f]{24}|\d+:[0-9a-f-]{36})$/i;

/** Jira Cloud, REST API v3. */
export function createCloudDialect(rest: Rest): Dialect {
  const api = "/rest/api/3";

  /** All values of a paged list. */
  async function all(path: string, query: Record<string, string>, signal: AbortSignal): Promise<unknown[]> {
    const values: unknown[] = [];
    for (;;) {
      const paged = { ...query, startAt: values.length, maxResults: 50 };
      const page = parseAnswer(listSchema, await rest.get(path, { query: paged, signal }), path);
      values.push(...page.values);
      if (page.isLast !== false || page.values.length === 0) return values;
    }
  }

  return {
    api,
    // search/jql refuses a query without a restriction.
    everything: 'created >= "1970-01-01"',
    toMarkdown: fromAdf,
    fromMarkdown: toAdf,
    userRef: (id) => ({ accountId: id }),
    async page(jql, at, limit, fields, { signal }) {
      const query = {
        jql,
        maxResults: limit,
        fields: fields.join(","),
        nextPageToken: typeof at === "string" ? at : undefined,
      };
      const answer = await rest.get(`${api}/search/jql`, { query, signal });
      const page = parseAnswer(cloudPageSchema, answer, "a search");
      const last = page.isLast === true || !page.nextPageToken;
      const whole = last && at === undefined;
      return {
        issues: page.issues,
        next: last ? undefined : (page.nextPageToken ?? undefined),
        total: whole ? page.issues.length : undefined,
      };
    },
    async count(where, { signal }) {
      const answer = await rest.post(`${api}/search/approximate-count`, { jql: where }, { signal });
      return parseAnswer(z.object({ count: z.number() }), answer, "a count").count;
    },
    projects: ({ signal }) => all(`${api}/project/search`, { expand: "lead,insight" }, signal),
    priorities: ({ signal }) => all(`${api}/priority/search`, {}, signal),
    users(text, project, { signal }) {
      const wanted = accountId.test(text) ? { accountId: text } : { query: text };
      const path = project === undefined ? `${api}/user/search` : `${api}/user/assignable/search`;
      return rest.get(path, { query: { ...wanted, project, maxResults: 50 }, signal });
    },
    async epicOf(fields) {
      const parent = parseAnswer(parentSchema, fields["parent"], "the parent of an issue");
      const type = parent?.fields?.issuetype;
      // The parent of a subtask is no epic. Level 1 is the epic level, whatever it is called.
      const level = type?.hierarchyLevel ?? (type?.name === "Epic" ? 1 : undefined);
      return parent && level === 1 ? { key: parent.key, summary: parent.fields?.summary ?? "" } : null;
    },
    epicField: "parent",
    async epicBody(epicKey) {
      return epicKey === null
        ? { update: { parent: [{ set: { none: true } }] } }
        : { fields: { parent: { key: epicKey } } };
    },
  };
}

const dataCenterPageSchema = z.object({
  issues: z.array(z.unknown()),
  startAt: z.number(),
  total: z.number(),
});

const fieldListSchema = z.array(
  z.object({ id: z.string(), schema: z.object({ custom: z.string().nullish() }).nullish() }),
);

interface EpicFields {
  /** On an issue: the key of its epic. */
  link: string | undefined;
  /** On an epic: its short name, which Jira demands. */
  name: string | undefined;
}

/** Jira Data Center, REST API v2. Epics are custom fields there, whose ids differ from site to site. */
export function createDataCenterDialect(rest: Rest): Dialect {
  const api = "/rest/api/2";
  let known: EpicFields | undefined;

  async function epicFields({ signal }: CallContext): Promise<EpicFields> {
    if (known !== undefined) return known;
    const answer = await rest.get(`${api}/field`, { signal });
    const fields = parseAnswer(fieldListSchema, answer, "the list of fields");
    const idOf = (kind: string): string | undefined =>
      fields.find((field) => field.schema?.custom === `com.pyxis.greenhopper.jira:${kind}`)?.id;
    known = { link: idOf("gh-epic-link"), name: idOf("gh-epic-label") };
    return known;
  }

  return {
    api,
    everything: "",
    async extraFields(call) {
      const { link } = await epicFields(call);
      return link === undefined ? [] : [link];
    },
    toMarkdown: (body) => (typeof body === "string" ? fromWiki(body) : ""),
    fromMarkdown: toWiki,
    userRef: (id) => ({ name: id }),
    async page(jql, at, limit, fields, { signal }) {
      const query = {
        jql,
        startAt: typeof at === "number" ? at : 0,
        maxResults: limit,
        fields: fields.join(","),
      };
      const answer = await rest.get(`${api}/search`, { query, signal });
      const page = parseAnswer(dataCenterPageSchema, answer, "a search");
      const end = page.startAt + page.issues.length;
      const more = end < page.total && page.issues.length > 0;
      return { issues: page.issues, next: more ? end : undefined, total: page.total };
    },
    async count(where, { signal }) {
      const answer = await rest.get(`${api}/search`, { query: { jql: where, maxResults: 0 }, signal });
      return parseAnswer(dataCenterPageSchema, answer, "a count").total;
    },
    projects: ({ signal }) => rest.get(`${api}/project`, { query: { expand: "lead" }, signal }),
    priorities: ({ signal }) => rest.get(`${api}/priority`, { signal }),
    users(text, project, { signal }) {
      const path = project === undefined ? `${api}/user/search` : `${api}/user/assignable/search`;
      return rest.get(path, { query: { username: text, project, maxResults: 50 }, signal });
    },
    async epicOf(fields, call) {
      const { link } = await epicFields(call);
      const key = link === undefined ? undefined : fields[link];
      return typeof key === "string" && key !== "" ? { key, summary: null } : null;
    },
    epicField: '"Epic Link"',
    async epicBody(epicKey, call) {
      const { link } = await epicFields(call);
      if (link !== undefined) return { fields: { [link]: epicKey } };
      throw new ToolFailure("no_epics", "this Jira has no epic links: Jira Software is not installed there");
    },
    async creationFields({ type, summary }, call) {
      if (foldName(type ?? "") !== "epic") return {};
      const { name } = await epicFields(call);
      return name === undefined ? {} : { [name]: summary };
    },
  };
}
