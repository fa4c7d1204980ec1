import { previewStyle } from "#adapters/preview/context.ts";

import { createLivePage } from "../../live-page.ts";
import type { LivePage } from "../../live-page.ts";
import { isFields } from "../json.ts";
import type { Person } from "../person.ts";
import type { Fields, World } from "../types.ts";
import { teamOf } from "../world.ts";
import { pageState } from "./state.ts";

const own = (name: string): URL => new URL(name, import.meta.url);

/** The page on which a person uses the workspace in a browser. */
export function createPage(world: World, person: (name: string) => Person): LivePage {
  return createLivePage({
    assets: {
      "/": { file: own("page.html"), type: "text/html; charset=utf-8" },
      "/page/client.mjs": { file: own("client.mjs"), type: "text/javascript; charset=utf-8" },
      "/page/page.css": { file: own("page.css"), type: "text/css; charset=utf-8" },
      "/page/blocks.css": { file: previewStyle(), type: "text/css; charset=utf-8" },
    },
    state: (query) =>
      pageState(world, {
        person: person(query.get("as") ?? ""),
        place: query.get("place") ?? "dm",
        thread: query.get("thread") ?? undefined,
      }),
    act: (deed) => act(world, person, deed),
  });
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
