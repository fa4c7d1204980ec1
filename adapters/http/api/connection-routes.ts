import type { Context, Hono } from "hono";
import { html } from "hono/html";
import * as z from "zod";

import type { ActorId } from "#contract/actor.ts";
import type { Connections } from "#contract/connections.ts";

import { ApiError, toApiError } from "../errors.ts";
import { actorLabel, type HttpEnv, type Identity, offerOf, viewerOf } from "../identity.ts";
import { actorBody, actorField, readBody, sessionId } from "./bodies.ts";
import { conversationOf, pick } from "./wire.ts";

/** `session_id` names the channel, for servers that work with an account of the channel. */
const connectBody = z.strictObject({ actor: actorField, session_id: sessionId.optional() });

/** The accounts that people have connected with servers, and those that servers want. */
export function addConnectionRoutes(app: Hono<HttpEnv>): void {
  app.get("/accounts", async (c) => {
    const session = sessionId.safeParse(c.req.query("session_id")).data;
    const accounts = await connectionsOf(c).accounts({ actor: viewerOf(c), channel: channelOf(session) });
    // Without a session there is no channel whose account it could be.
    const known = accounts.filter(({ per }) => per === "person" || session !== undefined);
    return c.json({
      accounts: known.map(({ connection, ...account }) => ({
        ...pick(account, "server", "per", "whose"),
        connected: connection !== undefined,
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
