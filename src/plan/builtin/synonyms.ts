import { stemOf } from "./words.ts";

/** General English of teams at work; one group a line. No group belongs to a particular tool. */
const GROUPS = `
issue ticket bug story task defect card
page doc docs document documentation article wiki handbook guide runbook manual confluence
comment note reply remark annotation
user person people member colleague
directory folder
file document
image picture photo screenshot
message text
environment env
variable setting
project board
space area
repository repo
sum total addition
event meeting appointment
customer client account
order purchase
invoice bill
log logs logging
alert alarm incident
calendar schedule
folder directory
size weight
schema structure
record row entry
team group
branch fork
job run build pipeline
`;

/** Stems that mean nearly the same as a stem, without itself. */
export type Synonyms = ReadonlyMap<string, ReadonlySet<string>>;

export function createSynonyms(): Synonyms {
  const synonyms = new Map<string, Set<string>>();
  for (const line of GROUPS.trim().split("\n")) {
    const stems = line.split(" ").map(stemOf);
    for (const stem of stems) {
      const others = synonyms.get(stem) ?? new Set<string>();
      for (const other of stems) if (other !== stem) others.add(other);
      synonyms.set(stem, others);
    }
  }
  return synonyms;
}
