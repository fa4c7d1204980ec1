import type { PersonName } from "./company.ts";

/** What one of the scenarios comes to, in the order it happens. */
export type Beat =
  /** Says something to the bot and waits until its turn rests. */
  | { say: string; by: PersonName }
  /** Decides the request of the last answer. */
  | { decide: "approve" | "deny"; by: PersonName; reason?: string }
  /** Changes arguments of the request of the last answer. */
  | { edit: Record<string, string>; by: PersonName }
  /** Presses what the last answer offers next: another page, another try. */
  | { next: "more" | "retry"; by: PersonName }
  /** Until the request of the last answer is in one of these states. */
  | { until: string }
  /** What is seen now is worth a picture. */
  | { shot: string };

export interface Scenario {
  name: string;
  title: string;
  beats: readonly Beat[];
}

/**
 * Ten things that happen to people. `version` sets the releases of surfaces apart, and `issues` their issues, so
 * that all play in one company.
 */
export function scenariosFor({
  version,
  project,
  first,
}: {
  version: string;
  project: string;
  first: number;
}): readonly Scenario[] {
  const issue = (at: number): string => `${project}-${first + at}`;
  return [
    {
      name: "read",
      title: "A record is read",
      beats: [{ say: `show me ${issue(0)}`, by: "ana" }, { shot: "done" }],
    },
    {
      name: "search",
      title: "A search, and its next page",
      beats: [
        { say: "find issues in DEMO", by: "ana" },
        { shot: "done" },
        { next: "more", by: "ana" },
        { shot: "more" },
      ],
    },
    {
      name: "assign",
      title: "An issue is assigned to the one who asks",
      beats: [
        { say: `assign ${issue(0)} to me`, by: "ben" },
        { shot: "waiting" },
        { decide: "approve", by: "ana" },
        { until: "done" },
        { shot: "done" },
      ],
    },
    {
      name: "delete",
      title: "Two people approve a deletion",
      beats: [
        { say: `delete ${issue(1)}`, by: "emi" },
        { shot: "waiting" },
        { decide: "approve", by: "ben", reason: "Nobody needs it any more" },
        { shot: "one" },
        { decide: "approve", by: "chloe", reason: "Agreed" },
        { until: "done" },
        { shot: "done" },
      ],
    },
    {
      name: "edit",
      title: "A request is changed before it is approved",
      beats: [
        { say: `move ${issue(2)} to In Review`, by: "ana" },
        { edit: { Status: "Backlog" }, by: "ana" },
        { shot: "waiting" },
      ],
    },
    {
      name: "deny",
      title: "A request is denied",
      beats: [
        { say: `add a comment to ${issue(3)}: We ship this on Friday.`, by: "ana" },
        { decide: "deny", by: "ben", reason: "Friday is a holiday" },
        { until: "denied" },
        { shot: "done" },
      ],
    },
    {
      name: "expired",
      title: "Nobody decides in time",
      beats: [
        { say: `create an issue in ${project} titled 'Printer on fire'`, by: "ana" },
        { until: "expired" },
        { shot: "done" },
      ],
    },
    {
      name: "failed",
      title: "A change fails and is tried again",
      beats: [
        { say: `/release ${version}`, by: "ana" },
        { decide: "approve", by: "ben" },
        { until: "failed" },
        { shot: "failed" },
        { next: "retry", by: "ana" },
        { decide: "approve", by: "ben" },
        { until: "done" },
        { shot: "done" },
      ],
    },
    {
      name: "unknown",
      title: "Nobody knows whether it happened",
      beats: [
        { say: `/release announce ${version}`, by: "ana" },
        { decide: "approve", by: "ben" },
        { until: "unknown" },
        { shot: "done" },
      ],
    },
    {
      name: "several",
      title: "Several changes at once",
      beats: [
        { say: `move ${issue(4)} and ${issue(5)} to Backlog`, by: "ana" },
        { shot: "waiting" },
        { decide: "approve", by: "ben" },
        { until: "done" },
        { shot: "done" },
      ],
    },
  ];
}
