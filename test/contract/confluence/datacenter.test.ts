import nock from "nock";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openDataCenterWiki } from "#servers/confluence/data-center.ts";
import type { Wiki } from "#servers/confluence/wiki.ts";
import { beginService, endService } from "./service.ts";

/**
 * Answers in the shapes documented for Confluence Data Center, which may run under a context path.
 * https://developer.atlassian.com/server/confluence/confluence-rest-api-examples/
 */
const SITE = "https://wiki.acme.example";
const BASE = `${SITE}/confluence`;

let api: nock.Scope;
let wiki: Wiki;

beforeEach(() => {
  beginService();
  api = nock(BASE, { reqheaders: { authorization: "Bearer pat-1" } });
  wiki = openDataCenterWiki({ url: `${BASE}/`, token: "pat-1" });
});

afterEach(endService);

const user = (username: string, displayName: string): object => ({
  type: "known",
  username,
  userKey: `key-${username}`,
  displayName,
  profilePicture: { path: "/images/icons/profilepics/default.svg", width: 48, height: 48, isDefault: true },
});

const links = { base: BASE, context: "/confluence", self: `${BASE}/rest/api/content` };

const page = (number: number, changes: object = {}): object => ({
  id: "65601",
  type: "page",
  status: "current",
  title: "Printers",
  space: { id: 32769, key: "OPS", name: "Operations", type: "global" },
  version: {
    by: user("farid", "Farid Haddad"),
    when: "2026-02-06T12:30:00.000+01:00",
    message: "",
    number,
    minorEdit: false,
    hidden: false,
  },
  history: { latest: true, createdBy: user("ana", "Ana Lindqvist"), createdDate: "2026-01-05T10:00:00.000Z" },
  ancestors: [
    { id: "65500", type: "page", title: "Home" },
    { id: "65550", type: "page", title: "Office" },
  ],
  metadata: {
    labels: { results: [{ prefix: "global", name: "printer", id: "1" }], start: 0, limit: 200, size: 1 },
  },
  body: {
    storage: { value: "<h2>Gutenberg</h2><p>Turn it <strong>off</strong>.</p>", representation: "storage" },
  },
  _links: {
    webui: "/display/OPS/Printers",
    edit: "/pages/resumedraft.action?draftId=65601",
    tinyui: "/x/QQAB",
  },
  ...changes,
});

const EXPAND = { expand: "space,version,history,ancestors,metadata.labels,body.storage" };

describe("get_page", () => {
  it("[view.confluence] reads storage format, parent, children and comments over several pages", async () => {
    api.get("/rest/api/content/65601").query(EXPAND).reply(200, page(27));
    api
      .get("/rest/api/content/65601/child/page")
      .query({ limit: 100 })
      .reply(200, {
        results: [
          {
            id: "65602",
            type: "page",
            status: "current",
            title: "Labels",
            _links: { webui: "/display/OPS/Labels" },
          },
        ],
        start: 0,
        limit: 1,
        size: 1,
        _links: { ...links, next: "/rest/api/content/65601/child/page?limit=1&start=1" },
      });
    api
      .get("/rest/api/content/65601/child/page")
      .query({ limit: 1, start: 1 })
      .reply(200, {
        results: [
          {
            id: "65603",
            type: "page",
            status: "current",
            title: "Toner",
            _links: { webui: "/display/OPS/Toner" },
          },
        ],
        start: 1,
        limit: 1,
        size: 1,
        _links: links,
      });
    api
      .get("/rest/api/content/65601/child/comment")
      .query({ limit: 100, location: "footer", expand: "body.storage,version,history" })
      .reply(200, {
        results: [
          {
            id: "70001",
            type: "comment",
            title: "Re: Printers",
            version: { by: user("ben", "Ben Okafor"), when: "2026-02-07T08:00:00.000Z", number: 1 },
            history: { createdBy: user("ben", "Ben Okafor"), createdDate: "2026-02-07T08:00:00.000Z" },
            body: { storage: { value: "<p>It prints <em>smileys</em></p>", representation: "storage" } },
            _links: { webui: "/display/OPS/Printers?focusedCommentId=70001#comment-70001" },
          },
        ],
        start: 0,
        limit: 100,
        size: 1,
        _links: links,
      });
    expect(await wiki.page("65601")).toEqual({
      id: "65601",
      title: "Printers",
      space: { key: "OPS", name: "Operations" },
      updated: "2026-02-06T11:30:00.000Z",
      updated_by: { id: "farid", name: "Farid Haddad" },
      url: `${BASE}/display/OPS/Printers`,
      excerpt: "Gutenberg Turn it off.",
      version: 27,
      created: "2026-01-05T10:00:00.000Z",
      created_by: { id: "ana", name: "Ana Lindqvist" },
      parent: { id: "65550", title: "Office" },
      children: [
        { id: "65602", title: "Labels", url: `${BASE}/display/OPS/Labels` },
        { id: "65603", title: "Toner", url: `${BASE}/display/OPS/Toner` },
      ],
      labels: ["printer"],
      body: "## Gutenberg\n\nTurn it **off**.",
      comments: [
        {
          id: "70001",
          author: { id: "ben", name: "Ben Okafor" },
          created: "2026-02-07T08:00:00.000Z",
          body: "It prints *smileys*",
        },
      ],
    });
  });

  it("says how to find pages when there is none", async () => {
    api
      .get("/rest/api/content/1")
      .query(true)
      .reply(404, {
        statusCode: 404,
        data: { authorized: false, valid: true, errors: [], successful: false },
        message: "No content found with id: ContentId{id=1}",
        reason: "Not Found",
      });
    await expect(wiki.page("1")).rejects.toMatchObject({ code: "page_not_found" });
  });

  it("hands on why a page may not be read", async () => {
    api
      .get("/rest/api/content/1")
      .query(true)
      .reply(403, { statusCode: 403, message: "Not permitted", reason: "Forbidden" });
    await expect(wiki.page("1")).rejects.toMatchObject({
      code: "forbidden",
      message: expect.stringContaining("Not permitted") as string,
    });
  });
});

it("[view.confluence] search_confluence asks in CQL and goes on with an offset", async () => {
  const cql = 'type = page AND siteSearch ~ "printer fire"';
  const query = { cql, limit: 1, excerpt: "highlight", expand: "content.space,content.version" };
  const hit = {
    content: page(27),
    title: "Printers",
    excerpt: "if a @@@hl@@@printer@@@endhl@@@ is on @@@hl@@@fire@@@endhl@@@",
    url: "/display/OPS/Printers",
    resultGlobalContainer: { title: "Operations", displayUrl: "/display/OPS" },
    entityType: "content",
    lastModified: "2026-02-06T12:30:00.000+01:00",
  };
  api
    .get("/rest/api/search")
    .query(query)
    .reply(200, {
      results: [hit],
      start: 0,
      limit: 1,
      size: 1,
      totalSize: 2,
      cqlQuery: cql,
      searchDuration: 5,
      _links: { ...links, next: "/rest/api/search?limit=1&start=1&cql=x" },
    });
  api
    .get("/rest/api/search")
    .query({ ...query, start: "1" })
    .reply(200, { results: [], start: 1, limit: 1, size: 0, totalSize: 2, _links: links });
  const request = { query: "printer fire", limit: 1 };
  const first = await wiki.search(request);
  expect(first.results).toMatchObject([
    {
      id: "65601",
      space: { key: "OPS", name: "Operations" },
      updated: "2026-02-06T11:30:00.000Z",
      updated_by: { id: "farid", name: "Farid Haddad" },
      url: `${BASE}/display/OPS/Printers`,
      excerpt: "if a printer is on fire",
    },
  ]);
  expect(await wiki.search({ ...request, cursor: first.next_cursor ?? "" })).toMatchObject({
    results: [],
    next_cursor: null,
  });
});

describe("search_confluence by author", () => {
  const searches = (creator: string): void => {
    api
      .get("/rest/api/search")
      .query(({ cql }) => cql === `type = page AND creator = "${creator}" order by lastmodified desc`)
      .reply(200, { results: [], totalSize: 0, _links: links });
  };

  it("takes a user name as it is", async () => {
    api.get("/rest/api/user").query({ username: "farid" }).reply(200, user("farid", "Farid Haddad"));
    searches("farid");
    expect((await wiki.search({ author: "farid", limit: 5 })).results).toEqual([]);
  });

  it("finds a name among those who may use the wiki", async () => {
    api.get("/rest/api/user").query({ username: "Lindqvist" }).reply(404, { message: "No user found" });
    api
      .get("/rest/api/group/confluence-users/member")
      .query({ limit: 200 })
      .reply(200, {
        results: [user("farid", "Farid Haddad"), user("ana", "Ana Lindqvist")],
        size: 2,
        _links: links,
      });
    searches("ana");
    expect((await wiki.search({ author: "Lindqvist", limit: 5 })).results).toEqual([]);
  });
});

it("create_page sends storage format with space and parent", async () => {
  api
    .get("/rest/api/space")
    .query({ spaceKey: "OPS", expand: "description.plain", limit: 100 })
    .reply(200, {
      results: [
        { id: 32769, key: "OPS", name: "Operations", type: "global", _links: { webui: "/display/OPS" } },
      ],
      start: 0,
      limit: 100,
      size: 1,
      _links: links,
    });
  api
    .get("/rest/api/content")
    .query({ spaceKey: "OPS", title: "Toner", type: "page", limit: 100 })
    .reply(200, { results: [], start: 0, limit: 100, size: 0, _links: links });
  api.get("/rest/api/content/65601").query(EXPAND).reply(200, page(27));
  const prepared = await wiki.prepare({
    space: "OPS",
    title: "Toner",
    body: "> [!CAUTION]\n> a & b",
    parent_id: "65601",
  });
  const value =
    '<ac:structured-macro ac:name="warning"><ac:rich-text-body><p>a &amp; b</p></ac:rich-text-body></ac:structured-macro>';
  api
    .post("/rest/api/content", {
      type: "page",
      title: "Toner",
      space: { key: "OPS" },
      ancestors: [{ id: "65601" }],
      body: { storage: { value, representation: "storage" } },
    })
    .query(EXPAND)
    .reply(
      200,
      page(1, { id: "65700", title: "Toner", body: { storage: { value, representation: "storage" } } }),
    );
  expect(await wiki.create(prepared)).toMatchObject({
    id: "65700",
    space: { key: "OPS", name: "Operations" },
    excerpt: "a & b",
  });
});

describe("update_page", () => {
  it("raises the version and keeps the stored text when only the title changes", async () => {
    api.get("/rest/api/content/65601").query(EXPAND).reply(200, page(27));
    api
      .put("/rest/api/content/65601", {
        type: "page",
        title: "Demons",
        body: {
          storage: {
            value: "<h2>Gutenberg</h2><p>Turn it <strong>off</strong>.</p>",
            representation: "storage",
          },
        },
        version: { number: 28 },
      })
      .query(EXPAND)
      .reply(200, page(28, { title: "Demons" }));
    expect(await wiki.update("65601", { title: "Demons", version: 27 })).toMatchObject({ title: "Demons" });
  });

  it("appends below the stored text, which stays to the letter", async () => {
    api.get("/rest/api/content/65601").query(EXPAND).reply(200, page(27));
    api
      .put("/rest/api/content/65601", ({ body }: { body: { storage: { value: string } } }) =>
        body.storage.value.startsWith(
          "<h2>Gutenberg</h2><p>Turn it <strong>off</strong>.</p><p>One more line</p>",
        ),
      )
      .query(EXPAND)
      .reply(200, page(28));
    await wiki.update("65601", { append: "One more line", version: 27 });
    expect(api.isDone()).toBe(true);
  });

  it.each([
    [
      { passage: "Turn it off.", replacement: "Leave it on & wait." },
      "<p>Turn it <strong>off</strong>.</p>",
      "<p>Leave it on &amp; wait.</p>",
    ],
    [{ passage: "off", replacement: "on" }, "<strong>off</strong>", "<strong>on</strong>"],
    [{ passage: "turn it off." }, "<p>Turn it <strong>off</strong>.</p>", ""],
    [{ append: "One more line", under: "gutenberg" }, "</strong>.</p>", "</strong>.</p><p>One more line</p>"],
  ])("changes one place of the stored text, and nothing around it: %j", async (change, before, after) => {
    const value =
      '<ac:structured-macro ac:name="toc" /><h2>Gutenberg</h2><p>Turn it <strong>off</strong>.</p><h2>End</h2><p>Bye</p>';
    const stored = page(27, { body: { storage: { value, representation: "storage" } } });
    api.get("/rest/api/content/65601").query(EXPAND).reply(200, stored);
    api
      .put("/rest/api/content/65601", ({ body }: { body: { storage: { value: string } } }) => {
        expect(body.storage.value).toBe(value.replace(before, after));
        return true;
      })
      .query(EXPAND)
      .reply(200, page(28));
    await wiki.update("65601", { ...change, version: 27 });
    expect(api.isDone()).toBe(true);
  });

  it("sends nothing where another place would change than the one that people see", async () => {
    const value = "<pre>third floor</pre><p>x</p><ac:placeholder><p>third floor</p></ac:placeholder>";
    const stored = page(27, { body: { storage: { value, representation: "storage" } } });
    api.get("/rest/api/content/65601").query(EXPAND).reply(200, stored);
    const change = { passage: "third floor", replacement: "second floor", version: 27 };
    await expect(wiki.update("65601", change)).rejects.toMatchObject({
      code: "unclear_place",
    });
    expect(api.isDone()).toBe(true);
  });

  it("sends nothing where the text to replace is not there", async () => {
    api.get("/rest/api/content/65601").query(EXPAND).reply(200, page(27));
    const change = { passage: "Leave it on", replacement: "x", version: 27 };
    await expect(wiki.update("65601", change)).rejects.toMatchObject({ code: "text_not_found" });
    expect(api.isDone()).toBe(true);
  });

  it("puts rows into the last table of as many columns, and refuses others", async () => {
    const table = (cells: string): string => `<table class="x"><tbody><tr>${cells}</tr></tbody></table>`;
    const value = `<p>a</p>${table("<th>Date</th><th>Who</th>")}<p>b</p>${table("<td>1</td><td>2</td><td>3</td>")}`;
    const stored = page(27, { body: { storage: { value, representation: "storage" } } });
    api.get("/rest/api/content/65601").query(EXPAND).reply(200, stored);
    api
      .put("/rest/api/content/65601", ({ body }: { body: { storage: { value: string } } }) => {
        expect(body.storage.value).toBe(
          value.replace(
            "<th>Who</th></tr>",
            "$&<tr><td><p>3 July</p></td><td><p>Farid &amp; Emi</p></td></tr>",
          ),
        );
        return true;
      })
      .query(EXPAND)
      .reply(200, page(28));
    await wiki.update("65601", { append: "| 3 July | Farid & Emi |", version: 27 });
    expect(api.isDone()).toBe(true);
    api.get("/rest/api/content/65601").query(EXPAND).reply(200, stored);
    await expect(wiki.update("65601", { append: "| 1 | 2 | 3 | 4 |", version: 27 })).rejects.toMatchObject({
      code: "no_table",
      message: expect.stringContaining("its tables have 2 and 3 columns") as string,
    });
  });

  it.each([
    "<table><tbody><tr><td>1</td><td><table><tbody><tr><td>a</td><td>b</td></tr></tbody></table></td></tr></tbody></table>",
    '<ac:structured-macro ac:name="code"><ac:plain-text-body><![CDATA[<table><tr><td>1</td><td>2</td></tr></table>]]></ac:plain-text-body></ac:structured-macro>',
  ])("adds no row where it is not clear to which table: %s", async (value) => {
    const stored = page(27, { body: { storage: { value, representation: "storage" } } });
    api.get("/rest/api/content/65601").query(EXPAND).reply(200, stored);
    await expect(wiki.update("65601", { append: "| 1 | 2 |", version: 27 })).rejects.toMatchObject({
      code: expect.stringMatching(/^(?:unclear_table|no_table)$/) as string,
    });
  });

  it("names the new version when somebody else was faster (409)", async () => {
    api.get("/rest/api/content/65601").query(EXPAND).reply(200, page(27));
    api
      .put("/rest/api/content/65601")
      .query(true)
      .reply(409, {
        statusCode: 409,
        data: { authorized: true, valid: true, errors: [], successful: true },
        message: "Version must be incremented on update. Current version is: 28",
        reason: "Conflict",
      });
    api.get("/rest/api/content/65601").query(EXPAND).reply(200, page(28));
    await expect(wiki.update("65601", { body: "x", version: 27 })).rejects.toMatchObject({
      code: "version_conflict",
      message: expect.stringContaining("at version 28 now") as string,
    });
  });
});

it("add_page_comment posts a comment on the page", async () => {
  api.get("/rest/api/content/65601").query(EXPAND).reply(200, page(27));
  api
    .post("/rest/api/content", {
      type: "comment",
      container: { id: "65601", type: "page" },
      body: { storage: { value: "<p>Fixed <strong>it</strong></p>", representation: "storage" } },
    })
    .query({ expand: "version,history" })
    .reply(200, {
      id: "70002",
      type: "comment",
      title: "Re: Printers",
      version: { by: user("ana", "Ana Lindqvist"), when: "2026-11-20T11:00:00.000+01:00", number: 1 },
      history: { createdBy: user("ana", "Ana Lindqvist"), createdDate: "2026-11-20T11:00:00.000+01:00" },
      _links: { webui: "/display/OPS/Printers?focusedCommentId=70002#comment-70002" },
    });
  expect(await wiki.comment("65601", "Fixed **it**")).toEqual({
    comment: {
      id: "70002",
      author: { id: "ana", name: "Ana Lindqvist" },
      created: "2026-11-20T10:00:00.000Z",
      body: "Fixed **it**",
    },
    url: `${BASE}/display/OPS/Printers?focusedCommentId=70002#comment-70002`,
  });
});

it("delete_page moves the page to the trash", async () => {
  api.get("/rest/api/content/65601").query(EXPAND).reply(200, page(27));
  api.delete("/rest/api/content/65601").reply(204);
  await expect(wiki.remove("65601")).resolves.toBeUndefined();
});

it("list_spaces reads descriptions", async () => {
  api
    .get("/rest/api/space")
    .query({ expand: "description.plain", status: "current", limit: 100 })
    .reply(200, {
      results: [
        {
          id: 1,
          key: "OPS",
          name: "Operations",
          type: "global",
          description: { plain: { value: "Runbooks", representation: "plain" } },
          _links: { webui: "/display/OPS" },
        },
      ],
      start: 0,
      limit: 100,
      size: 1,
      _links: links,
    });
  expect(await wiki.spaces()).toEqual([
    { key: "OPS", name: "Operations", description: "Runbooks", pages: null, url: `${BASE}/display/OPS` },
  ]);
});
