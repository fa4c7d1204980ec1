import { closeSync, openSync } from "node:fs";
import { flushCompileCache } from "node:module";

import { startHttp, startMetrics } from "#adapters/http/start.ts";
import type { Offer } from "#contract/core.ts";
import { createAccountActions } from "#src/present/account-actions.ts";
import { createMeActions } from "#src/present/me-actions.ts";
import type { LogTarget } from "#src/observe/log.ts";
import type { Settings } from "#src/settings/load.ts";
import { createCards } from "#views/cards/cards.ts";
import { createForms } from "#views/forms/forms.ts";

import type { CommandCall } from "../command-line.ts";
import { outsideEnvFile } from "../env-file.ts";
import { startIndexing } from "../knowledge.ts";
import type { PlatformMembers } from "../membership.ts";
import { createDrawings, openDiscord, openSlack } from "../platforms.ts";
import { createProduct } from "../product.ts";
import { readSettings } from "../settings.ts";
import { createSetupPage } from "../setup/page.ts";
import type { VisibleProduct } from "../visible-product.ts";

/** Serves until SIGTERM or SIGINT; then lets running turns end. SIGHUP has the configuration read anew. */
export async function start({ options }: CommandCall): Promise<number> {
  const terminal = new AbortController();
  const stopped = terminated(terminal.signal);
  const hangUps = onHangUp(terminal);
  await serve({
    options,
    env: process.env,
    log: { kind: process.stdout.isTTY ? "pretty" : "json" },
    stopped,
    onReload: (listener) => hangUps.hear(listener),
  });
  return 0;
}

/** What one product is started with. */
export interface Serving {
  options: CommandCall["options"];
  env: NodeJS.ProcessEnv;
  log: LogTarget;
  /** Resolves with what ends it, such as a signal. */
  stopped: Promise<string>;
  onReload: (listener: () => void) => void;
}

/** Serves until `stopped`, then lets running turns end. */
export async function serve({ options, env, log: target, stopped, onReload }: Serving): Promise<void> {
  const settings = await readSettings(options, env);
  const platforms = (await Promise.all([openSlack(settings), openDiscord(settings)])).filter(
    (platform) => platform !== undefined,
  );
  const product = await createProduct(settings, {
    log: target,
    env,
    members: Object.assign({}, ...platforms.map((platform) => platform.members)) as PlatformMembers,
  });
  const { log } = product;
  const stops: (() => Promise<void>)[] = [];
  const cards = createCards(() => settings.people.list);
  try {
    const offer = ({ core, connections, people, view }: VisibleProduct): Offer => ({
      core,
      connections,
      accounts: createAccountActions({ connections, cards }),
      people,
      me: createMeActions({ people, cards }),
      view,
    });
    const http = await startHttp(
      {
        all: { ...offer(product), audit: product.audit, metrics: product.metrics },
        of: (viewer) => offer(product.visibleTo(viewer)),
      },
      {
        cards,
        forms: createForms(),
        drawings: createDrawings(product),
        sessions: product.state("http-session"),
        setup: createSetupPage(
          {
            ...(options.config === undefined ? {} : { file: options.config }),
            env: outsideEnvFile(env, process.cwd()),
            cwd: process.cwd(),
          },
          isDemo(settings),
        ),
      },
      {
        ...settings.http,
        metricsToken: settings.metrics.token,
        version: product.version,
        get examples() {
          return settings.examples.map((example) => example.message);
        },
        log,
      },
    );
    stops.push(() => http.stop());
    product.reachedAt(settings.http.public_url === "" ? http.url : settings.http.public_url);
    log.info({ url: http.url, data: settings.data_dir, config: settings.file }, `listening on ${http.url}`);
    if (settings.metrics.port !== 0) {
      const metrics = await startMetrics(product.metrics, settings.metrics);
      stops.push(() => metrics.stop());
      log.info({ metrics_url: metrics.url }, `serving metrics at ${metrics.url}/metrics`);
    }
    for (const platform of platforms) {
      const running = await platform.start(product);
      stops.push(() => running.stop());
    }
    const early = await Promise.race([stopped, product.ready()]);
    if (early === undefined) {
      const { status, model, servers } = await product.core.health();
      log.info({ status, model, servers }, `ready: open ${http.url}`);
      if (isDemo(settings) && settings.http.tokens.length === 0)
        log.info({}, `this is the demo: connect your team's tools at ${http.url}/setup`);
      // Written now: a process that is killed writes nothing.
      flushCompileCache();
      const indexing = startIndexing(settings, log, env);
      stops.push(() => indexing.stop());
      onReload(() => void product.reload("SIGHUP"));
    }
    const signal = await stopped;
    log.info({ signal }, "stopping");
  } finally {
    await Promise.all(stops.map((stop) => stop()));
    await product.close();
  }
  log.info({}, "stopped");
}

/** Nothing of the team's own is connected yet. */
function isDemo({ slack, discord, servers }: Settings): boolean {
  const isOff = slack.bot_token === "" && slack.client_id === "" && discord.token === "";
  return isOff && servers.every(({ env }) => !env.JIRA_URL && !env.CONFLUENCE_URL);
}

/** Listens from the first moment: a stop while servers are still being asked closes everything as well. */
function terminated(gone: AbortSignal): Promise<string> {
  return new Promise((resolve) => {
    for (const signal of ["SIGTERM", "SIGINT"] as const) process.once(signal, () => resolve(signal));
    gone.addEventListener("abort", () => resolve("SIGHUP"), { once: true });
  });
}

/**
 * SIGHUP, from the first moment; what comes before anybody hears is told then. The same signal says that the terminal
 * was closed in which the product runs: then it ends, as every program does.
 */
function onHangUp(terminal: AbortController): { hear: (listener: () => void) => void } {
  const isOnTerminal = process.stdout.isTTY;
  let wasSent = false;
  let tell = (): void => void (wasSent = true);
  process.on("SIGHUP", () => {
    if (isOnTerminal && !hasTerminal()) terminal.abort();
    else tell();
  });
  return {
    hear(listener) {
      tell = listener;
      if (wasSent) listener();
    },
  };
}

function hasTerminal(): boolean {
  try {
    closeSync(openSync("/dev/tty", "r"));
    return true;
  } catch {
    return false;
  }
}
