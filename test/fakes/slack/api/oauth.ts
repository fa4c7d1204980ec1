import { SlackError } from "../types.ts";
import type { Team } from "../types.ts";
import { newToken } from "../world.ts";
import { required } from "./arguments.ts";
import type { Methods } from "./method.ts";

/** Codes that the consent page gave out, each good for one exchange. */
const CODE = /^code-(?<team>T[A-Z0-9]+)-(?<user>U[A-Z0-9]+)$/;

export function consentCode(team: Team, user: string): string {
  return `code-${team.id}-${user}`;
}

export const oauth: Methods = {
  "oauth.v2.access": {
    token: "none",
    run(args, { world }) {
      const { app } = world;
      if (args.client_id !== undefined && args.client_id !== app.clientId)
        throw new SlackError("invalid_client_id");
      if (args.client_secret !== undefined && args.client_secret !== app.clientSecret) {
        throw new SlackError("bad_client_secret");
      }
      const { team: teamId, user } = CODE.exec(required(args, "code"))?.groups ?? {};
      const team = world.teams.get(teamId ?? "");
      if (team === undefined || user === undefined) throw new SlackError("invalid_code");
      install(team);
      return {
        access_token: team.botToken,
        token_type: "bot",
        scope: team.scopes.join(","),
        bot_user_id: team.botUserId,
        app_id: app.id,
        team: { name: team.name, id: team.id },
        enterprise: null,
        authed_user: { id: user },
        is_enterprise_install: false,
      };
    },
  },
};

function install(team: Team): void {
  if (team.botToken === "") team.botToken = newToken(team.domain);
}
