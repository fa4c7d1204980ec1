import type { Cards } from "#contract/core.ts";

import { privacyCard, statusCard, toolsCard } from "./about.ts";
import { accountsCard } from "./accounts.ts";
import { approvalCard } from "./approval.ts";
import { commandHelpCard, helpCard } from "./help.ts";
import { pendingCard } from "./pending.ts";
import { grantsCard, grantTermsCard } from "./grant-cards.ts";

/** The cards that are not tool results, for the composition root to hand to the adapters. */
export function createCards(): Cards {
  return {
    approval: approvalCard,
    help: helpCard,
    commandHelp: commandHelpCard,
    tools: toolsCard,
    status: statusCard,
    privacy: privacyCard,
    accounts: accountsCard,
    pending: pendingCard,
    grantTerms: grantTermsCard,
    grants: grantsCard,
  };
}
