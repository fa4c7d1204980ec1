import type { ActorId } from "#contract/actor.ts";
import type { Approval } from "#contract/approval.ts";
import type { Notice } from "#contract/present.ts";
import { actorName } from "#src/base/ids.ts";
import { wordsFor } from "#src/base/statement.ts";
import type { Words } from "#src/base/words/en.ts";

import type { Flow, Line } from "../document/tree.ts";
import { words } from "./line.ts";
import {
  type Awaited,
  awaitedBy,
  type GroupMembers,
  isOut,
  joined,
  noticeText,
  outcomeFlow,
  waitingFlow,
} from "./notice.ts";

/** A message as its platform draws it; `text` is what a list of notifications shows. */
export interface NoticeContent {
  text: string;
  flow: Flow[];
}

/** What a platform does for one notice. What rejects is tried again later as a whole. */
export interface NoticePlatform {
  /** Undefined where the platform does not know such a person. */
  mention(actor: ActorId): Line | undefined;
  /** A group that the platform knows: its people where they are few, else how it is called as a whole. */
  group(name: string): Promise<{ people: readonly ActorId[] } | { mention: Line } | undefined>;
  /** Whether a mention in the channel reaches them. */
  isHere(actor: ActorId): Promise<boolean>;
  nameOf(actor: ActorId): Promise<string | undefined>;
  link(approval: Approval): Promise<string | undefined>;
  /** The channel, as a direct message names it. */
  channel: Line;
  /** False: they cannot be reached, which trying again does not change. */
  sendDirect(actor: ActorId, content: NoticeContent): Promise<boolean>;
  post(content: NoticeContent): Promise<void>;
}

/** Who is told in which way. */
interface Reached {
  called: ActorId[];
  told: ActorId[];
  missed: ActorId[];
}

/**
 * Tells the people of a notice: a mention in the thread where that reaches them, else a direct message; whom neither
 * reaches is named, so that somebody else can tell them.
 */
export async function deliverNotice(
  notice: Notice,
  platform: NoticePlatform,
  groupMembers: GroupMembers,
): Promise<void> {
  return notice.kind === "outcome"
    ? deliverOutcome(notice, platform)
    : deliverWaiting(notice, platform, groupMembers);
}

async function deliverWaiting(
  notice: Notice,
  platform: NoticePlatform,
  groupMembers: GroupMembers,
): Promise<void> {
  const { kind, way, approvals } = notice;
  const { notices: say } = wordsFor(approvals[0]?.statement ?? {});
  const awaited = awaitedBy(approvals, groupMembers);
  const groups = await Promise.all(
    awaited.groups.map(async (group) => ({ group, found: await platform.group(group) })),
  );
  const small = groups.flatMap(({ group, found }) => {
    if (found !== undefined && "mention" in found) return [];
    return [{ group, people: (found?.people ?? []).filter(mayDecide(approvals)) }];
  });
  const named = [...awaited.people, ...[...awaited.members, ...small].flatMap(({ people }) => people)];
  const people = [...new Set(named)];
  const names = await namesFor(approvals, people, platform);
  const content = (lines: readonly Line[]): NoticeContent => ({
    text: noticeText(notice),
    flow: waitingFlow(notice, lines, names),
  });
  const reached = await reach(people, platform, way === "dm", async (actor) => {
    const { text, flow } = content([]);
    return platform.sendDirect(actor, {
      text,
      flow: [...flow, [...words(say.mayDecide), ...platform.channel, ...words(".")]],
    });
  });
  const calls = new Map(reached.called.map((actor) => [actor, platform.mention(actor) ?? []]));
  const whom = (actor: ActorId): Line => calls.get(actor) ?? names.name(actor);
  const large = groups.flatMap(({ found }) =>
    found !== undefined && "mention" in found ? [found.mention] : [],
  );
  const lines = [
    ...awaited.people.map(whom),
    ...[...awaited.members, ...small].flatMap((one) => groupLine(one, whom, say)),
    ...large,
    ...(awaited.anyone ? [words(say.anyoneHere)] : []),
  ];
  const isForAll = way === "channel" || kind === "reminder";
  const isNeeded = reached.called.length + large.length + reached.missed.length > 0;
  const isOwed = way === "dm" ? reached.told.length === 0 : isForAll || reached.told.length > 0;
  if (!isNeeded && !isOwed) return;
  if (way === "dm" && !isNeeded && lines.length === 0) return;
  const { text, flow } = content(lines);
  await platform.post({ text, flow: [...flow, ...asides(reached, names.name, say)] });
}

function mayDecide(approvals: readonly Approval[]): (actor: ActorId) => boolean {
  return (actor) => approvals.some((approval) => !isOut(approval, actor));
}

function groupLine(
  { group, people }: Awaited["members"][number],
  whom: (actor: ActorId) => Line,
  say: Words["notices"],
): Line[] {
  const label = words(say.group(group));
  return [
    people.length === 0
      ? label
      : [...label, ...words(" ("), ...joined(people.map(whom), ", "), ...words(")")],
  ];
}

async function deliverOutcome(notice: Notice, platform: NoticePlatform): Promise<void> {
  const { approvals } = notice;
  const { notices: say } = wordsFor(approvals[0]?.statement ?? {});
  const requesters = [...new Set(approvals.map(({ requestedBy }) => requestedBy))];
  const names = await namesFor(approvals, requesters, platform);
  const content = (of: readonly Approval[], call: (actor: ActorId) => Line): NoticeContent => ({
    text: noticeText({ kind: "outcome", approvals: [...of] }),
    flow: outcomeFlow(of, { ...names, call }),
  });
  const reached = await reach(requesters, platform, false, (actor) => {
    const own = approvals.filter(({ requestedBy }) => requestedBy === actor);
    return platform.sendDirect(actor, content(own, names.name));
  });
  const call = (actor: ActorId): Line =>
    (reached.called.includes(actor) ? platform.mention(actor) : undefined) ?? names.name(actor);
  const { text, flow } = content(approvals, call);
  await platform.post({ text, flow: [...flow, ...asides(reached, names.name, say)] });
}

/** Sends what cannot be said in the thread first, as the thread then says who was told. */
async function reach(
  people: readonly ActorId[],
  platform: NoticePlatform,
  isDirect: boolean,
  send: (actor: ActorId) => Promise<boolean>,
): Promise<Reached> {
  const reached: Reached = { called: [], told: [], missed: [] };
  for (const actor of people) {
    // Somebody of another surface has an inbox there.
    if (platform.mention(actor) === undefined) continue;
    if (!isDirect && (await platform.isHere(actor))) reached.called.push(actor);
    else if (await send(actor)) reached.told.push(actor);
    else reached.missed.push(actor);
  }
  return reached;
}

function asides({ told, missed }: Reached, name: (actor: ActorId) => Line, say: Words["notices"]): Flow[] {
  const line = (lead: string, people: readonly ActorId[]): Flow[] =>
    people.length === 0 ? [] : [[...words(lead), ...joined(people.map(name), ", "), ...words(".")]];
  return [...line(say.told, told), ...line(say.missed, missed)];
}

/** Everybody whom the notice may name, and the addresses of its requests. */
async function namesFor(
  approvals: readonly Approval[],
  people: readonly ActorId[],
  platform: NoticePlatform,
): Promise<{ name: (actor: ActorId) => Line; link: (approval: Approval) => string | undefined }> {
  const actors = new Set<ActorId>([
    ...people,
    ...approvals.flatMap(({ requestedBy, votes }) => [requestedBy, ...votes.map(({ actor }) => actor)]),
  ]);
  const named = await Promise.all(
    [...actors].map(async (actor) => [actor, await platform.nameOf(actor)] as const),
  );
  const links = await Promise.all(
    approvals.slice(0, 10).map(async (approval) => [approval.id, await platform.link(approval)] as const),
  );
  const names = new Map(named);
  const addresses = new Map(links);
  return {
    // Without a name of theirs, people of a platform are mentioned rather than called by an id.
    name(actor) {
      const name = names.get(actor);
      return name === undefined ? (platform.mention(actor) ?? words(actorName(actor))) : words(name);
    },
    link: ({ id }) => addresses.get(id),
  };
}
