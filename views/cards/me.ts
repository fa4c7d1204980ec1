import type { Card, ListElement } from "#contract/card.ts";
import type { PersonInServer, PersonView } from "#contract/people.ts";
import type { Words } from "#src/base/words/en.ts";
import { wordsOf } from "#src/base/words/words.ts";

import { infoCard } from "./about.ts";
import { exactLine } from "./exact.ts";

/** Who a person is in the servers that name people, and how to change it. */
export function meCard(
  { name, email, also, servers }: PersonView,
  { command, said, language }: { command: string; said?: string; language?: string | undefined },
): Card {
  const { about: say } = wordsOf(language);
  const who = name === undefined ? [] : [{ label: say.labels.name, value: exactLine(name) }];
  const address = email === undefined ? [] : [{ label: say.labels.email, value: exactLine(email) }];
  const others = also.length === 0 ? [] : [{ label: say.labels.also, value: also.map(exactLine).join(", ") }];
  const items = [...who, ...address, ...others];
  const example = servers.find(({ account }) => account?.origin !== "file")?.server;
  return infoCard(
    say.whoYouAre,
    [
      ...(items.length === 0 ? [] : [{ type: "fields" as const, items }]),
      servers.length === 0
        ? { type: "text", text: say.noPeople }
        : { type: "list", items: servers.map((server) => serverItem(server, say)) },
      ...(example === undefined || command === ""
        ? []
        : [
            {
              type: "footer" as const,
              text: say.meFooter(command, exactLine(example)),
            },
          ]),
    ],
    { problem: said, language },
  );
}

function serverItem({ title, account }: PersonInServer, say: Words["about"]): ListElement["items"][number] {
  const text = exactLine(title);
  if (account === undefined)
    return { text, detail: say.asked, badges: [{ text: say.notKnown, tone: "neutral" }] };
  const { name, id, origin } = account;
  const whom = name === id ? exactLine(name) : `${exactLine(name)} (${exactLine(id)})`;
  return { text, detail: `${whom}, ${say.origins[origin]}` };
}
