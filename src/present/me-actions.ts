import type { ActorId } from "#contract/actor.ts";
import type { Cards } from "#contract/core.ts";
import type { MeActions, People, PersonView } from "#contract/people.ts";

import { refusalOf } from "../base/errors.ts";

/** See MeActions. */
export function createMeActions({ people, cards }: { people: People; cards: Pick<Cards, "me"> }): MeActions {
  /** Does what the words say; resolves to what to say of it then, undefined where they only ask. */
  async function act(
    words: string,
    actor: ActorId,
    command: string,
  ): Promise<((view: PersonView) => string) | undefined> {
    const [, server = "", account = ""] = /^\s*(\S*)\s*([^]*?)\s*$/.exec(words) ?? [];
    if (server === "") return undefined;
    if (account === "") return () => `Say who you are there as well: ${command} ${server} NAME`;
    try {
      if (account.toLowerCase() === "forget") {
        await people.forget(actor, server);
        return () => "Forgotten: who you said you are there.";
      }
      const set = await people.set(actor, server, account);
      return ({ servers }) => {
        const title = servers.find((one) => one.server === set.server)?.title ?? set.server;
        return `Noted: you are ${set.name} in ${title}.`;
      };
    } catch (error) {
      const why = refusalOf(error);
      return () => why;
    }
  }

  return {
    async me(words, { actor, command }) {
      const say = await act(words, actor, command);
      const view = await people.me(actor);
      const told = say === undefined ? {} : { said: say(view) };
      return { view, ...told, card: cards.me(view, { command, ...told }) };
    },
  };
}
