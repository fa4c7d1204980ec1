import { readFile } from "node:fs/promises";
import type { IncomingMessage, ServerResponse } from "node:http";

import { readBody } from "../api/arguments.ts";
import type { Route } from "../http.ts";
import { json } from "../http.ts";
import type { Person } from "../person.ts";
import { isFields } from "../json.ts";
import type { Fields, World } from "../types.ts";
import { teamOf } from "../world.ts";
import { blocksStyle } from "./draw.ts";
import { pageState } from "./state.ts";

export interface Page {
  route: Route;
  /** Tells every open page to look again. */
  changed(): void;
  stop(): void;
}

const assets: Record<string, { file: URL | string; type: string }> = {
  "/": { file: new URL("page.html", import.meta.url), type: "text/html; charset=utf-8" },
  "/page/client.mjs": {
    file: new URL("client.mjs", import.meta.url),
    type: "text/javascript; charset=utf-8",
  },
  "/page/page.css": { file: new URL("page.css", import.meta.url), type: "text/css; charset=utf-8" },
  "/page/blocks.css": { file: blocksStyle, type: "text/css; charset=utf-8" },
};

/** Nothing comes from elsewhere. The drawn blocks carry some style attributes. */
const policy =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; connect-src 'self'; img-src 'self' data:";

/** The page on which a person uses the workspace in a browser. */
export function createPage(world: World, person: (name: string) => Person): Page {
  const listeners = new Set<ServerResponse>();
  let announced = false;

  const route: Route = async (request, response, url) => {
    // Another site's page must not drive the workspace through a name that points here.
    if (!/^(127\.0\.0\.1|localhost)(:\d+)?$/.test(request.headers.host ?? "")) return false;
    const asset = request.method === "GET" ? assets[url.pathname] : undefined;
    if (asset !== undefined) {
      response
        .writeHead(200, { "content-type": asset.type, "content-security-policy": policy })
        .end(await readFile(asset.file));
      return true;
    }
    switch (url.pathname) {
      case "/page/events":
        response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-store" });
        response.write("data: hello\n\n");
        listeners.add(response);
        response.on("close", () => listeners.delete(response));
        return true;
      case "/page/state": {
        const who = person(url.searchParams.get("as") ?? "");
        const thread = url.searchParams.get("thread") ?? undefined;
        json(
          response,
          200,
          pageState(world, { person: who, place: url.searchParams.get("place") ?? "dm", thread }),
        );
        return true;
      }
      case "/page/act":
        await answer(request, response);
        return true;
      default:
        return false;
    }
  };

  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { raw, type } = await readBody(request);
    if (request.method !== "POST" || !type.startsWith("application/json")) {
      return json(response, 415, { problem: "expected a POST with JSON" });
    }
    try {
      const body: unknown = JSON.parse(raw.toString());
      json(response, 200, await act(world, person, isFields(body) ? body : {}));
    } catch (error) {
      json(response, 422, { problem: error instanceof Error ? error.message : String(error) });
    }
  };

  return {
    route,
    changed() {
      if (announced) return;
      announced = true;
      // Many changes come at once; the page needs to look once.
      setImmediate(() => {
        announced = false;
        for (const listener of listeners) listener.write("data: changed\n\n");
      });
    },
    stop: () => listeners.forEach((listener) => listener.end()),
  };
}

/** What a person does on the page, told apart by `do`. */
async function act(world: World, person: (name: string) => Person, body: Fields): Promise<Fields> {
  const who = person(String(body.as));
  const place = String(body.place);
  const thread = typeof body.thread === "string" ? body.thread : undefined;
  switch (body.do) {
    case "say": {
      const text = wireText(world, who, String(body.text));
      const command = /^(\/\S+)\s*([\s\S]*)$/.exec(text);
      if (command !== null && thread !== undefined) throw new Error("Slash commands do not work in threads.");
      if (command === null) {
        const channel = place === "dm" ? `D${who.id.slice(1)}` : place;
        return { ts: who.say(thread === undefined ? place : { channel, thread_ts: thread }, text).ts };
      }
      const outcome = await who.command(command[1] ?? "", command[2] ?? "", place);
      return outcome.ok ? {} : { problem: `${command[1]} failed with the error "${outcome.reason}"` };
    }
    case "click": {
      const outcome = await who.click(String(body.target), String(body.control), body.value);
      return outcome.ok ? {} : { problem: `The app did not answer: ${outcome.reason}` };
    }
    case "submit": {
      const { result, errors } = await who.submit(undefined, isFields(body.values) ? body.values : {});
      if (result === "failed") return { problem: "The app did not answer; the form is still here." };
      return result === "errors" ? { problem: Object.values(errors).join("; ") } : {};
    }
    case "close":
      await who.closeView();
      return {};
    case "shortcut":
      await who.shortcut(String(body.callback), typeof body.ts === "string" ? body.ts : undefined);
      return {};
    case "open":
      who.openHome(place === "home" ? "home" : "messages");
      return {};
    case "stop":
      who.stop(String(body.thread));
      return {};
    default:
      throw new Error(`unknown deed "${String(body.do)}"`);
  }
}

/** Typed text with `@name` of people and the app, and `#channel`, as references. */
function wireText(world: World, who: Person, typed: string): string {
  const team = teamOf(world, who.user.team);
  return typed.trim().replaceAll(/([@#])([\p{L}\d_-]+)/gu, (whole, sign: string, name: string) => {
    if (sign === "#") {
      const channel = [...world.channels.values()].find(
        (c) => c.team === team.id && c.name === name && c.kind !== "im",
      );
      return channel === undefined ? whole : `<#${channel.id}|${channel.name}>`;
    }
    if (name.toLowerCase() === world.app.name.toLowerCase()) return `<@${team.botUserId}>`;
    const user = [...world.users.values()].find((u) => u.team === team.id && u.name === name.toLowerCase());
    return user === undefined ? whole : `<@${user.id}>`;
  });
}
