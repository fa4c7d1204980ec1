import { WebClient } from "@slack/web-api";
import { z } from "zod";

import type { ChatLog } from "../chat/parts.ts";
import { clientOptions, type toSlackLogger } from "./client.ts";
import { isFinalFault } from "./faults.ts";
import type { Installed, InstallationState } from "./installed-tokens.ts";
import type { SlackOptions } from "./options.ts";
import { slackError } from "./refusal.ts";

const ending = z.object({
  type: z.literal("event_callback"),
  team_id: z.string().nullish(),
  enterprise_id: z.string().nullish(),
  event: z.discriminatedUnion("type", [
    z.object({ type: z.literal("app_uninstalled") }),
    z.object({
      type: z.literal("tokens_revoked"),
      tokens: z.object({ bot: z.array(z.string()).optional() }).optional(),
    }),
  ]),
});

export interface UninstallParts {
  installations: InstallationState;
  log: ChatLog;
  logger: ReturnType<typeof toSlackLogger>;
}

/**
 * Takes down that the app was uninstalled, or its token revoked; true when the event says so. Slack
 * repeats events, and somebody may have installed the app again since: Slack is asked whether the token
 * still works. Rejects when that cannot be told, so that the event comes again.
 */
export async function takeDownUninstall(
  body: unknown,
  options: Pick<SlackOptions, "api_url">,
  parts: UninstallParts,
): Promise<boolean> {
  const parsed = ending.safeParse(body);
  if (!parsed.success) return false;
  const { team_id: team, enterprise_id: org, event } = parsed.data;
  const revoked = event.type === "tokens_revoked" ? (event.tokens?.bot ?? []) : undefined;
  for (const key of [team, org]) {
    const found = key == null ? undefined : await parts.installations.get(key);
    const bot = found?.installation.bot?.userId ?? "";
    if (key == null || found === undefined || revoked?.includes(bot) === false) continue;
    if (await works(found, options, parts)) {
      parts.log.info({ workspace: key, event: event.type }, "the app is installed anew: its token works");
      continue;
    }
    await parts.installations.delete(key);
    parts.log.info({ workspace: key, event: event.type }, `the app was uninstalled from ${nameOf(found)}`);
  }
  return true;
}

async function works(
  { installation }: Installed,
  options: Pick<SlackOptions, "api_url">,
  { logger }: UninstallParts,
): Promise<boolean> {
  const token = installation.bot?.token;
  if (token === undefined) return false;
  const client = new WebClient(token, { ...clientOptions(options), logger });
  try {
    await client.auth.test();
    return true;
  } catch (error) {
    if (isFinalFault(slackError(error))) return false;
    throw error;
  }
}

export function nameOf({ installation: { team, enterprise } }: Pick<Installed, "installation">): string {
  return team?.name ?? enterprise?.name ?? team?.id ?? enterprise?.id ?? "a workspace";
}
