import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";

import { QUESTION_ACTIONS } from "#adapters/slack/interact/questions.ts";
import { ACTIONS, type ActionName } from "#adapters/chat/actions.ts";
import { OWN_ACTIONS } from "#adapters/discord/render/buttons.ts";
import { root } from "#test/fakes/mcp-box.ts";

import { deskConfig } from "./slack-desk.ts";
import { cleanUp, readStore, type HostedProduct } from "./support.ts";

/** What the value of a button names, of what belongs to a channel; `nothing`: only what concerns who presses. */
export type Names =
  | "request"
  | "turn"
  | "result"
  | "page"
  | "step"
  | "fold"
  | "window"
  | "grant"
  | "question"
  | "unfilled"
  | "form"
  | "formPage"
  | "nothing";

/** Every button of both platforms. One without a row does not compile, and fails the test. */
export const NAMES: Record<ActionName, Names> = {
  details: "request",
  grants: "request",
  edit: "request",
  grant: "request",
  lookup: "request",
  settle_happened: "request",
  settle_did_not: "request",
  deny: "request",
  approve: "request",
  approve_all: "turn",
  deny_all: "turn",
  // A kind of request, of those that wait for who presses.
  approve_alike: "nothing",
  deny_alike: "nothing",
  show_json: "turn",
  run_log: "turn",
  show_result: "result",
  show_all: "fold",
  page_previous: "page",
  page_next: "step",
  fill_in: "unfilled",
  next: "step",
  menu: "turn",
  rate_good: "turn",
  rate_bad: "turn",
  share: "turn",
  me_change: "nothing",
  me_forget: "nothing",
  open_form: "form",
  prompt: "nothing",
  privacy: "nothing",
  connect: "nothing",
  disconnect: "nothing",
  use_site: "nothing",
  revoke: "grant",
  stop: "turn",
};

export const DISCORD_NAMES: Record<(typeof OWN_ACTIONS)[number], Names> = {
  window: "window",
  form_next: "formPage",
  form_send: "form",
  answer: "question",
  answer_show: "question",
  answer_done: "question",
  answer_decline: "question",
};

export const SLACK_NAMES: Record<(typeof QUESTION_ACTIONS)[number], Names> = {
  open: "question",
  form: "question",
  show: "question",
  opened: "question",
  decline: "question",
};

/** The tables have the names that the adapters know, in any order. */
export function areWhole(): boolean {
  const same = (names: object, actions: readonly string[]): boolean =>
    Object.keys(names).toSorted().join() === actions.toSorted().join();
  return same(NAMES, ACTIONS) && same(DISCORD_NAMES, OWN_ACTIONS) && same(SLACK_NAMES, QUESTION_ACTIONS);
}

/** What there is to be named, all of it of one private channel. */
export interface Kept {
  request: string;
  /** It runs. */
  running: string;
  /** It has ended, with a table of many pages. */
  turn: string;
  /** It lacks an argument. */
  unfilled: string;
  grant: string;
  question: string;
  /** A form that is being filled in. */
  form: string;
}

export function valueOf(action: string, names: Names, kept: Kept): string {
  switch (names) {
    case "turn":
      return action === "stop" ? kept.running : kept.turn;
    case "result":
      return `r:0:${kept.turn}`;
    case "page":
      return `r:0:${kept.turn}|1`;
    case "step":
      return `${kept.turn}|0`;
    case "fold":
      return `a:${kept.request}|0`;
    case "window":
      return `json||0|t:${kept.turn}`;
    case "formPage":
      return `${kept.form}|0`;
    case "nothing":
      return action === "prompt" ? "help" : "nobody";
    default:
      return kept[names];
  }
}

/** Words of the private channel, which nobody elsewhere may read. */
export const SECRET: RegExp = /kept-secret|ROW-\d|Really jump/;

/** Requests with every rule of the desk, and a server that asks people. */
export async function gateConfig(folder: string, more: object): Promise<object> {
  const child = spawn(process.execPath, ["test/fakes/mcp-http.ts"], {
    cwd: root,
    stdio: ["ignore", "pipe", "inherit"],
  });
  cleanUp(async () => void child.kill("SIGKILL"), "file");
  const [url] = (await once(createInterface({ input: child.stdout }), "line")) as [string];
  const desk = deskConfig(folder, more) as {
    servers: object[];
    commands: object;
    policy: { rules: object[] };
  };
  return {
    ...desk,
    servers: [...desk.servers, { name: "shop", url }],
    commands: { ...desk.commands, shop: { server: "shop", subcommands: { confirm: "confirm" } } },
    policy: {
      rules: [...desk.policy.rules, { tools: ["shop.*"], decision: "allow", idempotent: true }],
    },
  };
}

export const ASKED = {
  request: "/desk set name=one value=kept-secret",
  turn: "/desk rows count=300",
  running: "/desk hang",
  unfilled: "/desk set name=kept-secret",
  granted: "/desk note about=kept-secret body=first",
  question: "/shop confirm what=jump",
} as const;

export function idIn(value: unknown, kind: "turn" | "appr" | "ques"): string {
  return new RegExp(`${kind}_[0-9A-Z]{26}`).exec(JSON.stringify(value))?.[0] ?? "";
}

export function onlyGrant({ dataDir }: HostedProduct): string {
  return readStore<{ id: string }>(dataDir, "select id from grants")[0]?.id ?? "";
}

/** Everything of the private channel is as it was: it waits, runs and stands. */
export function stateOf({ dataDir }: HostedProduct, kept: Kept): unknown {
  const one = (sql: string, id: string): unknown => readStore(dataDir, sql, id)[0];
  return [
    one("select state from approvals where id = ?", kept.request),
    one("select state from turns where id = ?", kept.running),
    one("select revoked_at is null as stands from grants where id = ?", kept.grant),
    one("select state from questions where id = ?", kept.question),
    one(
      "select count(*) as turns from turns where conversation_id = (select conversation_id from approvals where id = ?)",
      kept.request,
    ),
  ];
}
