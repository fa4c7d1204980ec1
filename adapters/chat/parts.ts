import type { AccountActions } from "#contract/connections.ts";
import type { Cards, Core } from "#contract/core.ts";
import type { ApprovalActions } from "#contract/approval-actions.ts";
import type { Forms } from "#contract/form.ts";
import type { MeActions } from "#contract/people.ts";
import type { TurnView } from "#contract/present.ts";

import type { GroupMembers } from "./notice.ts";

/** Each takes data first, as pino does. */
export type ChatLog = Record<"debug" | "info" | "warn" | "error", (data: object, message: string) => void>;

/** Plain state that outlives the process. Rejects when the store cannot be read or written. */
export interface ChatState<Value> {
  get(key: string): Promise<Value | undefined>;
  /** `ttlMs`: how long it is kept; for ever without it. */
  set(key: string, value: Value, ttlMs?: number): Promise<unknown>;
}

/** What the composition root hands to the adapter of any chat platform. */
export interface ChatParts {
  core: Core;
  cards: Cards;
  forms: Forms;
  /** What people do with requests. */
  desk: ApprovalActions;
  /** What people do with accounts of theirs. */
  accounts: AccountActions;
  /** Who people are in the servers. */
  who: MeActions;
  groupMembers: GroupMembers;
  log: ChatLog;
  /** Told how long a limit of the platform holds a call back, in milliseconds; must not throw. */
  onWait?: (ms: number) => void;
  /** What is written in a channel, as its setting names it; undefined: English. */
  language: (channel: string) => string | undefined;
  /** The turn as it is now; undefined when there is none. */
  view: (turnId: string) => Promise<TurnView | undefined>;
  /** By turn id: which page of each card is open. */
  pages: ChatState<Record<string, number>>;
}
