import type { Approval } from "#contract/approval.ts";

type Terms = Pick<Approval, "approvers" | "excludeRequester" | "quorum" | "requestedBy"> &
  Partial<Pick<Approval, "channel">>;

/**
 * Who may approve, in words: "Ben or Chloe", "anyone in the channel other than Ana", "two people of the group leads".
 * `nameOf` names a person or, as it is in the configuration, a group.
 */
export function approversText(
  { approvers, excludeRequester, quorum, requestedBy, channel = "" }: Terms,
  nameOf: (actorOrGroup: string) => string,
): string {
  const isMany = quorum > 1;
  const whole: string[] = [];
  const people: string[] = [];
  for (const approver of approvers) {
    if (approver === "channel") whole.push(hasMembers(channel) ? "in the channel" : "");
    else if (approver.startsWith("group:")) whole.push(`of the group ${nameOf(approver.slice(6))}`);
    else people.push(nameOf(approver === "requester" ? requestedBy : approver));
  }
  const others = excludeRequester && whole.length > 0 ? ` other than ${nameOf(requestedBy)}` : "";
  if (whole.length === 0) {
    if (people.length === 0) return "nobody";
    if (!isMany) return joined(people, "or");
    return people.length === quorum
      ? joined(people, "and")
      : `${numberWord(quorum)} of ${joined(people, "and")}`;
  }
  if (isMany && people.length === 0)
    return `${`${numberWord(quorum)} people ${joined(whole, "or")}`.trim()}${others}`;
  const all = joined([...people, ...whole.map((where) => `anyone ${where}`.trim())], "or");
  return `${isMany ? `${numberWord(quorum)} of: ` : ""}${all}${others}`;
}

/** The page and the terminal have no channels: whoever may talk there may approve there. */
function hasMembers(channel: string): boolean {
  return !/^(?:http|console):/.test(channel);
}

const NUMBERS = ["none", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"];

function numberWord(number: number): string {
  return NUMBERS[number] ?? String(number);
}

function joined(words: readonly string[], and: "and" | "or"): string {
  const last = words.at(-1) ?? "";
  return words.length < 2 ? last : `${words.slice(0, -1).join(", ")} ${and} ${last}`;
}
