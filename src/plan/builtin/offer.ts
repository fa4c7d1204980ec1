import type { PendingQuestion } from "#contract/plan.ts";

import type { Candidate } from "./choose.ts";
import type { Wish } from "./wish.ts";
import type { ToolEntry, ToolIndex } from "./tool-index.ts";
import { en } from "../../base/words/en.ts";

const GREETING =
  /^\W*(?:hi|hey|hello|yo|(?:good )?(?:morning|afternoon|evening)|moin)\b(?:[\s\S]{0,20}$|(?!.*\?).*\b(?:i am|i['’]m|my name is|nice to meet|how (?:are|is|was|were))\b)/is;
const THANKS =
  /^\W*(?:thanks|thank you|thx|ta|ty|cheers|great|cool|nice|perfect|lovely|wonderful|awesome|excellent|lol|haha|brb|ok(?:ay)?|got it|never ?mind|no worries|all good)\b(?:(?![^]*\b(?:please|pls|can|could)\b)[^?]{0,20}$|[^?]*\b(?:cheers|thanks|thank you|thx)\W*$|(?:,?\s+(?:that|this)(?:['’]s|\s+is|\s+was)\s+(?:all|what|exactly\s+what)\s+(?:i|we)\s+(?:needed|wanted|need|was\s+looking\s+for))\W*$)|^[^?:\d"“]{0,60}\b(?:thanks|thank you|thx|cheers)(?: (?:to )?(?:bot|countersign|all|everyone|everybody|team|again|you|so much|a lot))+\W*$/i;

/** Kind, or only heard, before anything else: "you're the best", "hm ok", "haha right, dumb question". */
const PRAISE =
  /\byou(?:['’]re| are) (?:an? |the |so |very |really )*(?:star|best|great|awesome|legend|hero|amazing|lifesaver)\b|^\W*(?:good|great|nice|well done|awesome)(?: (?:job|work|bot|one))?\W*$/i;
const HEARD =
  /^\W*(?:(?:hm+|mh+|ah+|oh|aha|sorry|oops|ok(?:ay)?|right|alright|all right|i see|got it|fine|sure|haha+|lol|well)\b[\s,.!…–-]*)+(?:(?:that|it)['’]?s (?:ok|fine|it|all)|(?:dumb|silly|stupid) (?:question|me|idea)|makes sense|understood|never ?mind|wrong (?:chat|channel|thread|window)|(?:that|this|it) (?:was|is) (?:meant )?for (?:an(?:other)?|the|a different|my)\s*(?:other )?(?:channel|chat|thread|window|one|person)(?: channel| chat)?)?\W*$/i;

/** "Have a nice weekend" */
const LEAVES =
  /\bhave (?:a|an) (?:very )?(?:nice|good|great|lovely|relaxing) (?:weekend|evening|day|night|one|holiday|break|time|christmas)\b|\b(?:enjoy|happy) (?:your|the|a) (?:days? off|weekend|evening|holidays?|break|birthday)\b|^\W*(?:good night|see you|bye)\b[^?:\d]{0,40}$/iu;

const WHY_ASKS =
  /^\W*(?:but\s+)?why\s+(?:do|does|must|should|can['’]?t|won['’]?t|don['’]?t)\s+(?:you|i|we|it|the bot)\b[^?]*\b(?:approv\p{L}*|ask(?:ing)?|confirm\p{L}*|permission|sign|just do)\b[^?]*\??\W*$/iu;

const HELP =
  /^\W*(?:please\s+)?(?:(?:can|could) you (?:also |even )?\p{L}+ (?:\p{L}+ )?\p{L}+s(?: or (?:just|only) [^?]*)?\?|\/?help(?: me)?(?: please)?|(?:so )?what (?:all )?(?:can|could|do) (?:you|i|we) (?:do|ask|say|use|help(?: me)? with)(?: here| for me| with you| you)?|how (?:can you help|do(?:es)? (?:this|it|that) work|do i use (?:this|you|it))(?: me)?|(?:what|which) tools (?:do you have|are there|can (?:you|i) use)|(?:show|list)(?: me)? (?:your|the|all)? ?(?:tools|commands|capabilities)|who are you(?:,? and what (?:can|do) you do)?|what are you,? and what (?:can|do) you do|are you (?:an? |the )?(?:human|person|real|bot|robot|program|machine|ai)\b[^.!]*|what are you(?: able to do| capable of)?|what do you do)\W*$/iu;

/** Whether a message is about the product itself, or only kind. */
export function isSmallTalk(said: string): boolean {
  const message = withoutFillers(said);
  return [HELP, WHY_ASKS, GREETING, THANKS, PERSONAL, PRAISE, HEARD].some((pattern) => pattern.test(message));
}

function withoutFillers(said: string): string {
  return said.replace(/\b(?:actually|exactly|really) |\s+(?:actually|exactly|really)(?=\W*$)/gi, "");
}

/** Whether a message asks for nothing, but is said to somebody. */
export function isPersonal(message: string): boolean {
  return PERSONAL.test(message);
}

const PERSONAL =
  /^\W*(?:i|we)(?:['’]m| am| are| was| were| had| have had| feel| felt)\s+(?:(?:such|so|a|an|really|very|quite|the)\s+)*(?:bad|good|great|terrible|awful|long|rough|tired|sick|ill|hungry|happy|sad|bored|exhausted|late|back|home)\b[^?:\d]{0,30}$|\bnice to meet you\b|\bhave (?:a|an) (?:very )?(?:nice|good|great|lovely|relaxing) (?:weekend|evening|day|night|one|holiday|break|time|christmas)\b|\b(?:enjoy|happy) (?:your|the|a) (?:days? off|weekend|evening|holidays?|break|birthday)\b|^\W*(?:good night|see you|bye)\b[^?:\d]{0,40}$|^\W*(?:many )?thank(?:s| you)\b(?:\W+(?:very|so|much|a|lot|for|all|the|your|always|kind|great|good|nice|quick|help|helping|support|work|answer|reply|effort|time|to|everyone|team|again|me|us|you))+\W*$|\bhow (?:are|was|were|is) (?:you|your|it going|things)\b|\byou(?:['’]re| are) (?:an? |the |so |very |really )?(?:star|best|great|awesome|legend|hero|amazing|welcome|kidding|funny|nice)\b|\bwhat (?:do|did) you (?:all |guys |two |others )?(?:think|feel|eat|dream)\b/i;

/** Tools of the product itself are nothing that people ask for. */
const OWN_SERVER = "builtin";

/** The most tools of one server that an answer to "help" names, of each kind. */
const NAMED = 10;

/**
 * What is said instead of a guess: plain words, with two or three things that the tools can do, or with
 * all of them for who asks what there is.
 */
export function offer(said: string, likely: readonly Candidate[], index: ToolIndex, wish: Wish): Offer {
  const message = withoutFillers(said);
  const entries = index.entries.filter(isOffered);
  // "Thanks, what can you do?"
  const asked = message.replace(/^\W*(?:thanks|thank you|thx|ok(?:ay)?|hi|hey|hello)\b[\s,.!–-]+/i, "");
  if (entries.length > 0 && HELP.test(asked)) return { message: overview(entries) };
  if (WHY_ASKS.test(message)) return { message: en.recorded.whyAsks() };
  const offered = pick(likely, index, wish).filter(isOffered).slice(0, 3);
  if (offered.length === 0)
    return {
      message: en.recorded.noToolsNow(),
    };
  const can = en.recorded.canDo(joined(offered.map(describe)));
  if (message.trim() === "") return { message: en.recorded.emptyMessage(can) };
  if (PRAISE.test(message)) return { message: en.recorded.welcome() };
  if (HEARD.test(message) || LEAVES.test(message)) return { message: en.recorded.heard() };
  if (GREETING.test(message) || (PERSONAL.test(message) && !/^\W*(?:many )?thank/i.test(message)))
    return { message: en.recorded.hello(can) };
  if (THANKS.test(message) || /^\W*(?:many )?thank/i.test(message)) return { message: en.recorded.welcome() };
  const choices = offered.map(({ call, tool }) => {
    const known = likely.find(({ entry }) => entry.tool.id === tool.id);
    return { tool: call.tool, args: { ...call.args, ...known?.args }, fields: known?.missing ?? [] };
  });
  return {
    message: en.recorded.noMatch(can),
    choices,
  };
}

export interface Offer {
  message: string;
  /** The likeliest tools, with what is known of their arguments. */
  choices?: PendingQuestion[];
}

/** Everything, server by server: what can be looked up, and what can be changed. */
function overview(entries: ToolEntry[]): string {
  const servers = [...new Set(entries.map(({ tool }) => tool.server))];
  const lines = servers.flatMap((server) => {
    const own = entries.filter(({ tool }) => tool.server === server);
    const reads = named(own.filter(({ changing }) => !changing));
    const changes = named(own.filter(({ changing }) => changing));
    return [
      ...(reads === "" ? [] : [`- In **${own[0]?.tool.serverTitle ?? server}** I can look up: ${reads}`]),
      ...(changes === "" ? [] : [`- In **${own[0]?.tool.serverTitle ?? server}** I can change: ${changes}`]),
    ];
  });
  return [
    "Ask me in plain words. This is what I can do here:",
    lines.join("\n"),
    "A change waits for a person's approval unless your policy allows it. Name the thing you mean, such as its key or its title, and I will find it.",
  ].join("\n\n");
}

function named(entries: ToolEntry[]): string {
  const more = entries.length - NAMED;
  return [...entries.slice(0, NAMED).map(describe), ...(more > 0 ? [`and ${more} more`] : [])].join(", ");
}

function isOffered({ tool }: ToolEntry): boolean {
  return tool.server !== OWN_SERVER;
}

/** The likeliest tools first; then, so that the offer is never empty, searches and reads of different servers. */
function pick(likely: readonly Candidate[], index: ToolIndex, wish: Wish): ToolEntry[] {
  const lexical = index.rank(wish);
  const byWords = index.entries
    .filter((entry) => (lexical.get(entry.tool.id) ?? 0) > 0.5)
    .toSorted((one, other) => (lexical.get(other.tool.id) ?? 0) - (lexical.get(one.tool.id) ?? 0));
  const searches = index.entries.filter((entry) => entry.intents.has("search"));
  const reads = index.entries.filter((entry) => !entry.changing);
  const servers = new Set<string>();
  const spread = [...searches, ...reads].filter(
    ({ tool }) => !servers.has(tool.server) && servers.add(tool.server),
  );
  const all = [...likely.map(({ entry }) => entry), ...byWords, ...spread, ...reads, ...index.entries];
  return [...new Set(all)];
}

/** A tool by what it does: its title, else the first sentence of its description, else its name. */
function describe({ tool }: ToolEntry): string {
  const title = tool.title ?? "";
  const sentence = tool.description.split(/(?<=[.!?])\s|\n/, 1)[0] ?? "";
  const [text = tool.name] = [title.split(" ").length > 2 ? title : "", sentence, title].filter(
    (each) => each.trim() !== "",
  );
  const plain = text
    .replace(/[.!?:]+$/, "")
    .replaceAll("_", " ")
    .slice(0, 100);
  const shouted = plain.split(" ").every((word) => /^[A-Z]/.test(word));
  return shouted ? plain.toLowerCase() : plain.charAt(0).toLowerCase() + plain.slice(1);
}

function joined(items: string[]): string {
  return items.length < 2 ? items.join("") : `${items.slice(0, -1).join(", ")} or ${items.at(-1) ?? ""}`;
}
