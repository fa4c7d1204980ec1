import type { ActorId } from "#contract/actor.ts";

import { CountersignError } from "../base/errors.ts";

/** The value of `--as`; undefined where it was not given. Throws `wrong_use`. */
export function readActor(given: string | boolean | undefined): ActorId | undefined {
  if (typeof given !== "string") return undefined;
  if (/^(slack|discord|console|http):\S+$/.test(given)) return given as ActorId;
  throw new CountersignError(
    "wrong_use",
    `--as: expected an actor such as http:ana or slack:T1:U1, got ${given}`,
  );
}
