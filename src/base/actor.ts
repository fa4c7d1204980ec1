/** The person's own part of an actor id: `ana` of `http:ana`, `U1` of `slack:T1:U1`. */
export function actorName(actor: string): string {
  return actor.slice(actor.lastIndexOf(":") + 1);
}
