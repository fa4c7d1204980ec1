import type { Card, ListElement } from "#contract/card.ts";
import type { AccountOrigin, PersonInServer, PersonView } from "#contract/people.ts";

import { infoCard } from "./about.ts";
import { exactLine } from "./exact.ts";

const ORIGINS: Record<AccountOrigin, string> = {
  file: "as the operator says",
  told: "as you said",
  email: "by your e-mail address",
  id: "by your id",
};

/** Who a person is in the servers that name people, and how to change it. */
export function meCard(
  { name, email, also, servers }: PersonView,
  { command, said }: { command: string; said?: string },
): Card {
  const who = name === undefined ? [] : [{ label: "Name", value: exactLine(name) }];
  const address = email === undefined ? [] : [{ label: "E-mail", value: exactLine(email) }];
  const others = also.length === 0 ? [] : [{ label: "Also", value: also.map(exactLine).join(", ") }];
  const items = [...who, ...address, ...others];
  const example = servers.find(({ account }) => account?.origin !== "file")?.server;
  return infoCard(
    "Who you are",
    [
      ...(items.length === 0 ? [] : [{ type: "fields" as const, items }]),
      servers.length === 0
        ? { type: "text", text: "No server here names people." }
        : { type: "list", items: servers.map(serverItem) },
      ...(example === undefined || command === ""
        ? []
        : [
            {
              type: "footer" as const,
              text: `${command} ${exactLine(example)} NAME changes it, by a name, an address or an id; ${command} ${exactLine(example)} forget forgets it.`,
            },
          ]),
    ],
    said,
  );
}

function serverItem({ title, account }: PersonInServer): ListElement["items"][number] {
  const text = exactLine(title);
  if (account === undefined)
    return { text, detail: "I ask you when it matters", badges: [{ text: "not known", tone: "neutral" }] };
  const { name, id, origin } = account;
  const whom = name === id ? exactLine(name) : `${exactLine(name)} (${exactLine(id)})`;
  return { text, detail: `${whom}, ${ORIGINS[origin]}` };
}
