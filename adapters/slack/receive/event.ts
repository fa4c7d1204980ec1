import { z } from "zod";

import { teamOfInteraction } from "./ids.ts";
import type { Source } from "../install/client.ts";

const id = z.string().nullish();
const flag = z.union([z.boolean(), z.stringbool()]).nullish();

/** Events name whoever has the app; interactions and commands only where they happened. */
const event = z.object({
  type: z.literal("event_callback"),
  team_id: id,
  enterprise_id: id,
  authorizations: z
    .array(z.object({ team_id: id, enterprise_id: id, is_enterprise_install: flag }))
    .nullish(),
});

const command = z.object({
  command: z.string(),
  team_id: z.string(),
  enterprise_id: id,
  is_enterprise_install: flag,
});

const interaction = z.object({
  team: z.object({ id: z.string() }).nullish(),
  user: z.object({ team_id: z.string().optional() }),
  view: z.object({ app_installed_team_id: z.string().optional() }).optional(),
  enterprise: z.object({ id: z.string() }).nullish(),
  is_enterprise_install: flag,
});

/** For whom Slack sends this; undefined when it is nothing of a workspace. */
export function sourceOf(body: unknown): Source | undefined {
  const told = event.safeParse(body);
  if (told.success) {
    const { team_id: place, enterprise_id: org, authorizations } = told.data;
    const [first] = authorizations ?? [];
    const team = first?.team_id ?? place;
    return toSource(team, first?.enterprise_id ?? org, first?.is_enterprise_install);
  }
  const said = command.safeParse(body);
  if (said.success) {
    const { team_id: team, enterprise_id: org, is_enterprise_install: isOrgWide } = said.data;
    return toSource(team, org, isOrgWide);
  }
  const pressed = interaction.safeParse(body);
  if (!pressed.success) return undefined;
  const { enterprise, is_enterprise_install: isOrgWide } = pressed.data;
  return toSource(teamOfInteraction(pressed.data), enterprise?.id, isOrgWide);
}

function toSource(
  team: string | null | undefined,
  org: string | null | undefined,
  isOrgWide: boolean | null | undefined,
): Source {
  return {
    team: team === null || team === "" ? undefined : team,
    org: isOrgWide === true ? (org ?? undefined) : undefined,
  };
}
