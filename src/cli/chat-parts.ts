import type { ChatParts } from "#adapters/chat/parts.ts";
import { createCards } from "#views/cards/cards.ts";
import { createForms } from "#views/forms.ts";

import { createAccountsDesk } from "../present/accounts-desk.ts";
import { createDesk } from "../present/desk.ts";
import type { Settings } from "../settings/load.ts";
import type { Product } from "./product-port.ts";

/** What the adapter of a chat platform is given; `pages` names where it keeps which pages are open. */
export function chatParts(product: Product, settings: Settings, pages: string): ChatParts {
  const { core, log } = product;
  const cards = createCards();
  const forms = createForms();
  const { groups } = settings.policy;
  return {
    core,
    cards,
    forms,
    log,
    desk: createDesk({ core, cards, forms, now: Date.now }),
    accounts: createAccountsDesk({ connections: product.connections, cards }),
    groupMembers: (group) => (Object.hasOwn(groups, group) ? groups[group] : undefined),
    view: (turnId) => product.view(turnId),
    pages: product.state(pages),
  };
}
