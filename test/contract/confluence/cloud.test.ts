import nock from "nock";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openCloudWiki } from "#servers/confluence/cloud.ts";
import type { Wiki } from "#servers/confluence/wiki.ts";
import { beginService, endService } from "./service.ts";

/**
 * Answers in the shapes documented for Confluence Cloud.
 * https://developer.atlassian.com/cloud/confluence/rest/v2/ and, for the search,
 * https://developer.atlassian.com/cloud/confluence/rest/v1/api-group-search/
 */
const SITE = "https://acme.atlassian.net";
const ANA = "5b10ac8d82e05b22cc7d4ef5";
const BEN = "712020:0a1b2c3d";
const AUTH = `Basic ${Buffer.from("ana@acme.example:secret").toString("base64")}`;

let api: nock.Scope;
let wiki: Wiki;

beforeEach(() => {
  beginService();
  api = nock(SITE, { reqheaders: { authorization: AUTH } });
  wiki = openCloudWiki({ url: SITE, email: "ana@acme.example", apiToken: "secret" });
});

afterEach(endService);

const adf = (text: string): string =>
  JSON.stringify({
    type: "doc",
    version: 1,
    content: [{ type: "paragraph", content: [{ type: "text", text }] }],
  });

const bodyOf = (text: string): object => ({
  atlas_doc_format: { representation: "atlas_doc_format", value: adf(text) },
});

const space = {
  id: "98306",
  key: "ENG",
  name: "Engineering",
  type: "global",
  status: "current",
  authorId: ANA,
  createdAt: "2024-01-01T00:00:00.000Z",
  homepageId: "98400",
  description: { plain: { representation: "plain", value: "How we build" } },
  _links: { webui: "/spaces/ENG" },
};

const page = (number: number, changes: object = {}): object => ({
  id: "1001",
  status: "current",
  title: "Deploying",
  spaceId: "98306",
  parentId: "98400",
  parentType: "page",
  position: 12,
  authorId: ANA,
  ownerId: ANA,
  lastOwnerId: null,
  createdAt: "2026-01-05T10:00:00.000Z",
  version: { createdAt: "2026-02-06T11:30:00.000Z", message: "", number, minorEdit: false, authorId: BEN },
  body: bodyOf("Merge and press the button."),
  labels: { results: [{ id: "1", name: "deploy", prefix: "global" }], meta: { hasMore: false }, _links: {} },
  _links: {
    webui: "/spaces/ENG/pages/1001/Deploying",
    editui: "/pages/resumedraft.action?draftId=1001",
    tinyui: "/x/AbC",
    base: `${SITE}/wiki`,
  },
  ...changes,
});

const READ = { "body-format": "atlas_doc_format", "include-labels": "true" };

const users = {
  results: [
    { displayName: "Ana Lindqvist", accountId: ANA, publicName: "Ana", accountStatus: "active" },
    { displayName: "Ben Okafor", accountId: BEN, publicName: "Ben", accountStatus: "active" },
  ],
};

describe("get_page", () => {
  it("[view.confluence] gathers page, space, names, parent, children and all comments", async () => {
    api.get("/wiki/api/v2/pages/1001").query(READ).reply(200, page(3));
    api.get("/wiki/api/v2/spaces/98306").reply(200, space);
    api.get("/wiki/api/v2/pages/98400").reply(200, page(1, { id: "98400", title: "Home" }));
    api
      .get("/wiki/api/v2/pages/1001/direct-children")
      .query({ limit: 100 })
      .reply(200, {
        results: [
          {
            id: "1002",
            status: "current",
            title: "Rollback",
            type: "page",
            spaceId: "98306",
            childPosition: 1,
          },
          {
            id: "1003",
            status: "current",
            title: "A board",
            type: "whiteboard",
            spaceId: "98306",
            childPosition: 2,
          },
        ],
        _links: { base: `${SITE}/wiki` },
      });
    const comment = (id: string, text: string): object => ({
      id,
      status: "current",
      title: "Re: Deploying",
      pageId: "1001",
      version: {
        createdAt: "2026-02-07T08:00:00.000Z",
        message: "",
        number: 1,
        minorEdit: false,
        authorId: ANA,
      },
      body: bodyOf(text),
      _links: { webui: `/spaces/ENG/pages/1001?focusedCommentId=${id}` },
    });
    api
      .get("/wiki/api/v2/pages/1001/footer-comments")
      .query({ limit: 100, "body-format": "atlas_doc_format" })
      .reply(200, {
        results: [comment("1", "First")],
        _links: {
          next: "/wiki/api/v2/pages/1001/footer-comments?limit=100&body-format=atlas_doc_format&cursor=eyJpZCI6IjEifQ==",
        },
      });
    api
      .get("/wiki/api/v2/pages/1001/footer-comments")
      .query({ limit: 100, "body-format": "atlas_doc_format", cursor: "eyJpZCI6IjEifQ==" })
      .reply(200, { results: [comment("2", "Second")], _links: {} });
    api.post("/wiki/api/v2/users-bulk", { accountIds: [ANA, BEN] }).reply(200, users);

    expect(await wiki.page("1001")).toEqual({
      id: "1001",
      title: "Deploying",
      space: { key: "ENG", name: "Engineering" },
      updated: "2026-02-06T11:30:00.000Z",
      updated_by: { id: BEN, name: "Ben Okafor" },
      url: `${SITE}/wiki/spaces/ENG/pages/1001/Deploying`,
      excerpt: "Merge and press the button.",
      version: 3,
      created: "2026-01-05T10:00:00.000Z",
      created_by: { id: ANA, name: "Ana Lindqvist" },
      parent: { id: "98400", title: "Home" },
      children: [{ id: "1002", title: "Rollback", url: `${SITE}/wiki/spaces/ENG/pages/1002` }],
      labels: ["deploy"],
      body: "Merge and press the button.",
      comments: [
        {
          id: "1",
          author: { id: ANA, name: "Ana Lindqvist" },
          created: "2026-02-07T08:00:00.000Z",
          body: "First",
        },
        {
          id: "2",
          author: { id: ANA, name: "Ana Lindqvist" },
          created: "2026-02-07T08:00:00.000Z",
          body: "Second",
        },
      ],
    });
  });

  it("shows ids where the account may not look up people", async () => {
    api
      .get("/wiki/api/v2/pages/1001")
      .query(READ)
      .reply(200, page(3, { parentId: null, parentType: null }));
    api.get("/wiki/api/v2/spaces/98306").reply(200, space);
    api.get("/wiki/api/v2/pages/1001/direct-children").query(true).reply(200, { results: [], _links: {} });
    api.get("/wiki/api/v2/pages/1001/footer-comments").query(true).reply(200, { results: [], _links: {} });
    api
      .post("/wiki/api/v2/users-bulk")
      .reply(403, { errors: [{ status: 403, code: "FORBIDDEN", title: "Forbidden", detail: null }] });
    expect(await wiki.page("1001")).toMatchObject({ updated_by: { id: BEN, name: BEN }, parent: null });
  });

  it("says how to find pages when there is none", async () => {
    api
      .get("/wiki/api/v2/pages/1234")
      .query(true)
      .reply(404, { errors: [{ status: 404, code: "NOT_FOUND", title: "Not Found", detail: null }] });
    await expect(wiki.page("1234")).rejects.toMatchObject({
      code: "page_not_found",
      message: expect.stringMatching(/"1234".*[Ss]earch the wiki/u) as string,
    });
  });

  it.each(["deploy", "..", "1001/versions"])("asks for nothing when an id is none: %s", async (id) => {
    await expect(wiki.page(id)).rejects.toMatchObject({ code: "page_not_found" });
  });

  it("says that the credentials are wrong", async () => {
    api.get("/wiki/api/v2/pages/1001").query(true).reply(401, { code: 401, message: "Unauthorized" });
    await expect(wiki.page("1001")).rejects.toMatchObject({ code: "unauthorized" });
  });

  it("names what is missing in an answer of another shape", async () => {
    api.get("/wiki/api/v2/pages/1001").query(true).reply(200, { id: "1001", title: "x" });
    await expect(wiki.page("1001")).rejects.toMatchObject({
      code: "invalid_answer",
      message: expect.stringContaining("spaceId") as string,
    });
  });
});

describe("search_confluence", () => {
  const hit = (id: string): object => ({
    content: {
      id,
      type: "page",
      status: "current",
      title: "Deploying",
      space: { id: 98306, key: "ENG", name: "Engineering", type: "global" },
      version: {
        by: { type: "known", accountId: BEN, displayName: "Ben Okafor" },
        when: "2026-02-06T11:30:00.000Z",
        number: 3,
      },
      _links: { webui: `/spaces/ENG/pages/${id}/Deploying` },
    },
    title: "@@@hl@@@Deploying@@@endhl@@@",
    excerpt: "How we @@@hl@@@deploy@@@endhl@@@ &amp; roll back",
    url: `/spaces/ENG/pages/${id}/Deploying`,
    resultGlobalContainer: { title: "Engineering", displayUrl: "/spaces/ENG" },
    breadcrumbs: [],
    entityType: "content",
    iconCssClass: "aui-icon content-type-page",
    lastModified: "2026-02-06T11:30:00.000Z",
    friendlyLastModified: "Feb 06, 2026",
    score: 0,
  });
  const links = { base: `${SITE}/wiki`, context: "/wiki" };

  it("[view.confluence] asks in CQL, goes on from the cursor and cleans the excerpt", async () => {
    const cql = String.raw`type = page AND siteSearch ~ "deploy \"now\" \\" AND space = "ENG"`;
    const query = { cql, limit: 1, excerpt: "highlight", expand: "content.space,content.version" };
    const spaces = { keys: "ENG", "description-format": "plain", limit: 100 };
    api
      .get("/wiki/api/v2/spaces")
      .query(spaces)
      .twice()
      .reply(200, { results: [space], _links: {} });
    api
      .get("/wiki/rest/api/search")
      .query(query)
      .reply(200, {
        results: [hit("1001")],
        start: 0,
        limit: 1,
        size: 1,
        totalSize: 2,
        cqlQuery: cql,
        searchDuration: 41,
        _links: {
          ...links,
          next: "/rest/api/search?next=true&cursor=_f_MQ%3D%3D_sa_WyJc&expand=content.space&limit=1&start=1&cql=whatever",
        },
      });
    api
      .get("/wiki/rest/api/search")
      .query({ ...query, next: "true", cursor: "_f_MQ==_sa_WyJc", start: "1" })
      .reply(200, {
        results: [hit("1002")],
        start: 1,
        limit: 1,
        size: 1,
        totalSize: 2,
        cqlQuery: cql,
        searchDuration: 12,
        _links: links,
      });

    const request = { query: String.raw`deploy "now" \ `.trim(), space: "ENG", limit: 1 };
    const first = await wiki.search(request);
    expect(first).toMatchObject({
      total: 2,
      results: [
        {
          id: "1001",
          title: "Deploying",
          space: { key: "ENG", name: "Engineering" },
          updated: "2026-02-06T11:30:00.000Z",
          updated_by: { id: BEN, name: "Ben Okafor" },
          url: `${SITE}/wiki/spaces/ENG/pages/1001/Deploying`,
          excerpt: "How we deploy & roll back",
        },
      ],
    });
    const second = await wiki.search({ ...request, cursor: first.next_cursor ?? "" });
    expect(second).toMatchObject({ results: [{ id: "1002" }], next_cursor: null });
  });

  it("finds a space by its name and names those that exist otherwise", async () => {
    const all = { status: "current", "description-format": "plain", limit: 250 };
    api
      .get("/wiki/api/v2/spaces")
      .query(all)
      .reply(200, { results: [space], _links: {} });
    await expect(wiki.search({ query: "x", space: "Sales team", limit: 1 })).rejects.toMatchObject({
      code: "space_not_found",
      message: expect.stringContaining('ENG "Engineering"') as string,
    });
  });

  it("asks in older words where siteSearch is not known", async () => {
    const refused = { statusCode: 400, message: "No field exists with name: siteSearch" };
    const asks = (field: string) => (query: { cql?: unknown }) =>
      query.cql === `type = page AND ${field} ~ "x"`;
    api.get("/wiki/rest/api/search").query(asks("siteSearch")).reply(400, refused);
    api
      .get("/wiki/rest/api/search")
      .query(asks("text"))
      .reply(200, { results: [hit("1001")], totalSize: 1, _links: links });
    expect(await wiki.search({ query: "x", limit: 1 })).toMatchObject({ results: [{ id: "1001" }] });
  });

  const searchesFor = (cql: string): void => {
    api
      .get("/wiki/rest/api/search")
      .query((query) => query["cql"] === cql)
      .reply(200, { results: [hit("1001")], totalSize: 1, _links: links });
  };

  it("composes every condition, with the account of the author", async () => {
    api
      .get("/wiki/rest/api/search/user")
      .query({ cql: 'user.fullname ~ "Ben"', limit: 25 })
      .reply(200, {
        results: [
          { user: { type: "known", accountId: ANA, displayName: "Benita Ruiz" }, title: "Benita Ruiz" },
          { user: { type: "known", accountId: BEN, displayName: "Ben" }, title: "Ben" },
        ],
      });
    searchesFor(
      'type = page AND siteSearch ~ "rollback" AND (title = "ADR 1: deploy" OR title ~ "ADR 1 deploy") AND ' +
        `creator = "${BEN}" AND created >= "2026-11-01" AND lastmodified >= "2026-11-15" order by lastmodified desc`,
    );
    const found = await wiki.search({
      query: "rollback",
      title: "ADR 1: deploy",
      author: "Ben",
      created_after: "2026-11-01",
      updated_after: "2026-11-15",
      order_by: "updated",
      limit: 5,
    });
    expect(found).toMatchObject({ results: [{ id: "1001" }], total: 1 });
  });

  it.each([
    [{ order_by: "created" }, "type = page order by created desc"],
    [{ order_by: "title", order: "desc" }, "type = page order by title desc"],
    [{}, "type = page order by lastmodified desc"],
    [{ title: "?" }, 'type = page AND title = "?"'],
    [{ author: "me" }, "type = page AND creator = currentUser() order by lastmodified desc"],
    [{ author: BEN }, `type = page AND creator = "${BEN}" order by lastmodified desc`],
  ] as const)("asks for %j in CQL", async (filter, cql) => {
    searchesFor(cql);
    expect((await wiki.search({ ...filter, limit: 5 })).results).toHaveLength(1);
  });

  it("names the people who fit when an author is not clear, and asks once where there are no words", async () => {
    api
      .get("/wiki/rest/api/search/user")
      .query(true)
      .reply(200, {
        results: [ANA, BEN].map((accountId) => ({ user: { accountId, displayName: `Sam ${accountId}` } })),
      });
    await expect(wiki.search({ author: "sam", limit: 1 })).rejects.toMatchObject({
      code: "ambiguous_user",
      message: expect.stringContaining(`Sam ${BEN} (${BEN})`) as string,
    });
    api.get("/wiki/rest/api/search").query(true).reply(400, { message: "Could not parse cql" });
    await expect(wiki.search({ created_after: "2026-11-01", limit: 1 })).rejects.toMatchObject({
      code: "bad_request",
    });
  });

  it("hands on what Confluence says about a query it cannot read", async () => {
    api
      .get("/wiki/rest/api/search")
      .query(true)
      .twice()
      .reply(400, {
        statusCode: 400,
        data: { authorized: true, valid: true, errors: [], successful: true },
        message: "Could not parse cql : x",
      });
    await expect(wiki.search({ query: "x", limit: 1 })).rejects.toMatchObject({
      code: "bad_request",
      message: expect.stringContaining("Could not parse cql") as string,
    });
  });
});

describe("list_spaces", () => {
  it("reads all pages of the list", async () => {
    const query = { status: "current", "description-format": "plain", limit: 250 };
    api
      .get("/wiki/api/v2/spaces")
      .query(query)
      .reply(200, {
        results: [space],
        _links: { next: "/wiki/api/v2/spaces?cursor=abc&limit=250", base: `${SITE}/wiki` },
      });
    api
      .get("/wiki/api/v2/spaces")
      .query({ ...query, cursor: "abc" })
      .reply(200, {
        results: [
          { ...space, id: "2", key: "OPS", name: "Ops", description: null, _links: { webui: "/spaces/OPS" } },
        ],
        _links: {},
      });
    expect(await wiki.spaces()).toEqual([
      {
        key: "ENG",
        name: "Engineering",
        description: "How we build",
        pages: null,
        url: `${SITE}/wiki/spaces/ENG`,
      },
      { key: "OPS", name: "Ops", description: "", pages: null, url: `${SITE}/wiki/spaces/OPS` },
    ]);
  });
});

describe("create_page", () => {
  const draft = { space: "ENG", title: "Kiln", body: "**hot**", parent_id: "1001" };
  const spaceByKey = (): void => {
    api
      .get("/wiki/api/v2/spaces")
      .query({ keys: "ENG", "description-format": "plain", limit: 100 })
      .reply(200, { results: [space], _links: {} });
  };
  const byTitle = { "space-id": "98306", title: "Kiln", status: "current", limit: 100 };

  it("checks space, title and parent, and sends the document as text", async () => {
    spaceByKey();
    api.get("/wiki/api/v2/pages").query(byTitle).reply(200, { results: [], _links: {} });
    api.get("/wiki/api/v2/pages/1001").query(READ).reply(200, page(3));
    const prepared = await wiki.prepare(draft);
    expect(prepared.parent).toEqual({ id: "1001", title: "Deploying" });

    const document = {
      type: "doc",
      version: 1,
      content: [{ type: "paragraph", content: [{ type: "text", text: "hot", marks: [{ type: "strong" }] }] }],
    };
    spaceByKey();
    api
      .post("/wiki/api/v2/pages", {
        spaceId: "98306",
        status: "current",
        title: "Kiln",
        parentId: "1001",
        body: { representation: "atlas_doc_format", value: JSON.stringify(document) },
      })
      .reply(
        200,
        page(1, {
          id: "2000",
          title: "Kiln",
          body: {},
          _links: { webui: "/spaces/ENG/pages/2000/Kiln", base: `${SITE}/wiki` },
        }),
      );
    api.post("/wiki/api/v2/users-bulk").reply(200, users);
    expect(await wiki.create(prepared)).toMatchObject({
      id: "2000",
      title: "Kiln",
      excerpt: "hot",
      url: `${SITE}/wiki/spaces/ENG/pages/2000/Kiln`,
    });
  });

  it("names the page that has the title already", async () => {
    spaceByKey();
    api
      .get("/wiki/api/v2/pages")
      .query(byTitle)
      .reply(200, { results: [page(1, { id: "7", title: "Kiln" })], _links: {} });
    await expect(wiki.prepare({ space: "ENG", title: "Kiln", body: "" })).rejects.toMatchObject({
      code: "title_taken",
      message: expect.stringContaining("id 7") as string,
    });
  });
});

describe("update_page", () => {
  it("raises the version and keeps the text untouched when only the title changes", async () => {
    const value = adf("Untouched");
    api
      .get("/wiki/api/v2/pages/1001")
      .query(READ)
      .reply(200, page(3, { body: { atlas_doc_format: { representation: "atlas_doc_format", value } } }));
    api
      .put("/wiki/api/v2/pages/1001", {
        id: "1001",
        status: "current",
        title: "Shipping",
        body: { representation: "atlas_doc_format", value },
        version: { number: 4 },
      })
      .reply(200, page(4, { title: "Shipping", body: {} }));
    api.get("/wiki/api/v2/spaces/98306").reply(200, space);
    api.post("/wiki/api/v2/users-bulk").reply(200, users);
    expect(await wiki.update("1001", { title: "Shipping", version: 3 })).toMatchObject({
      title: "Shipping",
      excerpt: "Untouched",
    });
  });

  it("appends below the text, and what Markdown has no words for stays", async () => {
    const macro = { type: "extension", attrs: { extensionKey: "toc", extensionType: "com.atlassian" } };
    const value = JSON.stringify({ type: "doc", version: 1, content: [macro] });
    api
      .get("/wiki/api/v2/pages/1001")
      .query(READ)
      .reply(200, page(3, { body: { atlas_doc_format: { representation: "atlas_doc_format", value } } }));
    api
      .put("/wiki/api/v2/pages/1001", ({ body }: { body?: { value: string } }) => {
        const { content } = JSON.parse(body?.value ?? '{"content":[]}') as { content: unknown[] };
        if (content.length === 0) return false;
        expect(content[0]).toEqual(macro);
        expect(content[1]).toMatchObject({ type: "paragraph", content: [{ text: "One more line" }] });
        return content.length === 2;
      })
      .reply(200, page(4, { body: {} }));
    api.get("/wiki/api/v2/spaces/98306").reply(200, space);
    api.post("/wiki/api/v2/users-bulk").reply(200, users);
    await wiki.update("1001", { append: "One more line", version: 3 });
    expect(api.isDone()).toBe(true);
  });

  it("puts rows into the last table of as many columns", async () => {
    const cell = (text: string): object => ({
      type: "tableCell",
      attrs: { background: "#eee" },
      content: [{ type: "paragraph", content: [{ type: "text", text }] }],
    });
    const row = (...cells: string[]): object => ({ type: "tableRow", content: cells.map(cell) });
    const table = { type: "table", attrs: { layout: "wide" }, content: [row("Date", "Who")] };
    const after = { type: "paragraph", content: [{ type: "text", text: "All-time standing" }] };
    const value = JSON.stringify({ type: "doc", version: 1, content: [table, after] });
    api
      .get("/wiki/api/v2/pages/1001")
      .query(READ)
      .reply(200, page(3, { body: { atlas_doc_format: { representation: "atlas_doc_format", value } } }));
    api
      .put("/wiki/api/v2/pages/1001", ({ body }: { body?: { value: string } }) => {
        const { content } = JSON.parse(body?.value ?? '{"content":[]}') as { content: unknown[] };
        if (content.length === 0) return false;
        expect(content).toMatchObject([
          {
            attrs: { layout: "wide" },
            content: [
              row("Date", "Who"),
              {
                type: "tableRow",
                content: [
                  { type: "tableCell", content: [{ content: [{ text: "3 July" }] }] },
                  { type: "tableCell", content: [{ content: [{ text: "Farid" }] }] },
                ],
              },
            ],
          },
          after,
        ]);
        return true;
      })
      .reply(200, page(4, { body: {} }));
    api.get("/wiki/api/v2/spaces/98306").reply(200, space);
    api.post("/wiki/api/v2/users-bulk").reply(200, users);
    await wiki.update("1001", { append: "| 3 July | Farid |", version: 3 });
    expect(api.isDone()).toBe(true);
  });

  it("changes one place of the document, and nothing around it", async () => {
    const text = (of: string): object => ({ type: "text", text: of });
    const line = (...content: object[]): object => ({ type: "paragraph", attrs: { localId: "7" }, content });
    const macro = { type: "extension", attrs: { extensionKey: "toc" } };
    const heading = { type: "heading", attrs: { level: 2 }, content: [text("Rules")] };
    const blocks = (first: object, ...more: object[]): object[] => [
      macro,
      heading,
      first,
      ...more,
      { ...heading, content: [text("End")] },
    ];
    const value = JSON.stringify({
      type: "doc",
      version: 1,
      content: blocks(line(text("On the third floor"))),
    });
    const sent: unknown[] = [];
    for (const change of [
      { passage: "third floor", replacement: "second floor" },
      { append: "Be kind", under: "rules" },
    ]) {
      api
        .get("/wiki/api/v2/pages/1001")
        .query(READ)
        .reply(200, page(3, { body: { atlas_doc_format: { representation: "atlas_doc_format", value } } }));
      api
        .put("/wiki/api/v2/pages/1001", ({ body }: { body?: { value: string } }) => {
          const { content } = JSON.parse(body?.value ?? "{}") as { content?: unknown };
          if (content === undefined) return false;
          sent.push(content);
          return true;
        })
        .reply(200, page(4, { body: {} }));
      api.get("/wiki/api/v2/spaces/98306").reply(200, space);
      api.post("/wiki/api/v2/users-bulk").reply(200, users);
      await wiki.update("1001", { ...change, version: 3 });
    }
    const kind = { type: "paragraph", content: [text("Be kind")] };
    expect(sent).toEqual([
      blocks(line(text("On the second floor"))),
      blocks(line(text("On the third floor")), kind),
    ]);
    expect(api.isDone()).toBe(true);
  });

  it("adds nothing to a text that came in another form", async () => {
    const value = "no document";
    api
      .get("/wiki/api/v2/pages/1001")
      .query(READ)
      .reply(200, page(3, { body: { atlas_doc_format: { representation: "atlas_doc_format", value } } }));
    await expect(wiki.update("1001", { append: "x", version: 3 })).rejects.toMatchObject({
      code: "invalid_answer",
    });
  });

  it("never empties a page whose text did not come", async () => {
    api
      .get("/wiki/api/v2/pages/1001")
      .query(READ)
      .reply(200, page(3, { body: {} }));
    await expect(wiki.update("1001", { title: "x", version: 3 })).rejects.toMatchObject({
      code: "invalid_answer",
    });
  });

  it("counts as done when only the names of people cannot be read", async () => {
    api.get("/wiki/api/v2/pages/1001").query(READ).reply(200, page(3));
    api.get("/wiki/api/v2/spaces/98306").reply(200, space);
    api.put("/wiki/api/v2/pages/1001").reply(200, page(4));
    api.post("/wiki/api/v2/users-bulk").reply(500, { message: "oops" });
    expect(await wiki.update("1001", { body: "x", version: 3 })).toMatchObject({
      updated_by: { id: BEN, name: BEN },
    });
  });

  it("refuses an old version without writing", async () => {
    api.get("/wiki/api/v2/pages/1001").query(READ).reply(200, page(5));
    await expect(wiki.update("1001", { body: "x", version: 3 })).rejects.toMatchObject({
      code: "version_conflict",
      message: expect.stringContaining("at version 5 now") as string,
    });
  });

  it("names the new version when somebody else was faster (409)", async () => {
    api.get("/wiki/api/v2/spaces/98306").reply(200, space);
    api.get("/wiki/api/v2/pages/1001").query(READ).reply(200, page(3));
    api.put("/wiki/api/v2/pages/1001").reply(409, {
      errors: [
        {
          status: 409,
          code: "CONFLICT",
          title:
            "Version must be incremented when updating a page. Current Version: [4]. Provided version: [4]",
          detail: null,
        },
      ],
    });
    api.get("/wiki/api/v2/pages/1001").query(READ).reply(200, page(4));
    await expect(wiki.update("1001", { body: "x", version: 3 })).rejects.toMatchObject({
      code: "version_conflict",
      message: expect.stringContaining("at version 4 now") as string,
    });
  });
});

it("add_page_comment posts a footer comment", async () => {
  api.get("/wiki/api/v2/pages/1001").query(READ).reply(200, page(3));
  api
    .post("/wiki/api/v2/footer-comments", {
      pageId: "1001",
      body: { representation: "atlas_doc_format", value: adf("Nice") },
    })
    .reply(201, {
      id: "77",
      status: "current",
      title: "Re: Deploying",
      pageId: "1001",
      version: {
        createdAt: "2026-11-20T10:00:00.000Z",
        message: "",
        number: 1,
        minorEdit: false,
        authorId: ANA,
      },
      body: {},
      _links: { base: `${SITE}/wiki`, webui: "/spaces/ENG/pages/1001/Deploying?focusedCommentId=77" },
    });
  api.post("/wiki/api/v2/users-bulk", { accountIds: [ANA] }).reply(200, users);
  expect(await wiki.comment("1001", "Nice")).toEqual({
    comment: {
      id: "77",
      author: { id: ANA, name: "Ana Lindqvist" },
      created: "2026-11-20T10:00:00.000Z",
      body: "Nice",
    },
    url: `${SITE}/wiki/spaces/ENG/pages/1001/Deploying?focusedCommentId=77`,
  });
});

it("delete_page moves the page to the trash", async () => {
  api.get("/wiki/api/v2/pages/1001").query(READ).reply(200, page(3));
  api.delete("/wiki/api/v2/pages/1001").reply(204);
  await expect(wiki.remove("1001")).resolves.toBeUndefined();
});

it("takes the site's address with /wiki, over plain http as well", async () => {
  const local = nock("http://127.0.0.1:8090", { reqheaders: { authorization: AUTH } });
  local
    .get("/wiki/api/v2/spaces")
    .query(true)
    .reply(200, { results: [space], _links: {} });
  const wikiThere = openCloudWiki({
    url: "http://127.0.0.1:8090/wiki/",
    email: "ana@acme.example",
    apiToken: "secret",
  });
  expect(await wikiThere.spaces()).toMatchObject([{ url: "http://127.0.0.1:8090/wiki/spaces/ENG" }]);
});
