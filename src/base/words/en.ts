import type { ApprovalState } from "#contract/approval.ts";
import type { Statement } from "#contract/statement.ts";
import type { TurnPhase } from "#contract/turn.ts";

import { dayText, momentText } from "../moments.ts";

/*
 * Every sentence that people read in a conversation. Another language is a file beside this one with the same keys;
 * the compiler lists what is missing there. A function gets what is named in its sentence, in the order of English.
 * Texts of people, servers and operators stay as they are.
 */

const NUMBERS = ["none", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"];
const lists = {
  and: new Intl.ListFormat("en-GB", { type: "conjunction" }),
  or: new Intl.ListFormat("en-GB", { type: "disjunction" }),
};

function counted(amount: number, one: string, many = `${one}s`): string {
  return `${grouped(amount)} ${amount === 1 ? one : many}`;
}

function grouped(amount: number): string {
  return amount.toLocaleString("en-GB");
}

function all(verb: string, what: string, rest = ""): string {
  const text = [verb, what, rest].filter((part) => part !== "").join(" ");
  return rest.startsWith(": ") ? text.replace(` ${rest}`, rest) : text;
}

/** "issues" of "issue", "replies" of "reply", "branches" of "branch"; what is many already stays. */
export function pluralOf(noun: string): string {
  if (/(?:[^s]s|ies|people|data)$/i.test(noun) && !/(?:bus|status|news|alias)$/i.test(noun)) return noun;
  if (/[^aeiou]y$/i.test(noun)) return `${noun.slice(0, -1)}ies`;
  return /(?:s|x|z|ch|sh)$/i.test(noun) ? `${noun}es` : `${noun}s`;
}

const unit = { day: "day", hour: "hour", minute: "minute", second: "second" };

export const en = {
  locale: "en-GB",
  grouped,
  and: (items: readonly string[]) => lists.and.format(items),
  or: (items: readonly string[]) => lists.or.format(items),
  /** A text of others within a sentence. */
  quote: (text: string) => `“${text}”`,
  /** "21 Nov 2026", of the day in UTC. */
  day: (date: Date) => dayText(date),
  duration: (amount: number, of: keyof typeof unit) => `${amount} ${unit[of]}${amount === 1 ? "" : "s"}`,
  /** "21 Nov 2026, 14:05 UTC", for plain texts; elsewhere surfaces show the reader's own time. */
  moment: (at: Date) => momentText(at),
  /** A value of a statement, such as a day. */
  value: (text: string) => text,
  /** What we call fields of records and of details; a label that is not here stays as it is. */
  labels: {} as Readonly<Record<string, string>>,

  /** What a call does: the object is set in, such as "DEMO-5 “Export fails on Safari”". */
  statement: {
    ask: ({ verb, rest }: Statement, what: string) => all(verb, what, rest),
    done: ({ past, rest, doneRest = rest }: Statement, what: string) => all(past, what, doneRest),
    /** For a button, without `rest`. */
    button: ({ verb }: Statement, label: string) => all(verb, label),
    /** The same of something that has no short name. */
    order: ({ verb }: Statement) => verb.replace(/ (?:between|for|from|in|of|on|to)$/, ""),
    /** Of several calls that do the same: their objects by name, or how many they are. */
    together: (
      { verb, rest, object }: Statement,
      amount: number,
      names: string | undefined,
      inFull: boolean,
    ) => {
      const { kind = "record" } = object ?? {};
      const saysKind = verb.endsWith(` ${kind}`);
      // "Create a bug" counts as "Create 2 bugs".
      const order = saysKind ? verb.slice(0, -kind.length).replace(/ (?:an? )?$/, "") : verb;
      const named = names !== undefined && saysKind ? `${pluralOf(kind)} ${names}` : names;
      return all(order, named ?? `${amount} ${pluralOf(kind)}`, inFull ? rest : "");
    },
    moreOf: (amount: number, kind: string) => `${amount} more ${pluralOf(kind)}`,
    andMore: (first: string, more: number) => `${first}, and ${more} more`,
    /** A sentence behind another one. */
    goesOn: (sentence: string) => sentence.charAt(0).toLowerCase() + sentence.slice(1),
    approveAll: (amount: number) => `Approve all ${amount}`,
    question: (sentence: string) => `${sentence}?`,
    didItHappen: (sentence: string) => `Did this happen? ${sentence}`,
    /** For a call that would change nothing. */
    already: ({ already = "is already as asked for" }: Statement, what: string) =>
      `${what === "" ? "It" : what} ${already}`,
    since: (labels: string) => `${labels} changed`,
    failed: (sentence: string, why: string) => `${sentence} failed: ${why}`,
  },

  buttons: {
    approve: "Approve",
    approveAll: "Approve all",
    approveBoth: "Approve both",
    approveThese: (amount: number) => `Approve these ${amount}`,
    approveSome: (amount: number) => `Approve ${amount}`,
    denyBoth: "Deny both",
    denyThese: (amount: number) => `Deny these ${amount}`,
    denySome: (amount: number) => `Deny ${amount}`,
    approveForAWhile: "Approve for a while",
    approveAndAllow: "Approve and allow",
    deny: "Deny",
    withdraw: "Withdraw",
    denyAll: "Deny all",
    edit: "Edit",
    details: "Details",
    detailsOf: (what: string) => `Details: ${what}`,
    lookUp: "Look it up",
    happened: "It happened",
    didNot: "It did not happen",
    standing: "Standing approvals",
    revoke: (number: string, what: string) => `Revoke${number}: ${what}`,
    stop: "Stop",
    fillIn: "Fill in",
    showReply: "Show the whole reply",
    showJson: "Show JSON",
    runLog: "Run log",
    show: "Show",
    showAll: "Show all",
    showAllOf: (amount: number) => `Show all ${grouped(amount)}`,
    showMore: (amount: number) => `Show ${grouped(amount)} more`,
    previous: "← Previous",
    next: "Next →",
    share: "Share with the channel",
    more: "More",
    open: "Open",
    openPage: (domain: string) => `Open ${domain}`,
    openTheForm: "Open the form",
    save: "Save",
    send: "Send",
    cancel: "Cancel",
    close: "Close",
    ask: "Ask",
    run: "Run",
    answer: "Answer",
    decline: "Decline",
    opened: "I have opened it",
    addReason: "Add a reason",
    nextPart: "Next part",
    correctIt: "Correct it",
    yes: "Yes",
    no: "No",
    none: "(none)",
    tryAgain: "Try again",
    askAgain: "Ask again",
    askAgainTo: (order: string) => `Ask again: ${order}`,
    editAndTry: "Edit and try again",
    undo: "Undo",
    undoOf: (label: string) => `Undo ${label}`,
    /** What a tool does, as it calls it, to a record. */
    onRecord: (verb: string, record: string) => `${verb} ${record}`,
    connect: (server: string) => `Connect ${server}`,
    disconnect: (server: string) => `Disconnect ${server}`,
    sayWho: (server: string) => `Say who you are in ${server}`,
    changeWho: (server: string) => `Change ${server}`,
    forgetWho: (server: string) => `Forget ${server}`,
    connectSite: (server: string) => `Connect a site for ${server}`,
    useSite: {
      tenant: (site: string) => `Use ${site} here`,
      source: (site: string) => `Use ${site} as source`,
      target: (site: string) => `Use ${site} as target`,
    },
    stopUsing: {
      tenant: (site: string) => `Stop using ${site} here`,
      source: (site: string) => `Stop using ${site} as source`,
      target: (site: string) => `Stop using ${site} as target`,
    },
    allowSummaries: "Allow summaries",
    makePrivate: "Make private",
    helpful: " Helpful",
    notHelpful: " Not helpful",
  },

  /** The card of a request. */
  approval: {
    states: {
      pending: "needs approval",
      approved: "approved",
      executing: "running",
      done: "done",
      failed: "failed",
      unknown: "outcome unknown",
      denied: "denied",
      expired: "expired",
      void: "no longer valid",
      superseded: "replaced",
    } satisfies Record<ApprovalState, string>,
    needApproval: (amount: number) => `${amount} need approval`,
    changedSince: "Changed since it was approved",
    assumed: "assumed by the model",
    /** What a request works on: one site, or the two of a migration. */
    sites: { tenant: "Site", source: "From", target: "To" },
    notEncrypted: "not encrypted",
    requestedBy: (name: string) => `Requested by ${name}`,
    mayApprove: (who: string) => `${who} may approve`,
    given: (given: number, quorum: number) => `${given} of ${quorum} approvals`,
    until: (moment: string) => `until ${moment}`,
    needsReason: "a reason is required",
    actsAs: (account: string) => `acts as ${account}`,
    later: (wishes: string) => `Not part of this, and taken up when it is done: ${wishes}.`,
    canUndo: "Can be undone.",
    canUndoFor: (duration: string) => `Can be undone within ${duration}.`,
    canUndoUntil: (moment: string) => `Can be undone until ${moment}.`,
    cannotUndo: "Cannot be undone.",
    approvedOn: (name: string, moment: string) => `${name} approved on ${moment}`,
    deniedOn: (name: string, moment: string) => `${name} denied on ${moment}`,
    reason: (reason: string) => `Reason: ${reason}`,
    nobody: "nobody",
    somebody: "Somebody",
    inTheChannel: "in the channel",
    ofTheGroup: (group: string) => `of the group ${group}`,
    anyone: (where: string) => `anyone ${where}`,
    otherThan: (name: string) => ` other than ${name}`,
    /** "two people in the channel". */
    people: (amount: number, where: string) => `${NUMBERS[amount] ?? String(amount)} people ${where}`,
    someOf: (amount: number, who: string) => `${NUMBERS[amount] ?? String(amount)} of ${who}`,
    someOfThese: (amount: number, who: string) => `${NUMBERS[amount] ?? String(amount)} of: ${who}`,
  },

  /** How a request stands, once there is something to say. */
  outcome: {
    note: "Note",
    on: (moment: string) => ` on ${moment}`,
    by: (names: string) => ` by ${names}`,
    approved: (by: string, on: string) => `Approved${by}${on}`,
    byStanding: (name: string, on: string) => `Allowed by the standing approval of ${name}${on}`,
    byPolicy: (on: string) => `Allowed by policy, without approval${on}`,
    notSent: (approved: string) => `${approved}. It has not been sent yet.`,
    beingSent: (approved: string) => `${approved}; it is being sent.`,
    done: (approved: string) => `${approved}, and done.`,
    failed: (approved: string) => `${approved}, but it did not succeed.`,
    unknown: (approved: string) =>
      `${approved} and sent, but no answer came back. Look whether it happened, then say so here. It is not sent again.`,
    takenBack: (by: string, on: string) => `Taken back${by}${on}. Nothing was sent.`,
    denied: (by: string, on: string) => `Denied${by}${on}. Nothing was sent.`,
    expired: (why: string) => `${why} Nothing was sent.`,
    void: (on: string, why: string) =>
      `It no longer holds${on === "" ? "" : `, noticed${on}`}: ${why}. Nothing was sent.`,
    voidWhy: "the tool or its rule changed after the request",
    superseded: (note: string, on: string) =>
      `A newer request took its place${note === "" ? "" : ` (${note})`}${on}. Nothing was sent from this one.`,
    lateWhy: "it could not be sent in time",
    nobodyBefore: (moment: string) => `Nobody decided before ${moment}.`,
    onlySome: (given: number, quorum: number, moment: string) =>
      `Only ${given} of ${quorum} approvals came before ${moment}.`,
    cameLater: (moment: string, what: string, rest: string) =>
      `A result came later, on ${moment}: ${what}. ${rest}`,
    lateResults: {
      done: "the tool reports that it was done",
      failed: "the tool reports that it failed",
      unknown: "it does not tell whether it happened",
    },
    settleWithIt: "Settle it with this in mind.",
    keptAsEvidence: "It is kept as evidence and changes nothing.",
    lookUp: "Looking it up shows what is there now, and changes nothing.",
  },

  /** Under "Details" of a request. */
  details: {
    willBeSent: "What will be sent",
    isBeingSent: "What is being sent",
    wasSent: "What was sent",
    wasAskedFor: "What was asked for",
    dryRun: "What the dry run says will change",
    notFromMessage: "Not from the message",
    fromEarlier: "from earlier in this conversation",
    asInMessage: (quoted: string) => `as in the earlier message ${quoted}`,
    fromEarlierResult: "from an earlier result",
    fromResultOf: (what: string) => `from the result of ${what}`,
    toolDefault: "the tool’s own default",
    fixed: "set by the configuration",
    fromForm: "changed in the form",
    noArguments: "No arguments.",
    expires: (moment: string, after: string) => `${moment} (${after} after it was asked)`,
    reminded: (moment: string) => `sent on ${moment}`,
    argumentsAsJson: "Arguments as JSON",
  },

  /** Standing approvals. */
  grants: {
    title: "Standing approvals",
    readsOf: (server: string) => `All that ${server} says only reads`,
    unknownRead: (server: string) =>
      `${server} says that this only reads, which is not known here. Whoever approves can trust what ${server} says only reads, or an operator can with trust_annotations.`,
    trustReads: (server: string) => `Trust reads of ${server}`,
    trustTerms: (server: string, duration: string, uses: number) =>
      `With the approval, what ${server} says only reads runs here without asking: for up to ${duration}, up to ${counted(uses, "time")}, as long as it lists the same reads. It is recorded, and can be revoked.`,
    some: (amount: number) => counted(amount, "standing approval"),
    terms: (what: string) => `Allow for a while: ${what}`,
    termsText: (what: string, duration: string, uses: number) =>
      `${what}\nApproves this request, and lets the same run again in this conversation without asking: for up to ${duration}, up to ${counted(uses, "time")}.`,
    nothing: "Nothing runs without asking in this conversation.",
    used: (uses: number, most: number) => `${uses} of ${most}`,
    toolAlone: "The tool alone; no argument has to be equal.",
    mustBeEqual: "Must be equal, and nothing added",
    nothingMayDiffer: "nothing",
    mayBeAllowed: "May be allowed for a while",
    offer: (duration: string, uses: number) =>
      `With the approval, the same may run again without asking: for up to ${duration}, up to ${counted(uses, "time")}, in this conversation alone.`,
    equalTool: "the tool, with no other argument added",
    equalNames: (names: string) => `${names}, as above, and nothing added`,
    given: (moment: string, uses: number, most: number) =>
      `Given with it: the same runs without asking until ${moment}; used ${uses} of ${counted(most, "time")}.`,
    revokedBy: (name: string, uses: number, most: number) =>
      `Given with it, and revoked by ${name}: the same asks again; it was used ${uses} of ${counted(most, "time")}.`,
    formTitle: "Allow for a while",
    howLong: "For how long",
    howOften: "How many more times",
    usesHelp: (most: number) => `From 1 to ${most}. This call itself is not counted.`,
  },

  /** What people are told beside the card. */
  notices: {
    needed: (asked: string) => `${asked} Approval is needed.`,
    stillNeeded: (asked: string) => `${asked} Approval is still needed.`,
    ended: (amount: number) => `${counted(amount, "request")} ended:`,
    endedAndMore: (amount: number, first: string) =>
      `${counted(amount, "request")} ended: ${first}, and more`,
    stillWaiting: "⏰ Still waiting: ",
    asked: " asked.",
    waitingFor: " Waiting for ",
    expires: " Expires ",
    firstExpires: " The first expires ",
    approvedBy: " Approved by ",
    deniedBy: " Denied by ",
    failed: (sentence: string) => `Failed: ${sentence}.`,
    lookAndAsk: "Look at the request, then ask again.",
    done: (sentence: string) => `${sentence}.`,
    unknown: (sentence: string) => `Nobody knows whether this happened: ${sentence}.`,
    unknownWhy:
      "It was sent, and no answer came back. Look whether it happened, then say so on the request. It is not sent again.",
    denied: (sentence: string) => `Denied: ${sentence}.`,
    deniedWhy: (reason: string) => `${reason === "" ? "" : `Reason: ${reason}. `}Nothing was changed.`,
    expired: (sentence: string) => `Expired: ${sentence}.`,
    nobodyInTime: "Nobody decided in time. ",
    onlySome: (given: number, quorum: number) => `Only ${given} of ${quorum} approvals came in time. `,
    notDone: (sentence: string) => `Not done: ${sentence}.`,
    askAgain: (why: string) => `${why}Nothing was changed. Ask again.`,
    andMore: (amount: number) => `and ${amount} more`,
    given: (given: number, quorum: number) =>
      ` ${given} of ${quorum} approvals ${given === 1 ? "is" : "are"} there.`,
    mayDecide: "You may decide it: open it by its link, in ",
    anyoneHere: "anyone in this channel",
    group: (name: string) => `the group ${name}`,
    told: "Told in a direct message: ",
    missed: "Could not be told, so please tell them: ",
  },

  /** What waits for one person. */
  inbox: {
    title: "Waiting for you",
    recent: "Recently decided",
    takenBack: "taken back",
    ends: {
      pending: "needs approval",
      approved: "approved",
      executing: "approved",
      done: "approved and done",
      failed: "approved, and failed",
      unknown: "outcome unknown",
      denied: "denied",
      expired: "expired",
      void: "no longer valid",
      superseded: "replaced",
    } satisfies Record<ApprovalState, string>,
    emptyTitle: "Nothing waits for you",
    nothing: "Nothing waits for your approval.",
    some: (amount: number) =>
      `${counted(amount, "request")} ${amount === 1 ? "waits" : "wait"} for your approval.`,
    askedExpires: (name: string) => `${name} asked. Expires `,
    item: (name: string, given: number, quorum: number, moment: string) =>
      `${name} asked, ${given} of ${quorum} ${quorum === 1 ? "approval" : "approvals"}, expires ${moment}`,
  },

  /** A turn's message. */
  turn: {
    undrawable: "Discord could not draw this answer. Ask an operator to look into the log.",
    phases: {
      queued: "Queued",
      planning: "Thinking",
      executing_tools: "Working",
      awaiting_approval: "Waiting for approval",
      summarizing: "Writing the answer",
      done: "Done",
    } satisfies Record<TurnPhase, string>,
    soFar: (results: number) => `${counted(results, "result")} so far`,
    sorry: "Sorry, that did not work.",
    sorryFor: (why: string) => `Sorry, that did not work: ${why}`,
    stopped: "Stopped.",
    stoppedBy: "⏹️ Stopped by ",
    done: "Done.",
    step: (phase: string, number: number) => `${phase} · step ${number}`,
    oneStep: "Step",
    plannedBy: (who: string) => `Planned by ${who}`,
    builtin: "Planned by the built-in planner, without a model",
    command: "Run as a command",
    moreRequests: (amount: number) => `${counted(amount, "more request")}: see /countersign approvals.`,
    moreResults: (amount: number) => `${counted(amount, "more result")}: see “Show JSON” in the menu below.`,
    moreResultsUnder: (amount: number) => `${counted(amount, "more result")}: see “Show JSON” under More.`,
    inFullIn: (file: string) => `In full in the attached ${file}`,
    sources: "Sources  ",
    notInFull: "(This could not be shown in full.)",
  },

  /** Cards of every kind. */
  cards: {
    noRows: "No rows.",
    noRowsOf: (columns: string) => `No rows (${columns}).`,
    wentWrong: "Something went wrong.",
    none: "none",
    yes: "yes",
    no: "no",
    before: "before",
    after: "after",
    more: "More",
    page: (page: number, pages: number) => `Page ${page} of ${pages}`,
    file: (name: string) => `In full in the attached file ${name}`,
    files: (names: string) => `In full in the attached files ${names}`,
    andMore: (amount: number) => ` and ${amount} more`,
    notAttached: (names: string) =>
      `Not attached, as too large or too many: ${names}. The playground has what was kept.`,
    bytes: (amount: number) => `${amount} bytes`,
    result: "Result",
    results: "Results",
    nothing: "Nothing to show.",
    noTitle: "(no title)",
    column: (number: number) => `Column ${number}`,
    rows: (from: number, to: number, rows: number) => `Rows ${from} to ${to} of ${rows}`,
    rowsHere: (rows: string) => `${rows} here,`,
    inAll: (total: number) => ` of ${counted(total, "row")} in all`,
    amountOf: (value: number, total: number) => `${value} of ${total}`,
  },

  /** Windows that show more. */
  windows: {
    json: "JSON",
    ok: "ok",
    failed: "failed",
    sent: "Sent",
    error: "Error",
    noCalls: "This turn made no calls.",
    runLog: "Run log",
    nothingLogged: "Nothing was logged.",
    approval: "Approval",
    resultGone: "This result is no longer there.",
    partGone: "This part is no longer there.",
    reply: "Reply",
  },

  /** Amounts of what results hold. */
  amounts: {
    row: (amount: number) => counted(amount, "row"),
    column: (amount: number) => counted(amount, "column"),
    moreColumn: (amount: number) => counted(amount, "more column"),
    item: (amount: number) => counted(amount, "item"),
    field: (amount: number) => counted(amount, "field"),
    moreField: (amount: number) => counted(amount, "more field"),
    technicalField: (amount: number) => counted(amount, "technical field"),
    emptyField: (amount: number) => counted(amount, "empty field"),
    group: (amount: number) => counted(amount, "group"),
    character: (amount: number) => counted(amount, "more character"),
    link: (amount: number) => counted(amount, "link"),
    change: (amount: number) => counted(amount, "older change"),
    comment: (amount: number) => counted(amount, "older comment"),
    issue: (amount: number) => counted(amount, "issue"),
    page: (amount: number) => counted(amount, "page"),
    table: (amount: number) => counted(amount, "table"),
    result: (amount: number) => counted(amount, "result"),
    agent: (amount: number) => counted(amount, "agent"),
    token: (amount: number) => counted(amount, "token"),
  },

  /** What the search of everything found. */
  knowledge: {
    nothingFound: "Nothing relevant was found",
    close: "close match",
    likely: "likely",
    maybe: "may fit",
    ticket: "Ticket",
    pageIn: (space: string) => (space === "" ? "Page" : `Page in ${space}`),
    byWords: "Searched by words alone, not by meaning.",
    empty: "Nothing is indexed here yet. Whoever runs this can add sources.",
    indexing: (percent: number) =>
      `The index is still being built (${percent} %), so there may be more later.`,
    relatedTo: (name: string) => `Code related to ${name}`,
    nothingRelated: (name: string) => `No code is known to be related to ${name}.`,
    calls: (name: string) => `${name} calls`,
    calledBy: "Called by",
    imports: (name: string) => `${name} imports`,
    importedBy: "Imported by",
    extends: (name: string) => `${name} extends`,
    extendedBy: "Extended by",
  },

  charts: {
    kinds: { bar: "Bar chart", line: "Line chart", pie: "Pie chart" },
    count: "Count",
    by: (measure: string, category: string) => `${measure} by ${category.toLowerCase()}`,
    alt: (kind: string, title: string, numbers: string) => `${kind}, ${title}: ${numbers}`,
    andMore: (amount: number) => `and ${grouped(amount)} more`,
    others: (amount: number) => `Other (${grouped(amount)})`,
    largest: (shown: number, all: number) => `The ${grouped(shown)} largest of ${grouped(all)}.`,
    newest: (shown: number, all: number) => `The last ${grouped(shown)} of ${grouped(all)}.`,
    ofRead: (read: number, all: number) => `Shows only the first ${grouped(read)} of ${grouped(all)} rows.`,
    noPie: "Drawn as bars: a pie takes one series of positive numbers.",
    noLine: "Drawn as bars: there are too few points for a line.",
    none: "There is nothing here that a chart could show: it takes numbers, or rows that can be counted by a column.",
    numbers: "The numbers",
    inFile: (name: string) => `The chart is in ${name}.`,
  },

  /** Views of the bundled Sisense server; kinds are its own, such as "data models". */
  sisense: {
    migrated: (kind: string, done: number, skipped: number, failed: number) =>
      `Migrated ${grouped(done)} ${done === 1 ? kind.replace(/s$/, "") : kind}: ${grouped(skipped)} skipped, ${grouped(failed)} failed`,
    tried: (kind: string, planned: number, skipped: number, failed: number) =>
      `Dry run: ${grouped(planned)} ${planned === 1 ? kind.replace(/s$/, "") : kind} would be migrated, ${grouped(skipped)} skipped, ${grouped(failed)} would fail`,
    stopped: (left: number) => `Stopped before the end: ${counted(left, "more was", "more were")} not tried.`,
    /** How the run before ended, and when it began. */
    lastRun: {
      completed: (at: string) => `The last run (${at}) came to its end`,
      cancelled: (at: string) => `The last run (${at}) was stopped`,
      interrupted: (at: string) => `The last run (${at}) broke off in the middle`,
      running: (at: string) => `The last run (${at}) is still under way`,
    },
    lastCounts: (how: string, done: number, skipped: number, failed: number, left: number) =>
      `${how}: ${grouped(done)} migrated, ${grouped(skipped)} skipped, ${grouped(failed)} failed, ${grouped(left)} not tried.`,
    underWay: "May have been migrated or not",
    failedThen: "Failed",
    create: "new",
    overwrite: "overwritten",
    duplicate: "duplicated",
    /** Why one was not migrated, by what the server says. */
    reasons: {} as Readonly<Record<string, string>>,
    done: "migrated",
    skipped: "skipped",
    failed: "failed",
    notTried: "not tried",
    as: (title: string) => `as ${title}`,
    name: "Name",
    outcome: "Outcome",
    reason: "Reason",
    source: "Source",
    target: "Target",
    findings: (amount: number, checked: number) =>
      `${amount === 0 ? "No findings" : counted(amount, "finding")} in ${grouped(checked)} checked`,
    high: "high",
    medium: "medium",
    low: "low",
    severity: "Severity",
    where: "Where",
    finding: "Finding",
    notChecked: (what: string) => `${what} could not be checked`,
    table: "Table",
    kind: "Kind",
    columns: "Columns",
    lastBuild: "Last build",
    sharedWith: "Shared with",
  },

  /** What searches found: issues or pages. */
  search: {
    someOf: (found: number, total: number, noun: "issue" | "page") =>
      `${grouped(found)} of ${counted(total, noun)}`,
    none: (noun: "issue" | "page") => `No ${noun}s found`,
    range: (noun: "issue" | "page", from: number, to: number) =>
      `${noun === "issue" ? "Issues" : "Pages"} ${grouped(from)} to ${grouped(to)}`,
    rangeOf: (noun: "issue" | "page", from: number, to: number, total: number) =>
      `${noun === "issue" ? "Issues" : "Pages"} ${grouped(from)} to ${grouped(to)} of ${grouped(total)}`,
    noMatch: (noun: "issue" | "page") => `No ${noun} matches.`,
    noMatchOf: (noun: "issue" | "page", searched: string) => `No ${noun} matches ${searched}.`,
    orderedBy: (field: string) => `, sorted by ${field}`,
    /** Both days included; where one side is open it is absent. */
    days: (field: string, from: string | undefined, to: string | undefined) =>
      from === undefined
        ? `${field} ${field === "due" ? "by" : "until"} ${to ?? ""}`
        : to === undefined
          ? `${field} ${field === "due" ? "from" : "since"} ${from}`
          : `${field} ${from === to ? `on ${from}` : `${from} to ${to}`}`,
    /** Words that were looked for stand with "for"; conditions alone behind a colon. */
    forWhat: (heading: string, searched: string) =>
      searched.startsWith("“") ? `${heading} for ${searched}` : `${heading}: ${searched}`,
    without: (field: string) => `no ${field}`,
    with: (field: string) => `with ${field}`,
    not: (value: string) => `not ${value}`,
    or: " or ",
    open: "open",
    linkedAs: (type: string) => `${type.replace(/^is /, "")} another issue`,
    notLinkedAs: (type: string) => `no link “${type}”`,
  },

  /** What results of tools are shown with. */
  views: {
    leftOut: (what: string) => `Left out here: ${what}; see JSON.`,
    cutValues: "Long values are cut (…); see JSON for all of them.",
    cutHere: "(cut here; see JSON)",
    item: (number: number) => `Item ${number}`,
    emptyList: "The list is empty.",
    countedSome: "There are more than can be counted by it: the numbers are of some of them.",
    returnedNothing: "The tool returned nothing.",
    byName: (amount: number) => `details of ${counted(amount, "thing")} shown by name`,
    formatting: (amount: number) => `the formatting of ${counted(amount, "document")}`,
    otherFields: "Other fields",
    open: (what: string) => `Open ${what}`,
    openPage: "Open the page",
    unassigned: "unassigned",
    linked: (amount: number) => `Linked issues (${amount})`,
    history: (amount: number) => `History (${amount})`,
    comments: (amount: number) => `Comments (${amount})`,
    unknownAuthor: "Unknown author",
    epicTitle: (epic: string, done: number, total: number) => `${epic}, ${done} of ${total} done`,
    emptyEpic: "This epic has no issues yet.",
    noStatus: "No status",
    emptyPage: "The page is empty.",
    pagesBelow: (amount: number) => `Pages below (${amount})`,
    partOfPage: "This is a part of the page; ask for the rest.",
    firstRows: (amount: number) => `The first ${counted(amount, "row")}`,
    moreRows: "There are more rows: ask for a higher limit, or for less.",
    agentsDone: (done: number, total: number) => `${done} of ${counted(total, "agent")} succeeded`,
    agentStatus: { success: "done", partial: "in part", failed: "failed", skipped: "skipped" },
    runStatus: {
      running: "running",
      completed: "completed",
      completed_with_errors: "completed with errors",
      cancelled: "stopped",
      interrupted: "interrupted",
    },
    answeredAbove: "Its answer stands above.",
    agentKind: { model: "model", script: "script", ensemble: "ensemble", loop: "loop", dispatch: "dispatch" },
    after: (names: string) => `after ${names}`,
    ensembleRight: (name: string, agents: number) => `${name} is right: ${counted(agents, "agent")}`,
    ensembleBroken: (name: string, faults: number) => `${name} has ${counted(faults, "fault")}`,
    by: (name: string) => `by ${name}`,
    changed: (when: string) => `Changed ${when}`,
    nothingChangedYet: "nothing changed yet",
    nothingToChange: "nothing to change",
    notReadBack: "done, not read back",
    verified: "verified",
    notAllApplied: "not all applied",
    notAsAsked: (fields: string) => `Read back, this is not as it was asked for: ${fields}.`,
    wouldCreate: (what: string) => `Would create: ${what}`,
    wouldDelete: (what: string) => `Would delete: ${what}`,
    wouldChange: (what: string) => `Would change: ${what}`,
    created: (what: string) => `Created: ${what}`,
    deleted: (what: string) => `Deleted: ${what}`,
    changedTo: (what: string) => `Changed: ${what}`,
    couldNotShow: (view: string) => `${view} could not show this result.`,
    inTheJson: (tool: string) => `${tool}: the result is in the JSON`,
    noReason: "no reason was given",
    serverGaveNone: "The server gave no reason.",
    errorCode: (code: string) => `Error code: ${code}.`,
  },

  /** What each error code of a call means, for a badge and as a sentence; see CallErrorCode. */
  errors: {
    transport: { badge: "no answer", meaning: "The connection to the server failed." },
    protocol: {
      badge: "not understood",
      meaning: "The server answered in a way that the protocol does not allow.",
    },
    tool_error: { badge: "failed", meaning: "The server ran it and reported an error." },
    invalid_result: {
      badge: "not understood",
      meaning: "The result does not have the form that the server promises.",
    },
    timeout: { badge: "timed out", meaning: "It took longer than its time limit." },
    cancelled: { badge: "stopped", meaning: "It was stopped." },
    too_large: { badge: "too large", meaning: "The result is larger than the limit." },
    server_down: { badge: "server down", meaning: "The server is not running; nothing was sent." },
    unknown_tool: { badge: "not available", meaning: "The server offers this no more." },
  },

  /** What the product says of itself. */
  about: {
    tools: "Tools",
    noTools: "No tool is connected now.",
    tool: "Tool",
    whatItDoes: "What it does",
    aCall: "A call",
    runsAtOnce: "runs at once",
    needsApproval: "needs approval",
    isRefused: "is refused",
    refusedHere: "refused here",
    status: "Status",
    allWell: "all is well",
    degraded: "some parts do not work right now",
    starting: "starting",
    builtin: "the built-in planner, without a model",
    modelOn: (model: string, provider: string) => `${model} on ${provider}`,
    modelSilent: (name: string, why: string) => `${name} does not answer${why === "" ? "" : ` (${why})`}`,
    silent: "does not answer",
    damaged: (kind: string, damage: string) => `${kind}, damaged: ${damage}`,
    serverTools: (state: string, tools: number) => `${state}, ${tools} ${tools === 1 ? "tool" : "tools"}`,
    privacy: "Privacy",
    mayBeSent: "Results of tools may be sent to the model, which puts them into words.",
    isPrivate:
      "This channel is private: no result of a tool is sent to a model. You still see every result in full.",
    makesPrivate: (command: string) => `${command} makes it private.`,
    configured: "The configuration says so; only an operator can change that.",
    madePrivate: (name: string, command: string) => `${name} made it private. ${command} takes that back.`,
    help: "What you can say",
    howToUse: (command: string) => `How to use ${command}`,
    notThere: (tool: string) => `${tool}: not there now`,
    namedValues: "Any value can be named, such as priority=High. What is missing is asked for.",
    accounts: "Accounts",
    noAccounts: "No accounts to connect here.",
    worksWithChannels: "works with an account of this channel",
    worksWithOwn: "works with an account of your own",
    notConnected: "not connected",
    connected: "connected",
    channelAccount: (name: string, moment: string) =>
      `this channel's account, connected by ${name} on ${moment}`,
    worksOnSite: "works on a site of yours",
    worksOnSites: "works on two sites of yours",
    siteUse: {
      tenant: "used here",
      source: "source of migrations here",
      target: "target of migrations here",
    },
    siteUnused: "not used here",
    ownSite: (domain: string, server: string, moment: string) =>
      `${domain}, for ${server}, connected on ${moment}`,
    ownAccount: (moment: string) => `your own account, connected on ${moment}`,
    you: "you",
    accountThere: "You there",
    accountHelp: "A name, an e-mail address or an id, as the server knows you.",
    whoYouAre: "Who you are",
    noPeople: "No server here names people.",
    meFooter: (command: string, server: string) =>
      `${command} ${server} NAME changes it, by a name, an address or an id; ${command} ${server} forget forgets it.`,
    asked: "I ask you when it matters",
    notKnown: "not known",
    origins: {
      file: "as the operator says",
      told: "as you said",
      email: "by your e-mail address",
      id: "by your id",
    },
    labels: {
      name: "Name",
      email: "E-mail",
      also: "Also",
      state: "State",
      version: "Version",
      planner: "Planner",
      store: "Store",
    },
  },

  /** Answers without a model. */
  reply: {
    nothing: "There was nothing to look up for this.",
    andMore: (amount: number) => `… and ${amount} more.`,
    nothingRun: "Nothing was run.",
    tool: (name: string) => `“${name}”`,
    failedAfter: (tool: string, code: string, seconds: string) =>
      `${tool} failed (${code}) after ${seconds}.`,
    ran: (tool: string, seconds: string) => `Ran ${tool}, ${seconds}.`,
    ranRows: (tool: string, rows: string, seconds: string) => `Ran ${tool}, ${rows}, ${seconds}.`,
    needs: (purpose: string, wanted: string) => `${purpose} I need ${wanted}.`,
    noSuchLink: "No link says so",
    noComments: "No comments",
    notSet: (field: string) => `${field}: not set`,
    changedBy: (field: string, from: string, to: string, who: string) => `${field}: ${from} → ${to} (${who})`,
    newValues: "new values",
    purpose: (order: string) => `To ${order}`,
    purposeOf: (title: string) => `For “${title}”`,
    which: (thing: string, verb: string, rest: string) => `Which ${thing} should I ${verb}${rest}?`,
    theOne: (noun: string) =>
      /^(?:an?|the|one|your|whether|how|what|which|who) /i.test(noun) ? noun : `the ${noun}`,
    more: "more",
    waiting: (asked: string, amount: number) => `${asked} Waiting for ${amount} approvals.`,
    waitingFor: (asked: string, who: string) => `${asked} Waiting for approval by ${who}.`,
    takenBack: (asked: string, by: string, why?: string) =>
      `${asked}: taken back${by === "" ? "" : ` by ${by}`}${why === undefined ? "" : `, reason: ${why}`}. Nothing was changed.`,
    denied: (asked: string, by: string) =>
      `${asked}: denied${by === "" ? "" : ` by ${by}`}. Nothing was changed.`,
    deniedWhy: (asked: string, by: string, why: string) =>
      `${asked}: denied${by === "" ? "" : ` by ${by}`}, reason: ${why}. Nothing was changed.`,
    expired: (asked: string, why: string) => `${asked}: the request expired, ${why}. Nothing was changed.`,
    void: (asked: string, why: string) =>
      `${asked}: the approval is no longer valid, ${why}. Nothing was changed.`,
    voidWhy: "something it depends on changed",
    superseded: (asked: string, why: string) =>
      `${asked}: the request was replaced, ${why}. Nothing was changed here.`,
    supersededWhy: "a newer one took its place",
    ifMeant: (changes: string) => `If you meant ${changes}, choose it below, or say just that.`,
    unknown: (didItHappen: string) =>
      `${didItHappen}. It was sent and no answer came back. It is not tried again. Look there, and say whether it happened.`,
    nothingChanged: "Nothing was changed.",
    didNotGoOn: (wishes: string) => `So I did not go on with ${wishes}.`,
    needsApproval: "This needs approval.",
    wentOn: "The built-in planner went on from there, without a model.",
    builtin: "Planned by the built-in planner, without a model.",
    hereIs: (notice: string) => `${notice} Here is what was found.`,
    steps: (steps: number) => `I stopped after ${steps} steps.`,
  },

  /** To whoever asked for more than `limits` allow. */
  limited: {
    amount: {
      turns: (amount: number) => counted(amount, "request"),
      calls: (amount: number) => counted(amount, "tool call"),
      tokens: (amount: number) => counted(amount, "model token"),
    },
    per: { second: "a second", minute: "a minute", hour: "an hour", day: "a day" } satisfies Record<
      keyof typeof unit,
      string
    >,
    person: (rate: string) => `You have used all that one person may: ${rate}.`,
    channel: (rate: string) => `This channel has used all that one channel may: ${rate}.`,
    workspace: (rate: string) => `This workspace has used all that it may: ${rate}.`,
    again: (moment: string) => `Please ask again after ${moment}.`,
    waits: (moment: string) => `Your request is kept, and I start with it by ${moment}.`,
    stopped: "I stopped here.",
  },

  /** Forms and windows with inputs. */
  forms: {
    askAboutThis: "Ask about this",
    whatToKnow: "What do you want to know or have done?",
    nothingToFillIn: "There is nothing to fill in.",
    part: (part: number, parts: number) => `(${part} of ${parts})`,
    range: (from: number, to: number) => `${from} to ${to}`,
    fixedArguments: (amount: number, names: string) =>
      `${counted(amount, "argument")} cannot be edited here and will stay as it is: ${names}`,
    tooLong: (names: string) => `Too long to be edited here, and left as it is: ${names}`,
    form: "Form",
    nothingChangesYet: "Nothing changes until this is approved.",
    noText: "(no text)",
    forExample: (examples: string) => `For example ${examples}`,
    leftEmpty: (value: string) => `Left empty: ${value}`,
    onePerLine: "One per line",
    asJson: "Written as JSON",
  },

  /** What servers ask in the middle of a call. */
  questions: {
    serverAsks: (server: string) => `${server} asks`,
    asks: (server: string, message: string) => `${server} asks: ${message}`,
    forThisOnce: "For this once.",
    remembered: (where: string) => `I ask this once and remember the answer; ${where} shows and changes it.`,
    waitingFor: "Waiting for ",
    toOpen: (server: string) => ` to open a page for ${server}.`,
    showPage: "Show me the page",
    opensPage: (domain: string) =>
      `It opens a page at ${domain}. Go there only if you trust it. Only you see this.`,
    longAddress: (domain: string) => `Its address at ${domain} is longer than Slack can open.`,
  },

  /** Commands, and what they are answered with. */
  commands: {
    about: {
      ask: "ask in plain words; mentioning me in a channel or writing to me does the same",
      menu: "in the menu of a message: ask about what it says",
      help: "what you can say",
      tools: "what I can work with, and what needs approval",
      status: "model, servers and store",
      approvals: "what waits for you",
      accounts: "your accounts and sites: connect, choose for a channel, disconnect",
      me: "who you are in Jira and other servers, and how to change it",
      privacy: "whether results of this channel may go to the model",
    },
  },

  /** Slack's Home. */
  home: {
    allWell: "All is well",
    starting: "Starting",
    degraded: "Some parts do not work right now",
    modelSilent: (model: string, why: string) => `${model} does not answer${why}; plain requests still work`,
    storeSilent: (why: string) => `The store does not answer${why}`,
    builtin: "planned by the built-in planner, without a model",
    tools: (tools: number, servers: number) => `${counted(tools, "tool")} of ${counted(servers, "server")}`,
    thingsToAsk: "Things to ask",
    privacy: "Privacy",
    fixedPrivate: "Private, as configured: results are never sent to a model.",
    isPrivate: "Private: results are never sent to a model.",
    madeIt: (name: string) => `${name} made it so.`,
    mayBeSent: "Results may be sent to the model for a summary.",
    canAsk: "You can ask me, for example",
  },

  /** Forms about requests, and about answers that were not good. */
  presses: {
    editNote: (asked: string) => `${asked}\nSaving replaces this request and restarts approval.`,
    whatWasWrong: "What was wrong?",
    whatInstead: "What should have come?",
    ratingHelp: "May be left empty. Whoever runs this product can read it.",
    reason: "Reason",
    reasonRequired: "A reason is required.",
    reasonHelp: "Everybody here sees it on the card.",
  },

  /** A request on the page. */
  page: {
    takenBack: "Taken back",
    stamps: {
      pending: "Needs approval",
      approved: "Approved",
      executing: "Approved",
      done: "Approved",
      failed: "Approved, failed",
      unknown: "Outcome unknown",
      denied: "Denied",
      expired: "Expired",
      void: "No longer valid",
      superseded: "Replaced",
    } satisfies Record<ApprovalState, string>,
    allowed: "Allowed by policy",
    requests: (amount: number) => `${amount} ${amount === 1 ? "request" : "requests"} for approval`,
    othersDecide: (who: string) => `${who.charAt(0).toUpperCase()}${who.slice(1)} may approve this.`,
    youApproved: "You have approved this; others have to as well.",
    editedBy: (name: string) => `edited by ${name}`,
    required: "(required)",
    optional: "(optional)",
    lookUpFirst: "Nobody knows whether this happened. Look it up, then settle it.",
    lookFirst: "Nobody knows whether this happened. Look at the source, then settle it.",
    by: (names: string) => `by ${names} · `,
    byStanding: (names: string) => `by the standing approval of ${names} · `,
    allowToo: (duration: string, uses: number) =>
      `and allow the same for ${duration}, up to ${uses} ${uses === 1 ? "time" : "times"}`,
  },

  /** Sentences that are kept in the store or come as errors, in English there; see recorded.ts. */
  recorded: {
    nobodyInTime: () => "nobody decided in time",
    askedAgain: () => "the same change was asked for again",
    askedOtherwise: () => "it was asked for differently since then",
    editedBy: (who: string) => `edited by ${who}`,
    changedSince: (what: string) => `${what} since it was approved`,
    lateAfterPolicy: (moment: string) =>
      `it was allowed by policy, but nothing could send it before ${moment}`,
    lateAfterApproval: (moment: string) =>
      `it was approved in time, but nothing could send it before ${moment}`,
    notOffered: (tool: string) => `${tool} is not offered now; its server may be down or the tool gone`,
    nowDenied: (rule: string) => `${rule} now denies this call`,
    toolChanged: (what: string) => `the tool's ${what} changed since the request`,
    theBot: () => "the bot",
    theBotFor: (name: string) => `the bot, for ${name}`,
    placeChanged: () => "where it would act changed since the request",
    siteForgotten: (site: string) =>
      `Disconnected: your site ${site} is forgotten here. Its token goes on working elsewhere: revoke it at the site if it is not needed.`,
    ruleChanged: () => "the policy rule changed since the request",
    failed: () => "That did not work, and nothing was changed. Please try again.",
    notHere: () => "This is no longer there.",
    questionGone: () => "This question is no longer there.",
    shownAlready: () => "That is shown in this conversation already.",
    toolGone: () => "This tool is not there now, so its request cannot be edited.",
    thanks: () => "Thank you: that is kept with the answer.",
    nothingLeft: () => "Nothing waits here for you any more.",
    othersNow: () =>
      "Other requests wait than were shown to you, so nothing was decided. Look at them again.",
    noReason: () => "Say why, so that others can follow the decision.",
    requestGone: () => "This request is not known here any more.",
    noStanding: () => "The rule of this request offers no standing approval.",
    tooLong: () =>
      "This call is too long to be shown in one window, so it cannot be allowed for a while. Approve it alone.",
    atMost: (duration: string) => `The rule allows at most ${duration}.`,
    usesFault: (most: string) => `Expected a whole number from 1 to ${most}.`,
    formExpired: () => "This form has expired. Please ask again.",
    formTooOld: () => "This form is too old. Close it and open it again.",
    formLate: (platform: string) =>
      `That took longer than ${platform} waits for a form. Nothing is lost: open it here.`,
    toolDown: () => "This tool is not there now; its server may be down. Nothing was sent.",
    toolDownLater: () => "This tool is not there now; its server may be down. Try again later.",
    notSavedForm: () => "I could not save that: nothing was done. Send it again.",
    notSaved: (text: string) => `I could not save that: nothing was done. Please send it again: ${text}`,
    sayWhat: () => "Say what you want to know.",
    sayWhatSuch: (example: string) => `Say what you want to know, such as ${example}`,
    required: () => "This is required.",
    noSuchField: (tool: string) => `${tool} has no such field now; open the form again.`,
    expectedDay: (text: string) => `Expected a day such as 2026-12-24, got ${text}.`,
    expectedBoolean: (text: string) => `Expected true or false, got ${text}.`,
    expectedOneOf: (known: string, text: string) => `Expected one of ${known}, got ${text}.`,
    expectedWhole: (text: string) => `Expected a whole number such as 5, got ${text}.`,
    expectedNumber: (text: string) => `Expected a number such as 5 or 2.5, got ${text}.`,
    expectedJson: (why: string) =>
      `Expected JSON, such as "text", 5, true, null, ["a"] or {"a": 1} (${why}).`,
    tooExact: () =>
      "This number has more digits than can be sent exactly; shorten it, or send it as text where the tool takes text.",
    notedPart: (part: string, parts: string) =>
      `Noted: part ${part} of ${parts}. What you leave out stays as it is.`,
    notSentYet: (faults: string) => `This was not sent yet.\n${faults}`,
    sent: () => "Sent.",
    done: () => "Done.",
    questionClosed: () => "This question was answered or closed already.",
    notYours: () => "Only the person who asked for this may answer the server's question.",
    declined: () => "Declined.",
    opened: () => "Noted: you have opened the page.",
    notConfigured: (command: string) => `${command} is not configured here.`,
    unknownCommand: (command: string) => `I do not know ${command}.`,
    cannotRun: (command: string) => `${command} cannot run now: its server may be down.`,
    noWords: () => "This message has no words that I can read.",
    cannotPost: () => "I cannot post in this channel. Invite me with /invite, then ask again.",
    connectSite: (domain: string, server: string, minutes: string) =>
      `Open the page at ${domain} and give the address and the token of your site there, not here. ${server} is asked whether it can work with them before they are kept. The link is for you alone and good for ${minutes} minutes.`,
    siteUsed: (name: string, server: string) =>
      `${name} is used as your site for ${server} here, from your next message on.`,
    siteUsedAsSource: (name: string, server: string) =>
      `${name} is used as the source of migrations for ${server} here, from your next message on.`,
    siteUsedAsTarget: (name: string, server: string) =>
      `${name} is used as the target of migrations for ${server} here, from your next message on.`,
    siteUnused: (server: string) => `No site of yours is used as your site for ${server} here any more.`,
    siteUnusedAsSource: (server: string) =>
      `No site of yours is used as the source of migrations for ${server} here any more.`,
    siteUnusedAsTarget: (server: string) =>
      `No site of yours is used as the target of migrations for ${server} here any more.`,
    connectUsage: () =>
      "/connect lists your accounts and sites. /connect SERVER connects one, /connect use NAME takes a site for this channel, /connect from NAME to NAME the two of a migration, and /connect stop none.",
    noSiteOf: (name: string, known: string) =>
      `You have no site ${name} that fits. Yours are ${known}. /connect SERVER connects one.`,
    noSites: (name: string) =>
      `You have no site ${name} that fits. You have connected none yet. /connect SERVER connects one.`,
    noSiteFor: (name: string, server: string) => `You have no site ${name} for ${server}.`,
    noSiteAs: (server: string, as: string) => `${server} takes no site as ${as}.`,
    connectedAlready: (server: string) =>
      `An account is connected with ${server} already. Disconnect it first to connect another.`,
    notConnected: (server: string) => `You have connected no account with ${server}.`,
    othersAccount: (name: string, server: string) =>
      `Only ${name}, who connected this channel's account with ${server}, can disconnect it.`,
    askToSignIn: (server: string) =>
      `${server} needs you to sign in: open the page, sign in and allow it. I go on by myself then.`,
    nobodySignedIn: (tool: string, server: string) =>
      `${tool} was not called: no account was connected with ${server}.`,
    noSiteChosen: (server: string) =>
      `${server} works on a site of yours, and none is chosen here. Connect or choose one with /connect, and ask again. A program sends tenant_config or migration_config with the message.`,
    noSitesChosen: (server: string) =>
      `${server} works between two sites of yours, a source and a target, and none is chosen here. Connect or choose one with /connect, and ask again. A program sends tenant_config or migration_config with the message.`,
    serverIsDown: (server: string, why: string) => `The server ${server} is down: ${why}`,
    serverIsBusy: (server: string, calls: string) =>
      `${server} is busy: ${calls} calls are under way and none ended in time. Try again later.`,
    waitsForServer: (server: string) => `Waiting for ${server} to start`,
    noReasonGiven: (tool: string) => `${tool} reported an error without saying what.`,
    guestsNoPrivacy: () => "You are a guest here, and guests do not change the privacy of a channel.",
    strangersNoPrivacy: () => "Only somebody of the channel can change its privacy.",
    privacyConfigured: () =>
      "The configuration keeps this channel private; only an operator can change that.",
    privacyOthers: () => "Only the person who made this channel private can take that back.",
    privacyAdmins: () =>
      "Only the person who made this channel private or a member of the group admins can take that back.",
    noSuchServer: (server: string, known: string) =>
      `There is no server “${server}” that names people. Expected one of: ${known}.`,
    noServerNames: (server: string) => `There is no server “${server}” that names people. None does.`,
    accountConfigured: (server: string) => `The operator's file says who you are in ${server}.`,
    accountOthers: (name: string, server: string) =>
      `${name} in ${server} is somebody else, as the operator says.`,
    accountWanted: () => "Expected an account: its id, name or address.",
    knowsNobody: (server: string, name: string) => `${server} knows nobody called “${name}”.`,
    fitsSeveral: (name: string, server: string, some: string) =>
      `“${name}” fits several people in ${server}: ${some}. Say which by the id or address.`,
    neverSaid: (server: string) => `You have not said who you are in ${server}.`,
    standingNotOffered: (rule: string, tool: string) =>
      `${rule} offers no standing approval for ${tool}: approve this call alone.`,
    standingAtMost: (rule: string, uses: string, seconds: string) =>
      `${rule} allows at most ${uses} uses within ${seconds} s.`,
    denies: (rule: string, tool: string) => `${rule} denies ${tool} with these arguments.`,
    notYourQuestion: (name: string) => `Only ${name}, whose call it is, may answer this question.`,
    answeredJustNow: () => "This question was answered just now.",
    answeredAlready: () => "This question was answered already.",
    declinedAlready: () => "This question was declined already.",
    questionExpired: () => "This question has expired.",
    guildNotServed: () =>
      "I do not work in this server. Whoever runs Countersign can add the server's id to discord.guilds.",
    directNotServed: () => "I work only for members of the servers that I was set up for.",
    notSavedMessage: () => "I could not save that: nothing was done. Please send it again.",
    askedHere: () => "This needs approval: it is asked in this channel.",
    shared: () => "Shared with the channel.",
    answerComes: () => "That took a moment: the answer comes in this channel.",
    sayWho: (command: string) => `Say who you are there as well: ${command} NAME`,
    forgotten: () => "Forgotten: who you said you are there.",
    noted: (name: string, server: string) => `Noted: you are ${name} in ${server}.`,
    signInOwn: (domain: string, server: string, minutes: string) =>
      `Open the page at ${domain} and sign in there: the account you choose is connected with ${server} as yours. The link is for you alone and good for ${minutes} minutes.`,
    signInChannel: (domain: string, server: string, minutes: string) =>
      `Open the page at ${domain} and sign in there: the account you choose is connected with ${server} for this channel. The link is for you alone and good for ${minutes} minutes.`,
    disconnected: (server: string, same: string) =>
      `Disconnected: the account with ${server} is forgotten here, and ${same} was told to revoke its tokens.`,
    revoked: (what: string) => `Revoked. This needs approval again: ${what}`,
    secretWarning: (server: string) =>
      `This form is from ${server}. Never type a password, a code or a key into it.`,
    runsNow: (name: string) => `Approved by ${name}. It runs now.`,
    deniedBy: (name: string) => `Denied by ${name}. Nothing is changed.`,
    recorded: (given: string, quorum: string) => `Recorded: ${given} of ${quorum} approvals.`,
    decidedAlready: (given: string, quorum: string) =>
      `You have already decided: ${given} of ${quorum} approvals so far.`,
    noLongerValid: (why: string) => `This request is no longer valid: ${why}.`,
    dependsChanged: () => "something it depends on changed",
    newerReplaced: () => "a newer one replaced it",
    expiredAt: (time: string) => `This request expired at ${time}. Ask again to get a new one.`,
    expiredWhy: (why: string) => `This request expired: ${why}. Ask again to get a new one.`,
    expiredAlone: () => "This request expired. Ask again to get a new one.",
    alreadyApproved: (names: string, time: string) =>
      `Already approved by ${names}${time === "" ? "" : ` at ${time}`}. Nothing was done again.`,
    alreadyDenied: (names: string, time: string) =>
      `Already denied by ${names}${time === "" ? "" : ` at ${time}`}. Nothing was done again.`,
    alreadyAllowed: (time: string) =>
      `Already allowed by policy${time === "" ? "" : ` at ${time}`}. Nothing was done again.`,
    reasonMissing: () => "A reason is required: say why, and decide again.",
    ownRequest: () => "You asked for this change, so somebody else has to approve it.",
    guest: () => "You are a guest here, and guests approve only where a rule names them or their group.",
    onlyThese: (who: string) => `You can't decide this request: ${who} can.`,
    // Who, as `approversText` says it, to be known again in that sentence.
    anyoneInChannel: () => "anyone in the channel",
    anyoneOfGroup: (group: string) => `anyone of the group ${group}`,
    onePage: (quorum: string) =>
      `This needs approval by ${quorum} people, and on this page everybody counts as one person: nobody signs in. Approve it elsewhere, or give people tokens (http.tokens in the configuration).`,
    countsOnce: (name: string, surface: string) =>
      `You have approved this already, as ${name} on ${surface}: a person counts once.`,
    onlyPendingEdited: (state: string) => `Only a pending request can be edited; this one is ${state}.`,
    onlyUnknownSettled: (state: string) =>
      `Only an unknown outcome can be settled; this request is ${state}.`,
    onlyUnknownLookedUp: (state: string) => `Only an unknown outcome is looked up; this request is ${state}.`,
    checking: () => "Checking what would change",
    stoppedBy: (name: string) => `Stopped by ${name}.`,
    endedAlready: () => "This turn has already ended.",
    waitsForApproval: () => "Nothing is running: this waits for approval. To stop it, deny the request.",
    firstPage: () => "This is the first page.",
    listEnds: () => "That was all: the list ends here.",
    pagesInOrder: (furthest: string, next: string) =>
      `Pages of this list are read one after the other, and page ${furthest} is the furthest so far. Say “show more” for page ${next}.`,
    pressToDecide: (waiting: string) =>
      `A message decides nothing here. Use the buttons of the request. ${waiting}`,
    expiredBefore: (asked: string) =>
      `${asked}: nobody decided that in time, so nothing was changed. To ask anew, press “Ask again” there, or say it once more.`,
    notTakenBack: (waiting: string) =>
      `Nothing was taken back. To take back what you asked for before, say “withdraw my request”. ${waiting}`,
    typeDecision: (waiting: string) => `That decided nothing. Type approve or deny. ${waiting}`,
    nothingWaits: () => "Nothing waits for an approval here.",
    nothingWaitsForYou: () => "Nothing waits for your approval here.",
    oneWaits: () => "1 request waits for an approval:",
    manyWait: (count: string) => `${count} requests wait for an approval:`,
    waitsFor: (ask: string, who: string, by: string, at: string) =>
      `**${ask}** · ${who} may approve · ${by} asked on ${at}`,
    andMore: (count: string) => `and ${count} more`,
    waitsElsewhere: (count: string) => `${count} more wait for you in other channels and conversations.`,
    nothingWasChanged: () => "Nothing was changed here.",
    oneChange: () => "1 change was made:",
    manyChanges: (count: string) => `${count} changes were made:`,
    changedBy: (what: string, by: string, approver: string, at: string) =>
      `**${what}** · ${by} asked, ${approver} approved on ${at}`,
    changedByPolicy: (what: string, by: string, at: string) =>
      `**${what}** · ${by} asked on ${at}, no approval was needed`,
    wasApprovedBy: (ask: string, by: string, approver: string) =>
      `**${ask}** was approved by ${approver}. ${by} asked.`,
    wasDeniedBy: (ask: string, by: string, denier: string) =>
      `**${ask}** was denied by ${denier}. ${by} asked.`,
    stillWaits: (ask: string, by: string) => `**${ask}** still waits: nobody has approved it. ${by} asked.`,
    wasDecidedByNobody: (ask: string, by: string) => `**${ask}** was decided by nobody. ${by} asked.`,
    undoOneByOne: () =>
      "I take back one change at a time, so that each can be looked at. Say “undo” for the last one.",
    nothingToUndo: () => "There is nothing to undo: no change was made in this conversation.",
    asBefore: (what: string) => `There is nothing to undo: ${what} is as it was before.`,
    cannotUndoNow: (title: string) =>
      `I can't undo “${title}” now: its server does not answer. Try again when it is back.`,
    cannotUndo: (title: string, why: string) => `I can't undo “${title}”. ${why}`,
    notBroughtBack: () => "What was deleted cannot be brought back from here.",
    madeNew: () => "It made something new. To take that back, ask me to delete it.",
    beforeUnknown: () => "Its server does not say what was there before.",
    changedNothing: () => "It had changed nothing.",
    toolRefuses: () => "Its tool refuses it.",
    changedSinceThen: (about: string, told: string) =>
      `I did not undo it, as ${about} was changed since: ${told}. If it should be set back all the same, use the button.`,
    fieldNow: (field: string, now: string, then: string) =>
      `${field} is ${now} now, and the change had set it to ${then}`,
    lookedIn: (places: string) => `I looked in ${places}.`,
    lookedFor: (what: string, places: string) => `I looked for ${what} in ${places}.`,
    soAlso: (first: string, what: string) =>
      `Nothing was found for “${first}”, so I looked for ${what} as well.`,
    soAlsoThere: (place: string, first: string, what: string) =>
      `${place} has nothing for “${first}”, so I looked for ${what} there as well.`,
    notThere: (words: string) => `Nothing there has “${words}” in it, so I left that out.`,
    asRemark: (words: string) => `I took ${words} as a remark.`,
    readAs: (words: string, orders: string) => `I read ${words} as: ${orders}.`,
    thereIsNo: (value: string, what: string) => `There is no ${value}, so I looked for ${what}.`,
    soSearched: (text: string) => `There is no ${text}, so I searched for it.`,
    noMatch: (can: string) =>
      `I couldn't match that to anything I can do here. ${can} Try rephrasing, or name what you want to see or change.`,
    canDo: (things: string) => `I can, for example, ${things}.`,
    noToolsNow: () =>
      "No tools are connected right now, so there is nothing I can do yet. Please try again in a moment.",
    hello: (can: string) => `Hello! ${can}`,
    emptyMessage: (can: string) => `There was nothing in that message. ${can}`,
    whyAsks: () =>
      "Because what I change is real. I only propose it, in full, and nothing happens until a person approves exactly that. What is only looked up needs no approval.",
    heard: () => "All right.",
    onlyTold: () =>
      "I did nothing with that, as it asks for nothing. To keep it, say where, such as “put that on DEMO-1”.",
    welcome: () => "You are welcome.",
    staysSo: () => "All right, that stays as it is.",
    leftAlone: () => "All right, nothing was changed.",
    asksRest: (what: string) => `When that is done, I ask about the rest: ${what}.`,
    notSure: () => "I am not sure what you want, so I changed nothing.",
    notMadeYet: () =>
      "That is not made yet: its request waits for approval. Say what it shall have, such as “high priority” or “for Ben”, and the request changes.",
    noMessages: () =>
      "I can't send anybody a message: no tool here does. A comment on the record, with their name, may do.",
    noToolFor: (words: string) => `No tool here does what ${words} asks for, so I did nothing.`,
    noReminders: () =>
      "I can't tell anybody anything later: I only answer when I am asked. A due date or a comment on the record may do.",
    whichEpic: () => "I am not sure which epic you mean, so I changed nothing. Name it, such as by its key.",
    neverMind: () => "All right, I leave it at that. Nothing was done.",
    notSo: () => "That condition does not hold, so I changed nothing.",
    cannotTell: () => "I cannot tell whether that is so, so I changed nothing.",
    tooManyAtOnce: (most: string) =>
      `Nothing was changed: these are more than the ${most} that I change at once. Narrow them down.`,
    nameThem: () =>
      "I only change what you name, one by one. Tell me which ones, such as by their keys, and nothing else.",
    unsure: (words: string) =>
      `I am not sure what ${words} means here, so I changed nothing. Try rephrasing, one change at a time.`,
    unknownPerson: (word: string) => `I do not know whom you mean by ${word}. Say it again with the name.`,
    notOnPage: (words: string) =>
      `I changed nothing: ${words} does not stand on the page, or not just once. Say it as it stands there, or “the line about …”.`,
    replacesPage: () =>
      "That would replace the whole page with this line, so I changed nothing. A comment may do; say “replace the text of the page” if that is what you want.",
    doubted: (words: string) =>
      `${words} makes me doubt that this is an order, so I changed nothing. Say it once more without it if it is.`,
    notUnderstood: (words: string) => `I did not understand ${words}, so I left it out.`,
    couldDoNothing: (words: string) => `I could do nothing with ${words}.`,
    notOnce: (words: string) => `${words} does not stand there just once, so I changed nothing.`,
    hasNone: (records: string, value: string) =>
      `${records} has no ${value} that could be taken over, so I changed nothing.`,
    movesWhat: () =>
      "I am not sure which one you mean, and so not from which value to count. Say it again with its key, or with words of its title.",
    several: () =>
      "There are several here, and I am not sure which one you mean. Name it, such as by its key.",
    dontKnowYou: (server: string, where: string) =>
      `I don't know who you are in ${server}, so I did nothing. Tell me ${where}, or name a person.`,
    dontKnowThem: (name: string, server: string, same: string) =>
      `I don't know who ${name} is in ${server}, so I did nothing. Name them as ${same} does.`,
    severalPeople: (server: string, name: string) =>
      `Several people in ${server} are called “${name}”, so I did nothing. Name one of them in full.`,
    whoAreYou: (server: string) => `Who are you in ${server}?`,
    whoIs: (name: string, server: string) => `Who is ${name} in ${server}?`,
    chooseOne: () => "Choose one, or type a name or an e-mail address.",
    nobodyAnswered: () => "Nobody answered in time.",
    couldNotReach: (server: string, why: string) => `${server} could not be reached: ${why}.`,
    couldNotReachWithin: (server: string, time: string) => `${server} could not be reached within ${time}.`,
    stoppedResponding: (server: string, what: string, why: string) =>
      `${server} stopped responding during ${what}: ${why}.`,
    noAnswerWithin: (what: string, server: string, time: string) =>
      `${what} of ${server} gave no answer within ${time}; it may still be at work.`,
    notEndedWithin: (what: string, server: string, time: string) =>
      `${what} of ${server} did not end within ${time}; it may still be at work.`,
    wasStopped: (what: string) => `${what} was stopped.`,
    didNotAnswerCheck: (server: string) => `${server} did not answer when it was checked once more`,
    notPossible: () => "it is not possible any more",
    connectionClosed: () => "the connection closed",
    endedAfterSend: () => "the process ended after the call was sent and before its result was recorded",
    settledHappened: (who: string) => `${who} settled it: it happened`,
    settledDidNot: (who: string) => `${who} settled it: it did not happen`,
  },
};

/** All sentences in one language. */
export type Words = typeof en;
