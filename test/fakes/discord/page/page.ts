import { previewStyle } from "#adapters/preview/context.ts";

import { createLivePage } from "../../live-page.ts";
import type { LivePage } from "../../live-page.ts";
import type { Outcome } from "../people/interact.ts";
import type { Person } from "../people/person.ts";
import type { GivenFile } from "../people/resolved.ts";
import { isFields } from "../../slack/json.ts";
import type { Fields, World } from "../types.ts";
import { pageState } from "./state.ts";

const own = (name: string): URL => new URL(name, import.meta.url);

/** The page on which a person uses the server in a browser. */
export function createPage(world: World, person: (name: string) => Person): LivePage {
  return createLivePage({
    assets: {
      "/": { file: own("page.html"), type: "text/html; charset=utf-8" },
      "/page/client.mjs": { file: own("client.mjs"), type: "text/javascript; charset=utf-8" },
      "/page/page.css": { file: own("page.css"), type: "text/css; charset=utf-8" },
      "/page/discord.css": { file: previewStyle(), type: "text/css; charset=utf-8" },
    },
    state: (query) =>
      pageState(world, {
        person: person(query.get("as") ?? ""),
        place: query.get("place") ?? "dm",
        thread: query.get("thread") ?? "",
      }),
    act: (deed) => act(world, person(String(deed.as)), deed),
  });
}

/** What a person does on the page, told apart by `do`. */
async function act(world: World, who: Person, deed: Fields): Promise<Fields> {
  const thread = typeof deed.thread === "string" && deed.thread !== "" ? deed.thread : undefined;
  const place = thread ?? String(deed.place);
  const values = isFields(deed.values) ? deed.values : {};
  const command = String(deed.command);
  switch (deed.do) {
    case "say":
      return { message: who.say(place, wireText(world, String(deed.text))).id };
    case "slash":
      return problemOf(await who.slash(command, typedValues(values), place));
    case "complete":
      return {
        choices: await who.autocomplete(command, String(deed.option), String(deed.typed), values, place),
      };
    case "click":
      return problemOf(await who.click(String(deed.target), String(deed.control), deed.value));
    case "menu":
      return problemOf(await who.contextMenu(command, String(deed.message)));
    case "submit":
      return problemOf(await who.submit(modalValues(values)));
    case "close":
      who.closeModal();
      return {};
    default:
      throw new Error(`unknown deed "${String(deed.do)}"`);
  }
}

function problemOf(outcome: Outcome): Fields {
  return outcome.ok ? {} : { problem: "The application did not respond" };
}

/** What a page can only send as text. */
function typedValues(values: Fields): Fields {
  const words: Record<string, boolean> = { true: true, false: false };
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, words[String(value)] ?? value]),
  );
}

function modalValues(values: Fields): Fields {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, Array.isArray(value) ? value.map(fileOr) : value]),
  );
}

function fileOr(value: unknown): unknown {
  if (!isFields(value) || typeof value.base64 !== "string") return value;
  const { name, type, base64 } = value;
  return {
    name: String(name),
    type: String(type),
    content: Buffer.from(base64, "base64"),
  } satisfies GivenFile;
}

/** Typed text with `@name` of people, roles and the app, and `#channel`, as references. */
function wireText(world: World, typed: string): string {
  return typed.trim().replaceAll(/([@#])([\p{L}\d_-]+)/gu, (whole, sign: string, name: string) => {
    const wanted = name.toLowerCase();
    if (sign === "#") {
      const channel = [...world.channels.values()].find((c) => c.guild !== undefined && c.name === wanted);
      return channel === undefined ? whole : `<#${channel.id}>`;
    }
    if (wanted === world.app.name.toLowerCase()) return `<@${world.app.id}>`;
    const user = [...world.users.values()].find((candidate) => candidate.name === wanted);
    if (user !== undefined) return `<@${user.id}>`;
    const roles = [...world.guilds.values()].flatMap((guild) => [...guild.roles.values()]);
    const role = roles.find((candidate) => candidate.name === wanted);
    return role === undefined ? whole : `<@&${role.id}>`;
  });
}
