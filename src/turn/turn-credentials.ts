import type { Credentials } from "#contract/credentials.ts";

import { createSealedKeyv, forgetSealed, type Sealer } from "../store/sealed.ts";
import type { Db, Tx } from "../store/schema.ts";

/**
 * What people give along with a turn for its calls, sealed in the store: a turn that waits for a
 * countersignature has it after a restart, and on every replica. It goes when the turn ends.
 */
export interface TurnCredentials {
  /** In the transaction that accepts the turn. */
  keep(tx: Tx, turnId: string, credentials: Credentials): Promise<void>;
  /** Rejects with the codes of Sealer.open. */
  of(turnId: string): Promise<Credentials | undefined>;
}

const NAMESPACE = "turn-credentials";

export function createTurnCredentials({ db, sealer }: { db: Db; sealer: Sealer }): TurnCredentials {
  const kept = createSealedKeyv<Credentials>(db, NAMESPACE, sealer);
  return {
    async keep(tx, turnId, credentials) {
      await createSealedKeyv<Credentials>(tx, NAMESPACE, sealer).set(turnId, credentials);
    },
    of: (turnId) => kept.get(turnId),
  };
}

/** In the transaction that ends the turn. */
export async function forgetCredentials(tx: Tx, turnId: string): Promise<void> {
  await forgetSealed(tx, NAMESPACE, turnId);
}
