import type { Context, Hono } from "hono";
import { html } from "hono/html";

import type { ActorId } from "#contract/actor.ts";
import type { Account, AccountLink, Connection, Connections } from "#contract/connections.ts";
import type { JsonObject } from "#contract/json.ts";

import { ApiError, toApiError } from "../errors.ts";
import { actorLabel, actorOf, type HttpEnv, type Identity, offerOf } from "../identity.ts";
import { actorBody, connectBody, readBody, sessionQuery } from "./bodies.ts";
import { conversationOf, iso, withoutUndefined } from "./wire.ts";

/** The accounts that people have connected with servers, and those that servers want. */
export function addConnectionRoutes(app: Hono<HttpEnv>): void {
  app.get("/accounts", async (c) => {
    const actor = actorOf(c.get("identity"), c.req.query("actor"));
    const session = sessionQuery(c.req.query("session_id"));
    const asker = { actor, channel: session === undefined ? "" : conversationOf(session) };
    const accounts = await connectionsOf(c).accounts(asker);
    // Without a session there is no channel whose account it could be.
    const known = accounts.filter(({ per }) => per === "person" || session !== undefined);
    return c.json({ accounts: known.map(accountToWire) });
  });

  app.get("/connections", async (c) => {
    const actor = actorOf(c.get("identity"), c.req.query("actor"));
    return c.json({ connections: (await connectionsOf(c).list(actor)).map(connectionToWire) });
  });

  app.post("/connections/:server", async (c) => {
    const body = await readBody(c, connectBody);
    const actor = actorOf(c.get("identity"), body.actor);
    const channel = body.session_id === undefined ? "" : conversationOf(body.session_id);
    return c.json(linkToWire(await connectionsOf(c).begin(c.req.param("server"), { actor, channel })), 201);
  });

  app.delete("/connections/:server", async (c) => {
    const body = await readBody(c, actorBody);
    const actor = actorOf(c.get("identity"), body.actor);
    const gone = await connectionsOf(c).disconnect(c.req.param("server"), actor, c.req.query("whose"));
    return c.json(connectionToWire(gone));
  });
}

function connectionsOf(c: Context<HttpEnv>): Connections {
  const { connections } = offerOf(c);
  if (connections === undefined) throw new ApiError(404, "not_found", "No server wants an account");
  return connections;
}

function connectionToWire({ server, whose, per, by, since }: Connection): JsonObject {
  return { server, whose, per, by, since: iso(since) };
}

function accountToWire({ server, per, whose, connection }: Account): JsonObject {
  const { by, since } = connection ?? {};
  const connected = withoutUndefined({ by, since: since === undefined ? undefined : iso(since) });
  return { server, per, whose, connected: connection !== undefined, ...connected };
}

function linkToWire({ server, whose, url, domain, expiresAt }: AccountLink): JsonObject {
  return { server, whose, url, domain, expires_at: iso(expiresAt) };
}

type Callbacks = Pick<Connections, "look" | "finish" | "clientDocument">;

/**
 * Where authorisation servers send browsers back to. `hasTokens`: a browser of somebody of this surface
 * says whose it is.
 */
export function addCallbackRoutes(
  app: Hono<HttpEnv>,
  connections: Callbacks,
  { hasTokens }: { hasTokens: boolean },
): void {
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

/** The link of one person of this surface does nothing in the browser of another. */
function refuseOthers(identity: Identity | undefined, actor: ActorId, hasTokens: boolean): void {
  if (!hasTokens || !actor.startsWith("http:") || (identity?.mode === "token" && identity.actor === actor))
    return;
  const name = actorLabel(actor);
  const message = `This link is for ${name}, and ${identity?.mode === "token" ? `this browser is signed in as ${actorLabel(identity.actor)}` : "this browser is not signed in"}. Nothing was connected. If you are ${name}, sign in on the start page and come back here.`;
  throw new ApiError(403, "not_eligible", message);
}

function failure(c: Context<HttpEnv>, error: unknown): Response | Promise<Response> {
  const { message, code } = error instanceof ApiError ? error : toApiError(error);
  return c.html(callbackPage("Not connected", html`<p>${message}</p>`), code === "not_eligible" ? 403 : 400);
}

function callbackPage(title: string, body: ReturnType<typeof html>): ReturnType<typeof html> {
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width" />
        <title>${title} · Countersign</title>
      </head>
      <body>
        <h1>${title}</h1>
        ${body}
      </body>
    </html>`;
}
