import { createHmac } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";

import type { Authorize, HTTPReceiverOptions, Logger } from "@slack/bolt";
import { type Installation, InstallProvider } from "@slack/oauth";
import { WebClient } from "@slack/web-api";
import { escapeUTF8 } from "entities";

import type { ChatLog } from "../../chat/parts.ts";
import type { SlackDeps, SlackOptions } from "../options.ts";
import type { UninstallEvent } from "../receive/event.ts";
import { slackError } from "../send/refusal.ts";
import { clientOptions, type Tokens } from "./client.ts";
import {
  createInstallations,
  createInstalledTokens,
  createOwnToken,
  ingestUninstall,
  type Installations,
  nameOf,
  type OwnToken,
} from "./tokens.ts";

/** The bot's tokens, from the settings or from installations. */
export interface SlackTokens extends Tokens {
  /** As Bolt asks for them. */
  authorize: Authorize<boolean>;
  /** Pages for installations. */
  routes: Routes;
  /** See `ingestUninstall`; undefined where the one token is that of the settings. */
  uninstall?: (event: UninstallEvent) => Promise<void>;
  /** Asks Slack about the one token; undefined where tokens come from installations. */
  verify?: OwnToken["verify"];
}

export type Routes = NonNullable<HTTPReceiverOptions["customRoutes"]>;

export function createTokens(
  options: SlackOptions,
  deps: Pick<SlackDeps, "installations" | "orgs" | "log"> & { logger: Logger },
  over: AbortSignal,
): SlackTokens {
  if (options.client_id === "") {
    const own = createOwnToken(options, deps.logger, over);
    return { ...own, authorize: authorizeBy(own), routes: [] };
  }
  const installations = createInstallations(options, deps);
  const installer = createInstaller(options, installations, deps.logger);
  const tokens = createInstalledTokens(installations, (query) => installer.authorize(query));
  return {
    ...tokens,
    authorize: authorizeBy(tokens),
    routes: installRoutes(options, installer, { ...deps, installations }),
    uninstall: (event) => ingestUninstall(event, options, deps),
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
  logger: Logger;
}

/** Slack's own installer: the page, the exchange of the code, and fresh tokens where they expire. */
function createInstaller(
  options: SlackOptions,
  installations: Installations,
  logger: Logger,
): InstallProvider {
  return new InstallProvider({
    clientId: options.client_id,
    clientSecret: options.client_secret,
    // The same on every replica and after a restart, as the browser may come back to another one.
    stateSecret: createHmac("sha256", options.client_secret).update("installation state").digest("base64url"),
    installationStore: installations,
    installUrlOptions: urlOptions(options),
    renderHtmlForInstallPath: (href) =>
      page({
        title: "Add Countersign to Slack",
        text: "Slack shows what the app may do, and asks for your consent.",
        link: { href, text: "Add to Slack" },
      }),
    authorizationUrl: new URL("/oauth/v2/authorize", options.api_url).href,
    clientOptions: clientOptions(options),
    logger,
  });
}

function urlOptions({ scopes, public_url: url }: SlackOptions): { scopes: string[]; redirectUri?: string } {
  return { scopes, ...(url === "" ? {} : { redirectUri: new URL(REDIRECT_PATH, url).href }) };
}

/** Where people install the app, and where Slack sends them afterwards. */
function installRoutes(options: SlackOptions, installer: InstallProvider, deps: InstallDeps): Routes {
  const { log, installations } = deps;
  return [
    {
      path: INSTALL_PATH,
      method: "GET",
      handler: (req, res) => {
        guarded(res, log, async () => {
          secure(res);
          await installer.handleInstallPath(req, res, {}, urlOptions(options));
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
              await turnAway(installation, res, options, deps);
              return false;
            },
            successAsync: async (installation) => installed(installation, res, log),
            failureAsync: async (error, _options, request) => fail(error, request, res, log),
          }),
        );
      },
    },
  ];
}

function installed(installation: Installation, res: ServerResponse, log: ChatLog): void {
  const { team, user } = installation;
  const name = nameOf(installation);
  log.info({ workspace: idOf(installation), by: user.id }, `the app was installed in ${name}`);
  send(res, 200, {
    title: `Countersign is in ${name}`,
    text: "Invite it to a channel with /invite @Countersign, and mention it.",
    ...(team === undefined
      ? {}
      : { link: { href: `slack://open?team=${encodeURIComponent(team.id)}`, text: "Open Slack" } }),
  });
}

function idOf({ team, enterprise }: Installation): string | undefined {
  return team?.id ?? enterprise?.id;
}

/** Operators say who may use the product's tools, and Slack lets anybody install an app. */
async function turnAway(
  installation: Installation,
  res: ServerResponse,
  options: SlackOptions,
  { log, logger }: InstallDeps,
): Promise<void> {
  const workspace = idOf(installation) ?? "?";
  const name = nameOf(installation);
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

/** What went wrong, in words for the person at the browser; the log says more. */
function fail(
  error: Error & { code?: string },
  request: IncomingMessage,
  res: ServerResponse,
  log: ChatLog,
): void {
  const code = slackError(error) ?? error.code ?? "unknown";
  log.warn({ code, error: error.message }, "an installation failed");
  const link = { href: INSTALL_PATH, text: "Begin again" };
  if (new URL(request.url ?? "/", "http://x").searchParams.get("error") === "access_denied") {
    return send(res, 200, { title: "Nothing was installed", text: "The installation was cancelled.", link });
  }
  const text = FAILURES[code] ?? "Slack did not take the installation. The log of Countersign says why.";
  return send(res, 400, { title: "The app was not installed", text: `${text} (${code})`, link });
}

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

function send(res: ServerResponse, status: number, options: PageOptions): void {
  secure(res);
  res.writeHead(status, { "content-type": "text/html; charset=utf-8" }).end(page(options));
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

function page({ title, text, link }: PageOptions): string {
  const anchor =
    link === undefined ? "" : `\n<p><a href="${escapeUTF8(link.href)}">${escapeUTF8(link.text)}</a></p>`;
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeUTF8(title)}</title>
<style>${STYLE}</style>
<main>
<h1>${escapeUTF8(title)}</h1>
<p>${escapeUTF8(text)}</p>${anchor}
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
