import { SlackError } from "../types.ts";
import type { Fields, Team, World } from "../types.ts";
import { newToken } from "../world.ts";
import { required, text } from "./arguments.ts";
import type { Methods } from "./method.ts";

/** What the consent page hands to the browser: good for one exchange. */
export function consentCode(
  world: World,
  consent: { team: Team; user: string; isOrgWide: boolean; redirect: string | undefined },
): string {
  const code = `${world.nextId("code-")}.${consent.team.id}`;
  world.codes.set(code, consent);
  return code;
}

export const oauth: Methods = {
  "oauth.v2.access": {
    token: "none",
    run(args, { world }) {
      const { app } = world;
      if (required(args, "client_id") !== app.clientId) throw new SlackError("invalid_client_id");
      if (required(args, "client_secret") !== app.clientSecret) throw new SlackError("bad_client_secret");
      const code = required(args, "code");
      const consent = world.codes.get(code);
      if (consent === undefined) throw new SlackError("invalid_code");
      world.codes.delete(code);
      // It has to be the same, or absent, both times.
      if (text(args, "redirect_uri") !== consent.redirect) throw new SlackError("bad_redirect_uri");
      return consent.isOrgWide ? installOrg(world, consent) : install(world, consent);
    },
  },
  "auth.revoke": {
    run(_, { world, team }) {
      endTokens(world, team, "token_revoked");
      return { revoked: true };
    },
  },
};

function install(world: World, { team, user }: { team: Team; user: string }): Fields {
  if (team.botToken === "") team.botToken = newToken(team.domain);
  return {
    ...common(world, team, user),
    access_token: team.botToken,
    team: { name: team.name, id: team.id },
    enterprise: team.org === undefined ? null : { name: team.org.name, id: team.org.id },
    is_enterprise_install: false,
  };
}

function installOrg(world: World, { team, user }: { team: Team; user: string }): Fields {
  const { org } = team;
  if (org === undefined) throw new SlackError("invalid_code");
  if (org.botToken === "") org.botToken = newToken(org.id);
  return {
    ...common(world, team, user),
    access_token: org.botToken,
    team: null,
    enterprise: { name: org.name, id: org.id },
    is_enterprise_install: true,
  };
}

function common(world: World, team: Team, user: string): Fields {
  return {
    token_type: "bot",
    scope: team.scopes.join(","),
    bot_user_id: team.botUserId,
    app_id: world.app.id,
    authed_user: { id: user },
  };
}

/** Makes the tokens of a workspace, and of its organisation, good for nothing. */
export function endTokens(world: World, team: Team, answer: string): void {
  for (const holder of [team, team.org]) {
    if (holder === undefined || holder.botToken === "") continue;
    world.deadTokens.set(holder.botToken, answer);
    holder.botToken = "";
  }
}
