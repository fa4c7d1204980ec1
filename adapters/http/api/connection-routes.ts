import type { Context, Hono } from "hono";
import { html } from "hono/html";
import * as z from "zod";

import type { ActorId } from "#contract/actor.ts";
import type { Connections, SiteRequest } from "#contract/connections.ts";

import { ApiError, toApiError } from "../errors.ts";
import { actorLabel, type HttpEnv, type Identity, offerOf, viewerOf } from "../identity.ts";
import { actorBody, actorField, readBody, sessionId } from "./bodies.ts";
import { conversationOf, pick } from "./wire.ts";

/** `session_id` names the channel, for servers that work with an account of the channel. */
const connectBody = z.strictObject({ actor: actorField, session_id: sessionId.optional() });

/** `name` null: none is used as that any more. */
const siteBody = z.strictObject({
  actor: actorField,
  session_id: sessionId,
  name: z.string().min(1).max(40).nullable(),
  as: z.enum(["tenant", "source", "target"]),
});

/** The accounts that people have connected with servers, and those that servers want. */
export function addConnectionRoutes(app: Hono<HttpEnv>): void {
  app.get("/accounts", async (c) => {
    const session = sessionId.safeParse(c.req.query("session_id")).data;
    const accounts = await connectionsOf(c).accounts({ actor: viewerOf(c), channel: channelOf(session) });
    // Without a session there is no channel whose account it could be.
    const known = accounts.filter(({ per }) => per === "person" || session !== undefined);
    return c.json({
      accounts: known.map(({ connection, takes, site, ...account }) => ({
        ...pick(account, "server", "per", "whose"),
        connected: connection !== undefined,
        ...(takes && { takes: [...takes] }),
        ...(site && { site: { ...site, uses: [...site.uses] } }),
        ...(connection && pick(connection, "by", "since")),
      })),
    });
  });

  app.get("/connections", async (c) => {
    const connections = await connectionsOf(c).list(viewerOf(c));
    return c.json({ connections: connections.map((one) => pick(one, ...CONNECTION)) });
  });

  app.post("/connections/:server", async (c) => {
    const { actor, session_id } = await readBody(c, connectBody);
    const asker = { actor, channel: channelOf(session_id) };
    const link = await connectionsOf(c).begin(c.req.param("server"), asker);
    return c.json(pick(link, "server", "whose", "url", "domain", "expiresAt"), 201);
  });

  app.put("/connections/:server/site", async (c) => {
    const { actor, session_id, name, as } = await readBody(c, siteBody);
    const choice = { server: c.req.param("server"), name: name ?? undefined, as };
    await connectionsOf(c).use(choice, { actor, channel: channelOf(session_id) });
    return c.json({ ...choice, name });
  });

  app.delete("/connections/:server", async (c) => {
    const { actor } = await readBody(c, actorBody);
    const gone = await connectionsOf(c).disconnect(c.req.param("server"), actor, c.req.query("whose"));
    return c.json(pick(gone, ...CONNECTION));
  });
}

const CONNECTION = ["server", "whose", "per", "by", "since"] as const;

function channelOf(session: string | undefined): string {
  return session === undefined ? "" : conversationOf(session);
}

function connectionsOf(c: Context<HttpEnv>): Connections {
  const { connections } = offerOf(c);
  if (connections === undefined)
    throw new ApiError(404, "not_found", "There are no accounts to connect here");
  return connections;
}

/**
 * Where authorisation servers send browsers back to. `hasTokens`: a browser of somebody of this surface
 * says whose it is.
 */
export function addCallbackRoutes(
  app: Hono<HttpEnv>,
  connections: Connections,
  { hasTokens }: { hasTokens: boolean },
): void {
  addSiteRoutes(app, connections, hasTokens);
  app.get("/oauth/client.json", (c) => c.json(connections.clientDocument()));

  // A link of a chat may be followed by somebody else in it: the page says whose account it would
  // become, and only the button on it ends the authorisation.
  app.get("/oauth/callback", async (c) => {
    const params = new URL(c.req.url).searchParams;
    try {
      const { server, actor } = await connections.look(params.get("state") ?? "");
      // Coming from another site, the browser does not show its cookie yet.
      if (c.get("identity") !== undefined) refuseOthers(c.get("identity"), actor, hasTokens);
      const fields = [...params].map(
        ([name, value]) => html`<input type="hidden" name="${name}" value="${value}" />`,
      );
      return c.html(
        callbackPage(
          `Connect ${server}`,
          html`<p>
              Your account with <strong>${server}</strong> will be used for what
              <strong>${actor}</strong> asks Countersign to do. If that is not you, close this page.
            </p>
            <form method="post" action="/oauth/callback">${fields}<button>Connect</button></form>`,
        ),
      );
    } catch (error) {
      return failure(c, error);
    }
  });

  app.post("/oauth/callback", async (c) => {
    try {
      const params = new URLSearchParams(await c.req.text());
      // Before the link is used up: whom it is for may still open it.
      refuseOthers(c.get("identity"), (await connections.look(params.get("state") ?? "")).actor, hasTokens);
      const { server, actor } = await connections.finish(params);
      const text = html`<p>
        ${server} is connected for ${actor}. You can close this page; the chat goes on by itself.
      </p>`;
      return c.html(callbackPage("Connected", text));
    } catch (error) {
      return failure(c, error);
    }
  });
}

/** What a browser sends of the page; the token of the site is never sent back to it. */
const siteForm = z.object({
  name: z.string().max(200).default(""),
  domain: z.string().max(400).default(""),
  token: z.string().max(8_000).default(""),
  ssl: z.enum(["on"]).exactOptional(),
});
type SiteFields = z.infer<typeof siteForm>;

/** Where a person gives a site and its token, so that neither stands in a chat. */
function addSiteRoutes(app: Hono<HttpEnv>, connections: Connections, hasTokens: boolean): void {
  app.get("/connect.css", (c) => c.text(STYLE, 200, { "content-type": "text/css; charset=utf-8" }));

  app.get("/connect/:token", async (c) => {
    try {
      const asked = await connections.lookSite(c.req.param("token"));
      if (c.get("identity") !== undefined) refuseOthers(c.get("identity"), asked.actor, hasTokens);
      return c.html(sitePage(asked, { name: "", domain: "", token: "", ssl: "on" }));
    } catch (error) {
      return failure(c, error);
    }
  });

  app.post("/connect/:token", async (c) => {
    const token = c.req.param("token");
    let asked: SiteRequest;
    try {
      asked = await connections.lookSite(token);
      refuseOthers(c.get("identity"), asked.actor, hasTokens);
    } catch (error) {
      return failure(c, error);
    }
    const fields = siteForm.safeParse(await c.req.parseBody());
    if (!fields.success)
      return failure(c, new ApiError(400, "bad_request", "Expected the fields of the page"));
    const { ssl, ...typed } = fields.data;
    try {
      const kept = await connections.keepSite(token, { ...typed, ssl: ssl === "on" });
      const tried = kept.untried
        ? `It was not tried: ${kept.server} has no read to try it with.`
        : `${kept.server} could work with it.`;
      const text = html`<p>
        <strong>${kept.name}</strong> (${kept.domain}) is connected for ${actorLabel(kept.actor)}. ${tried}
        You can close this page, and ask again in the chat.
      </p>`;
      return c.html(callbackPage("Connected", text));
    } catch (error) {
      const { code, message } = toApiError(error);
      if (code !== "bad_args" && code !== "site_refused") return failure(c, error);
      return c.html(sitePage(asked, fields.data, message), 400);
    }
  });
}

function sitePage({ server, actor }: SiteRequest, typed: SiteFields, problem?: string): Page {
  return callbackPage(
    `Connect a site for ${server}`,
    html`<p>
        It will be used for what <strong>${actorLabel(actor)}</strong> asks Countersign to do with
        <strong>${server}</strong>, in the channels chosen for it. If that is not you, close this page.
      </p>
      ${problem && html`<p role="alert">${problem}</p>`}
      <form method="post" autocomplete="off">
        <label
          >Address
          <input
            name="domain"
            required
            maxlength="253"
            placeholder="acme.example.com"
            value="${typed.domain}"
        /></label>
        <label
          >Token <input name="token" type="password" required maxlength="4096" autocomplete="off"
        /></label>
        <label
          >Name
          <input
            name="name"
            maxlength="40"
            placeholder="As you will call it, such as staging"
            value="${typed.name}"
        /></label>
        <label class="check"
          ><input name="ssl" type="checkbox" ${typed.ssl === "on" ? html`checked` : ""} /> Over TLS
          (https)</label
        >
        <p>The token is kept encrypted. It is shown to nobody again, and sent to ${server} alone.</p>
        <button>Try and connect</button>
      </form>`,
  );
}

/** Throws when the link belongs to another person of this surface. */
function refuseOthers(identity: Identity | undefined, actor: ActorId, hasTokens: boolean): void {
  const signedIn = identity?.mode === "token" ? identity.actor : undefined;
  if (!hasTokens || !actor.startsWith("http:") || signedIn === actor) return;
  const name = actorLabel(actor);
  const browser = signedIn === undefined ? "is not signed in" : `is signed in as ${actorLabel(signedIn)}`;
  const message = `This link is for ${name}, and this browser ${browser}. Nothing was connected. If you are ${name}, sign in on the start page and come back here.`;
  throw new ApiError(403, "not_eligible", message);
}

function failure(c: Context<HttpEnv>, error: unknown): Response | Promise<Response> {
  const { message, code } = toApiError(error);
  return c.html(callbackPage("Not connected", html`<p>${message}</p>`), code === "not_eligible" ? 403 : 400);
}

type Page = ReturnType<typeof html>;

/** The pages stand alone, also where no other page is served. */
const STYLE = `:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
body { max-width: 34rem; margin: 3rem auto; padding: 0 1rem; }
h1 { font-size: 1.4rem; }
label { display: block; margin: 0 0 1rem; }
label.check { display: flex; gap: 0.5rem; align-items: center; }
input:not([type=checkbox]) { display: block; box-sizing: border-box; width: 100%; padding: 0.5rem; font: inherit; }
button { padding: 0.5rem 1rem; font: inherit; font-weight: 600; }
[role=alert] { border-left: 4px solid #c0392b; padding-left: 0.75rem; }
`;

function callbackPage(title: string, body: Page): Page {
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width" />
        <title>${title} · Countersign</title>
        <link rel="stylesheet" href="/connect.css" />
      </head>
      <body>
        <h1>${title}</h1>
        ${body}
      </body>
    </html>`;
}
