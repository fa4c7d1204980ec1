import type { FakeSlack } from "#test/fakes/slack/slack.ts";
import type { TeamSeed } from "#test/fakes/slack/world.ts";
import { acme } from "#test/fakes/slack/world.ts";

import { channelApproves } from "./slack-support.ts";
import { launchHosted, type ProductOptions, type HostedProduct, startHosted } from "./support.ts";

/** Nobody has installed the app yet. */
export const ACME: TeamSeed = { ...acme, installed: false };
export const GLOBEX: TeamSeed = {
  domain: "globex",
  name: "Globex",
  people: { hank: { name: "Hank Scorpio", admin: true }, ivy: { name: "Ivy Ng" } },
  channels: { general: {} },
  groups: {},
  installed: false,
};

/** `channelApproves` for workspaces that install the app. */
export function installing(workspaces: string[], more: object = {}): object {
  return {
    ...channelApproves(),
    slack: {
      app_token: "${SLACK_APP_TOKEN:-}",
      signing_secret: "${SLACK_SIGNING_SECRET:-}",
      client_id: "${SLACK_CLIENT_ID}",
      client_secret: "${SLACK_CLIENT_SECRET}",
      workspaces,
      api_url: "${SLACK_API_URL}",
      port: 0,
      ...more,
    },
  };
}

export interface Installable extends HostedProduct {
  /** `http://127.0.0.1:PORT` of the Slack side. */
  origin: string;
}

/** The product as an app that workspaces install; its redirect URL is known to Slack. */
export async function startInstallable(
  slack: FakeSlack,
  { over, config, ...options }: ProductOptions & { over: "socket" | "http"; config: object },
): Promise<Installable> {
  const product = await startHosted({
    ...options,
    config,
    env: { ...environmentOf(slack, over), ...options.env },
  });
  const { slack_install: page } = await product.line((line) => typeof line.slack_install === "string");
  const { origin } = new URL(String(page));
  slack.app.redirectUrls.splice(0, slack.app.redirectUrls.length, `${origin}/slack/oauth_redirect`);
  if (over === "http") slack.overHttp(`${origin}/slack/events`);
  return { ...product, origin };
}

function environmentOf(slack: FakeSlack, over: "socket" | "http"): Record<string, string> {
  return {
    SLACK_CLIENT_ID: slack.app.clientId,
    SLACK_CLIENT_SECRET: slack.app.clientSecret,
    SLACK_API_URL: slack.apiUrl,
    ...(over === "socket"
      ? { SLACK_APP_TOKEN: slack.app.appToken }
      : { SLACK_SIGNING_SECRET: slack.app.signingSecret }),
  };
}

/** What a browser sees at the end of an installation. */
export interface Landing {
  status: number;
  page: string;
}

/** Opens the install page, presses its link, consents as the workspace's admin, and follows Slack back. */
export async function install(
  { origin }: Installable,
  domain: string,
  { consent = {}, keepsCookie = true }: { consent?: Record<string, string>; keepsCookie?: boolean } = {},
): Promise<Landing> {
  const first = await fetch(`${origin}/slack/install`);
  const cookie = first.headers.get("set-cookie")?.split(";")[0] ?? "";
  const href = /<a href="([^"]+)">Add to Slack<\/a>/.exec(await first.text())?.[1]?.replaceAll("&amp;", "&");
  if (href === undefined) throw new Error("expected a link to Slack on the install page");
  const url = new URL(href);
  for (const [name, value] of Object.entries({ team: domain, ...consent })) url.searchParams.set(name, value);
  const consented = await fetch(url, { redirect: "manual" });
  const back = consented.headers.get("location");
  if (back === null)
    throw new Error(`expected Slack to send the browser back, got: ${await consented.text()}`);
  const last = await fetch(back, { headers: keepsCookie ? { cookie } : {} });
  return { status: last.status, page: await last.text() };
}

/** The product, without waiting until it is ready; `/health` as it is then. */
export async function launchBot(
  slack: Pick<FakeSlack, "environment">,
  env: Record<string, string>,
  dataDir?: string,
): Promise<HostedProduct> {
  const product = await launchHosted({
    config: channelApproves(),
    env: { ...slack.environment, ...env },
    ...(dataDir === undefined ? {} : { dataDir }),
  });
  const { url } = await product.line((line) => typeof line.url === "string");
  return { ...product, url: String(url) };
}

export interface WireHealth {
  status: string;
  surfaces?: Record<string, { status: string; code?: string; error?: string }>;
}

export async function health({ url }: { url: string }): Promise<WireHealth> {
  return (await (await fetch(`${url}/health`)).json()) as WireHealth;
}
