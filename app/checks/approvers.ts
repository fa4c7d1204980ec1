import type { PolicyRule } from "#src/settings/policy-schema.ts";
import type { Settings } from "#src/settings/load.ts";

import type { DiscordChecked } from "./discord.ts";
import { failed, type Finding, note, ok } from "./finding.ts";
import type { SlackChecked } from "./slack.ts";

/** What is asked about people; each platform once for everybody it knows. */
export interface KnownPeople {
  slack: SlackChecked["workspace"];
  discord: DiscordChecked["app"];
}

const REDO = "npm run setup -- --only approvers chooses them by name.";

/** Whether those who shall approve are there. */
export async function checkApprovers(settings: Settings, known: KnownPeople): Promise<Finding[]> {
  const { rules, groups } = settings.policy;
  const all = [...rules, ...Object.values(settings.channels).flatMap(({ policy }) => policy?.rules ?? [])];
  const asking = all.filter(({ decision }) => decision === "ask");
  const approvers = new Set(asking.flatMap((rule) => rule.approvers));
  const findings: Finding[] = [];
  for (const approver of approvers) {
    if (approver === "requester" || approver === "channel") continue;
    const isGroup = approver.startsWith("group:");
    const group = approver.slice("group:".length);
    if (isGroup && !Object.hasOwn(groups, group)) {
      const fault = Object.hasOwn(settings.discord.roles, group)
        ? undefined
        : await faultOfGroup(group, known);
      if (fault !== undefined)
        findings.push(
          failed("approvers", `${fault}, so nobody of it can approve ${toolsOf(asking, approver)}.`, REDO),
        );
      continue;
    }
    const actors = isGroup ? (groups[group] ?? []) : [approver];
    const faults = (await Promise.all(actors.map((actor) => faultOf(actor, settings, known)))).filter(
      (fault) => fault !== undefined,
    );
    const where = isGroup ? ` (in policy.groups.${group})` : "";
    for (const fault of faults)
      findings.push(
        failed("approvers", `${fault}${where}, so they cannot approve ${toolsOf(asking, approver)}.`, REDO),
      );
  }
  if (findings.length > 0) return findings;
  if (approvers.size === 0 || (approvers.size === 1 && approvers.has("requester")))
    return [note("approvers", "Whoever asks for a change approves it; no rule names anybody else.", REDO)];
  return [ok("approvers", "Everybody who shall approve is there.")];
}

function toolsOf(rules: readonly PolicyRule[], approver: string): string {
  const tools = rules
    .filter((rule) => (rule.approvers as string[]).includes(approver))
    .flatMap((rule) => rule.tools);
  const [first = "", second, ...more] = new Set(tools);
  const rest = more.length === 0 ? "" : ` and ${more.length} more`;
  return `${second === undefined ? first : `${first}, ${second}`}${rest}`;
}

/** Undefined where they are there, or nobody can be asked now: what keeps the platform from answering is a finding of its own. */
async function faultOf(
  actor: string,
  { http, slack, discord }: Settings,
  known: KnownPeople,
): Promise<string | undefined> {
  const [surface = "", place = "", user = ""] = actor.split(":");
  switch (surface) {
    case "slack":
      if (slack.bot_token === "" && slack.client_id === "")
        return `${actor} is a person of Slack, and Slack is off`;
      if (known.slack === undefined) return undefined;
      if (known.slack.id !== place)
        return `${actor} is a person of the workspace ${place}, and the bot is in ${known.slack.id}`;
      return (await known.slack.trial.member(user)) === undefined
        ? `Slack knows nobody as ${actor}`
        : undefined;
    case "discord":
      if (discord.token === "") return `${actor} is a person of Discord, and Discord is off`;
      if (known.discord === undefined) return undefined;
      return (await known.discord.trial.member(place, user)) === undefined
        ? `Discord knows nobody as ${actor}`
        : undefined;
    case "http":
      // Without tokens whoever is on this machine says who they are.
      return http.tokens.length > 0 && !http.tokens.some((one) => one.actor === actor)
        ? `No token of http.tokens is of ${actor}`
        : undefined;
    default:
      return undefined;
  }
}

async function faultOfGroup(group: string, { slack, discord }: KnownPeople): Promise<string | undefined> {
  if (slack === undefined && discord === undefined) return undefined;
  const ofSlack = (await slack?.trial.groups().catch(() => [])) ?? [];
  const ofDiscord = await Promise.all(discord?.guilds.map((guild) => discord.trial.roles(guild)) ?? []);
  if (ofSlack.includes(group) || ofDiscord.flat().includes(group)) return undefined;
  const names = [
    ...(slack === undefined ? [] : ["user group of Slack"]),
    ...(discord === undefined ? [] : ["role of Discord"]),
  ];
  return `The group ${group} is not in policy.groups, and no ${names.join(" and no ")} has that name`;
}
