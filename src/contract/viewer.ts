import type { AccountsDesk } from "./accounts.ts";
import type { ActorId } from "./actor.ts";
import type { Connections } from "./connections.ts";
import type { Core } from "./core.ts";
import type { TurnView } from "./present.ts";

/** Somebody whom a surface has made sure of. */
export interface Viewer {
  actor: ActorId;
  /** Who they are on chat platforms, as the operator says. */
  also: readonly ActorId[];
}

/** The product as a surface is given it. */
export interface Offer {
  core: Core;
  /** Without them nobody connects an account. */
  connections?: Connections;
  accounts?: AccountsDesk;
  /** A turn as its message on a chat platform would show it; undefined when there is none. */
  view(turnId: string): Promise<TurnView | undefined>;
}

export interface Offers {
  /** Everything: for operators, and where people are not told apart. */
  all: Offer;
  /** What one person may see and use: what belongs to others is there as if it did not exist. */
  of(viewer: Viewer): Offer;
}
