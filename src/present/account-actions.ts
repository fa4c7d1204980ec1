import type { ActorId } from "#contract/actor.ts";
import type { Account, AccountAction, AccountActions, Connections } from "#contract/connections.ts";
import type { Cards } from "#contract/core.ts";

import { refusalOf } from "../base/errors.ts";
import { MINUTE_MS } from "../base/time.ts";

interface AccountActionsDeps {
  connections: Pick<Connections, "accounts" | "begin" | "disconnect">;
  cards: Pick<Cards, "accounts">;
}

/** See AccountActions. */
export function createAccountActions({ connections, cards }: AccountActionsDeps): AccountActions {
  return {
    async list(asker, nameOf) {
      const accounts = await connections.accounts(asker);
      const { actor } = asker;
      const names: Record<string, string> = {};
      for (const { connection } of accounts) {
        if (connection === undefined || connection.by === actor) continue;
        const name = await nameOf?.(connection.by);
        if (name !== undefined) names[connection.by] = name;
      }
      const actions = accounts.flatMap((one) => actionsOf(one, actor));
      return { card: cards.accounts(accounts, actor, names), actions };
    },

    async connect(server, asker) {
      try {
        const link = await connections.begin(server, asker);
        const whose = link.whose === asker.actor ? "as yours" : "for this channel";
        const minutes = Math.max(1, Math.floor((link.expiresAt - Date.now()) / MINUTE_MS));
        const words = `Open the page at ${link.domain} and sign in there: the account you choose is connected with ${server} ${whose}. The link is for you alone and good for ${minutes} minutes.`;
        return { ok: true, link, words };
      } catch (error) {
        return { ok: false, words: refusalOf(error) };
      }
    },

    async disconnect(value, actor) {
      // Whose it is may hold the sign as well.
      const cut = value.indexOf("|");
      const [server, whose] = cut === -1 ? [value] : [value.slice(0, cut), value.slice(cut + 1)];
      try {
        await connections.disconnect(server, actor, whose);
        return `Disconnected: the account with ${server} is forgotten here, and ${server} was told to revoke its tokens.`;
      } catch (error) {
        return refusalOf(error);
      }
    },
  };
}

/** Only who connected an account may disconnect it. */
function actionsOf({ server, whose, connection }: Account, actor: ActorId): AccountAction[] {
  if (connection === undefined)
    return [{ action: "connect", server, label: `Connect ${server}`, value: server }];
  if (connection.by !== actor) return [];
  return [{ action: "disconnect", server, label: `Disconnect ${server}`, value: `${server}|${whose}` }];
}
