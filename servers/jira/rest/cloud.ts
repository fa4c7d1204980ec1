import { z } from "zod";

import { fromAdf, toAdf } from "#servers/kit/adf.ts";
import type { Rest } from "#servers/kit/rest.ts";

import type { Dialect } from "./dialect.ts";
import { read } from "./read.ts";

const api = "/rest/api/3";

const pageSchema = z.object({
  issues: z.array(z.unknown()),
  nextPageToken: z.string().nullish(),
  isLast: z.boolean().nullish(),
});

const listSchema = z.object({ values: z.array(z.unknown()), isLast: z.boolean().nullish() });

/** An account id: 24 hexadecimal digits, or digits, a colon and a UUID. */
const accountId = /^(?:[0-9a-f]{24}|\d+:[0-9a-f-]{36})$/i;

/** Jira Cloud, REST API v3. */
export function createCloudDialect(rest: Rest): Dialect {
  /** All values of a paged list. */
  async function all(path: string, query: Record<string, string>, signal: AbortSignal): Promise<unknown[]> {
    const values: unknown[] = [];
    for (;;) {
      const answer = await rest.get(path, {
        query: { ...query, startAt: values.length, maxResults: 50 },
        signal,
      });
      const page = read(listSchema, answer, path);
      values.push(...page.values);
      if (page.isLast !== false || page.values.length === 0) return values;
    }
  }

  return {
    api,
    // search/jql refuses a query without a restriction.
    everything: 'created >= "1970-01-01"',
    extraFields: async () => [],
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
      const page = read(pageSchema, await rest.get(`${api}/search/jql`, { query, signal }), "a search");
      const last = page.isLast === true || !page.nextPageToken;
      const whole = last && at === undefined;
      return {
        issues: page.issues,
        next: last ? undefined : (page.nextPageToken ?? undefined),
        total: whole ? page.issues.length : undefined,
      };
    },
    async count(jql, { signal }) {
      const where = jql.replace(/(?<!\s)\s*ORDER BY [^"']*$/i, "");
      const answer = await rest
        .post(`${api}/search/approximate-count`, { jql: where }, { signal })
        .catch(() => undefined);
      return z.object({ count: z.number() }).safeParse(answer).data?.count;
    },
    projects: ({ signal }) => all(`${api}/project/search`, { expand: "lead,insight" }, signal),
    priorities: ({ signal }) => all(`${api}/priority/search`, {}, signal),
    users(text, project, { signal }) {
      const wanted = accountId.test(text) ? { accountId: text } : { query: text };
      const path = project === undefined ? `${api}/user/search` : `${api}/user/assignable/search`;
      return rest.get(path, { query: { ...wanted, project, maxResults: 50 }, signal });
    },
    async epicOf({ fields: { parent } }) {
      const type = parent?.fields?.issuetype;
      // The parent of a subtask is no epic. Level 1 is the epic level, whatever it is called.
      const isEpic =
        type?.hierarchyLevel === undefined || type.hierarchyLevel === null
          ? type?.name === "Epic"
          : type.hierarchyLevel === 1;
      return parent && isEpic ? { key: parent.key, summary: parent.fields?.summary ?? "" } : null;
    },
    childrenJql: (epicKey) => `parent = ${epicKey} ORDER BY created ASC`,
    async epicBody(epicKey) {
      return epicKey === null
        ? { update: { parent: [{ set: { none: true } }] } }
        : { fields: { parent: { key: epicKey } } };
    },
    creationFields: async () => ({}),
  };
}
