import type { RunningSlack } from "#adapters/slack/start.ts";
import { createCards } from "#views/cards/cards.ts";
import { createForms } from "#views/forms.ts";

import { CountersignError, messageOf } from "../base/errors.ts";
import type { Settings } from "../settings/load.ts";
import type { PlatformMembers } from "./membership.ts";
import type { Product } from "./product.ts";

/** Slack as the settings want it; undefined when it is off. */
export interface SlackSurface {
  members: PlatformMembers;
  start(product: Product): Promise<RunningSlack>;
}

/** Loaded only where a token is set: Slack's packages take memory. */
export async function openSlack(settings: Settings): Promise<SlackSurface | undefined> {
  const { slack, http } = settings;
  if (slack.bot_token === "") return undefined;
  if (slack.app_token === "" && slack.signing_secret === "") {
    throw new CountersignError(
      "slack_incomplete",
      "slack.bot_token is set, but neither slack.app_token (Socket Mode) nor slack.signing_secret (signed HTTP): set one.",
    );
  }
  const [{ createMembers }, { startSlack }] = await Promise.all([
    import("#adapters/slack/membership.ts"),
    import("#adapters/slack/start.ts"),
  ]);
  return {
    members: { slack: createMembers(slack) },
    async start(product) {
      try {
        return await startSlack(
          // Beside the port of the product's own pages, which need not be open to Slack.
          { ...slack, http: { host: http.host, port: http.port === 0 ? 0 : http.port + 1 } },
          {
            core: product.core,
            cards: createCards(),
            forms: createForms(),
            log: product.log,
            view: (turnId) => product.view(turnId),
            pages: product.state("slack-pages"),
            threads: product.state("slack-threads"),
            files: product.state("slack-files"),
          },
          (port) => product.present(port),
        );
      } catch (error) {
        throw new CountersignError(
          "slack_failed",
          `expected Slack at ${slack.api_url} to accept the tokens, got: ${messageOf(error)}. Check SLACK_BOT_TOKEN and SLACK_APP_TOKEN, or leave them empty.`,
          { cause: error },
        );
      }
    },
  };
}
