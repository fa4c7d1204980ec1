import type { ActorId } from "#contract/actor.ts";
import type { Cards } from "#contract/core.ts";
import type { MeActions, People, PersonView } from "#contract/people.ts";

import { refusalOf } from "../base/errors.ts";
import { en } from "../base/words/en.ts";
import { recordedText } from "../base/words/recorded.ts";
import { wordsOf } from "../base/words/words.ts";

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
    if (account === "") return () => en.recorded.sayWho(`${command} ${server}`);
    try {
      if (account.toLowerCase() === "forget") {
        await people.forget(actor, server);
        return () => en.recorded.forgotten();
      }
      const set = await people.set(actor, server, account);
      return ({ servers }) => {
        const title = servers.find((one) => one.server === set.server)?.title ?? set.server;
        return en.recorded.noted(set.name, title);
      };
    } catch (error) {
      const why = refusalOf(error);
      return () => why;
    }
  }

  return {
    async me(words, { actor, command, language }) {
      const say = await act(words, actor, command);
      const view = await people.me(actor);
      const told = say === undefined ? {} : { said: recordedText(say(view), wordsOf(language)) };
      return { view, ...told, card: cards.me(view, { command, language, ...told }) };
    },
  };
}
