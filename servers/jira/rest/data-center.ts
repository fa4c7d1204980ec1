import { z } from "zod";

import { ToolFailure } from "#servers/kit/failure.ts";
import type { Rest } from "#servers/kit/rest.ts";

import type { CallContext } from "../backend.ts";
import { foldName } from "../names.ts";
import { toWiki } from "../wiki-from-markdown.ts";
import { fromWiki } from "../wiki-to-markdown.ts";
import type { Dialect } from "./dialect.ts";
import { read } from "./read.ts";

const api = "/rest/api/2";

const pageSchema = z.object({ issues: z.array(z.unknown()), startAt: z.number(), total: z.number() });

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
  let known: EpicFields | undefined;

  async function epicFields({ signal }: CallContext): Promise<EpicFields> {
    if (known !== undefined) return known;
    const fields = read(fieldListSchema, await rest.get(`${api}/field`, { signal }), "the list of fields");
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
      const page = read(pageSchema, await rest.get(`${api}/search`, { query, signal }), "a search");
      const end = page.startAt + page.issues.length;
      const more = end < page.total && page.issues.length > 0;
      return { issues: page.issues, next: more ? end : undefined, total: page.total };
    },
    // Every page says its total.
    count: async () => undefined,
    async projects({ signal }) {
      return read(
        z.array(z.unknown()),
        await rest.get(`${api}/project`, { query: { expand: "lead" }, signal }),
        "the projects",
      );
    },
    async priorities({ signal }) {
      return read(z.array(z.unknown()), await rest.get(`${api}/priority`, { signal }), "the priorities");
    },
    users(text, project, { signal }) {
      const path = project === undefined ? `${api}/user/search` : `${api}/user/assignable/search`;
      return rest.get(path, { query: { username: text, project, maxResults: 50 }, signal });
    },
    async epicOf(issue, call) {
      const { link } = await epicFields(call);
      const key = link === undefined ? undefined : issue.fields[link];
      if (typeof key !== "string" || key === "") return null;
      const answer = await rest
        .get(`${api}/issue/${encodeURIComponent(key)}`, { query: { fields: "summary" }, signal: call.signal })
        // An epic the account may not see is still this issue's epic.
        .catch((error: unknown) => {
          if (error instanceof ToolFailure && error.code === "not_found") return {};
          throw error;
        });
      const epic = z.object({ fields: z.object({ summary: z.string() }) }).safeParse(answer);
      return { key, summary: epic.data?.fields.summary ?? "" };
    },
    childrenJql: (epicKey) => `"Epic Link" = ${epicKey} ORDER BY created ASC`,
    async epicBody(epicKey, call) {
      const { link } = await epicFields(call);
      if (link === undefined)
        throw new ToolFailure(
          "no_epics",
          "this Jira has no epic links: Jira Software is not installed there",
        );
      return { fields: { [link]: epicKey } };
    },
    async creationFields({ type, summary }, call) {
      if (foldName(type ?? "") !== "epic") return {};
      const { name } = await epicFields(call);
      return name === undefined ? {} : { [name]: summary };
    },
  };
}
