import { createHmac } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Authorize, HTTPReceiverOptions } from "@slack/bolt";
import { type Installation, InstallProvider } from "@slack/oauth";
import { WebClient } from "@slack/web-api";

import type { ChatLog } from "../../chat/parts.ts";
import type { SlackOptions, SlackDeps } from "../options.ts";
import { slackError } from "../send/refusal.ts";
import { clientOptions, type Tokens, type toSlackLogger } from "./client.ts";
import {
  createInstallations,
  createInstalledTokens,
  createOwnToken,
  ingestUninstall,
  type Installations,
  nameOf,
} from "./tokens.ts";

/** The bot's tokens, from the settings or from installations. */
export interface SlackTokens extends Tokens {
  /** As Bolt asks for them. */
  authorize: Authorize<boolean>;
  /** Pages for installations. */
  routes: Routes;
  /** Whether the event ended an installation, which is taken down then; see `takeDownUninstall`. */
  ended(body: unknown): Promise<boolean>;
  /** Asks Slack about the one token; undefined where tokens come from installations. */
  verify?: () => Promise<{ workspace: string; scopes: string[] | undefined }>;
}

export function createTokens(
  options: SlackOptions,
  parts: Pick<SlackDeps, "installations" | "orgs" | "log"> & { logger: ReturnType<typeof toSlackLogger> },
  over: AbortSignal,
): SlackTokens {
  if (options.client_id === "") {
    const own = createOwnToken(options, parts.logger, over);
    return {
      ...own,
      authorize: authorizeBy(own),
      routes: [],
      ended: () => Promise.resolve(false),
    };
  }
  const installations = createInstallations(options, parts);
  const using = { ...parts, installations };
  const installer = createInstaller(options, using);
  const tokens = createInstalledTokens(installations, (query) => installer.authorize(query));
  return {
    ...tokens,
    authorize: authorizeBy(tokens),
    routes: installRoutes(options, installer, using),
    ended: (body) => ingestUninstall(body, options, parts),
  };
}

function authorizeBy(tokens: Tokens): Authorize<boolean> {
  return async ({ teamId, enterpriseId, isEnterpriseInstall }) => {
    const bot = await tokens.find({ team: teamId, org: isEnterpriseInstall ? enterpriseId : undefined });
    return {
      botToken: bot.token,
      botId: bot.id,
      botUserId: bot.user,
      ...(teamId === undefined ? {} : { teamId }),
      ...(enterpriseId === undefined ? {} : { enterpriseId }),
    };
  };
}

export const INSTALL_PATH = "/slack/install";
const REDIRECT_PATH = "/slack/oauth_redirect";

interface InstallDeps {
  installations: Installations;
  log: ChatLog;
  logger: ReturnType<typeof toSlackLogger>;
}

export type Routes = NonNullable<HTTPReceiverOptions["customRoutes"]>;

/** Slack's own installer: the page, the exchange of the code, and fresh tokens where they expire. */
function createInstaller(options: SlackOptions, { installations, logger }: InstallDeps): InstallProvider {
  return new InstallProvider({
    clientId: options.client_id,
    clientSecret: options.client_secret,
    // The same on every replica and after a restart, as the browser may come back to another one.
    stateSecret: createHmac("sha256", options.client_secret).update("installation state").digest("base64url"),
    installationStore: installations,
    installUrlOptions: { scopes: options.scopes, ...redirectOf(options) },
    renderHtmlForInstallPath: installPage,
    authorizationUrl: new URL("/oauth/v2/authorize", options.api_url).href,
    clientOptions: clientOptions(options),
    logger,
  });
}

/** Where people install the app, and where Slack sends them afterwards. */
function installRoutes(options: SlackOptions, installer: InstallProvider, parts: InstallDeps): Routes {
  const { log, installations } = parts;
  const urls = { scopes: options.scopes, ...redirectOf(options) };
  return [
    {
      path: INSTALL_PATH,
      method: "GET",
      handler: (req, res) => {
        guarded(res, log, async () => {
          secure(res);
          await installer.handleInstallPath(req, res, {}, urls);
        });
      },
    },
    {
      path: REDIRECT_PATH,
      method: "GET",
      handler: (req, res) => {
        guarded(res, log, () =>
          installer.handleCallback(req, res, {
            afterInstallation: async (installation) => {
              if (installations.isWelcome(installation)) return true;
              await turnAway(installation, res, options, parts);
              return false;
            },
            successAsync: async (installation) => {
              const name = nameOf({ installation });
              const workspace = installation.team?.id ?? installation.enterprise?.id;
              log.info({ workspace, by: installation.user.id }, `the app was installed in ${name}`);
              const team = installation.team?.id;
              send(res, 200, {
                title: `Countersign is in ${name}`,
                text: "Invite it to a channel with /invite @Countersign, and mention it.",
                ...(team === undefined
                  ? {}
                  : { link: { href: `slack://open?team=${encodeURIComponent(team)}`, text: "Open Slack" } }),
              });
            },
            failureAsync: async (error, _options, request) => fail(error, request, res, log),
          }),
        );
      },
    },
  ];
}

/** Who may use the product's tools is for its operators to say, and Slack lets anybody install an app. */
async function turnAway(
  installation: Installation,
  res: ServerResponse,
  options: SlackOptions,
  { log, logger }: InstallDeps,
): Promise<void> {
  const workspace = installation.team?.id ?? installation.enterprise?.id ?? "?";
  const name = nameOf({ installation });
  log.warn({ workspace }, `${name} is not listed under slack.workspaces: the installation was not kept`);
  const client = new WebClient(installation.bot?.token, { ...clientOptions(options), logger });
  try {
    await client.auth.revoke();
  } catch (error) {
    log.warn({ error, workspace }, "the token of an installation that was not kept could not be revoked");
  }
  send(res, 403, {
    title: `${name} may not use this Countersign`,
    text: `Ask its operators to add ${workspace} to slack.workspaces, then install it again.`,
  });
}

/** What went wrong, in words for whoever sits at the browser; the log says more. */
function fail(
  error: Error & { code?: string },
  request: IncomingMessage,
  res: ServerResponse,
  log: ChatLog,
): void {
  const code = slackError(error) ?? error.code ?? "unknown";
  log.warn({ code, error: error.message }, "an installation failed");
  const isCancelled = new URL(request.url ?? "/", "http://x").searchParams.get("error") === "access_denied";
  if (isCancelled) {
    return send(res, 200, {
      title: "Nothing was installed",
      text: "The installation was cancelled.",
      link: AGAIN,
    });
  }
  const text = FAILURES[code] ?? "Slack did not take the installation. The log of Countersign says why.";
  return send(res, 400, { title: "The app was not installed", text: `${text} (${code})`, link: AGAIN });
}

const AGAIN = { href: INSTALL_PATH, text: "Begin again" };

const FAILURES: Readonly<Record<string, string>> = {
  slack_oauth_invalid_state:
    "This page was opened in another browser, or more than ten minutes after the first one.",
  slack_oauth_missing_state: "Installations begin at /slack/install, not at Slack.",
  slack_oauth_missing_code: "This address is for Slack to send people to.",
  invalid_code: "Slack's code had expired or was used already.",
  bad_redirect_uri: "The redirect URL is not among those of the app: add it under OAuth & Permissions.",
  bad_client_secret: "slack.client_secret is not that of the app.",
  invalid_client_id: "slack.client_id is not that of the app.",
};

function redirectOf({ public_url: url }: SlackOptions): { redirectUri?: string } {
  return url === "" ? {} : { redirectUri: new URL(REDIRECT_PATH, url).href };
}

function send(res: ServerResponse, status: number, page: PageOptions): void {
  secure(res);
  res.writeHead(status, { "content-type": "text/html; charset=utf-8" }).end(resultPage(page));
}

/** Shown in no frame, so that nobody can be made to press the button on it. */
function secure(res: ServerResponse): void {
  res.setHeader("cache-control", "no-store");
  res.setHeader("referrer-policy", "no-referrer");
  res.setHeader("x-content-type-options", "nosniff");
  res.setHeader("x-frame-options", "DENY");
  res.setHeader(
    "content-security-policy",
    "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
  );
}

function guarded(res: ServerResponse, log: ChatLog, handle: () => Promise<unknown>): void {
  handle().catch((error: unknown) => {
    log.error({ error }, "an installation page failed");
    if (!res.headersSent) res.writeHead(500);
    res.end();
  });
}

interface PageOptions {
  title: string;
  text: string;
  link?: { href: string; text: string };
}

/** Where an installation begins; the link leads to Slack, which asks for consent. */
function installPage(url: string): string {
  return page({
    title: "Add Countersign to Slack",
    text: "Slack shows what the app may do, and asks for your consent.",
    link: { href: url, text: "Add to Slack" },
  });
}

/** What came of it. */
function resultPage(options: PageOptions): string {
  return page(options);
}

function page({ title, text, link }: PageOptions): string {
  const anchor = link === undefined ? "" : `\n<p><a href="${escape(link.href)}">${escape(link.text)}</a></p>`;
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escape(title)}</title>
<style>${STYLE}</style>
<main>
<h1>${escape(title)}</h1>
<p>${escape(text)}</p>${anchor}
</main>
</html>
`;
}

const STYLE = `
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
main { max-width: 32rem; margin: 15vh auto 0; padding: 0 1.5rem; }
h1 { font-size: 1.5rem; line-height: 1.25; }
a { display: inline-block; padding: 0.6rem 1rem; border-radius: 0.4rem; background: #1f3a5f; color: #fff; text-decoration: none; }
a:focus-visible { outline: 3px solid #7aa7e0; outline-offset: 2px; }
`;

function escape(text: string): string {
  return text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;")
    .replaceAll("'", "&#39;");
}
