import type { Slot } from "../slot.ts";
import { type Filling, isOpen, put } from "./filling.ts";
import type { Piece } from "./sheet.ts";

/** Cities that many ask for and that no zone is called after. */
const CITIES = `America/Los_Angeles san francisco|la|l.a.|seattle|san diego|las vegas|portland|california|silicon valley
America/New_York nyc|new york city|boston|washington|philadelphia|atlanta|miami|orlando|ottawa|montreal
America/Chicago dallas|houston|austin|texas|minneapolis|new orleans
America/Denver salt lake city|colorado
America/Sao_Paulo rio|rio de janeiro|sao paulo|são paulo|brasilia
Europe/London edinburgh|manchester|glasgow|oxford|cambridge|birmingham|uk|england|scotland|wales
Europe/Berlin munich|hamburg|frankfurt|cologne|stuttgart|bonn|leipzig|münchen|köln
Europe/Paris lyon|marseille|nice|toulouse
Europe/Madrid barcelona|seville|valencia
Europe/Rome milan|naples|turin|florence
Europe/Zurich geneva|bern|basel|zürich
Europe/Amsterdam rotterdam|the hague
Europe/Warsaw krakow|gdansk
Europe/Moscow st petersburg|saint petersburg
Asia/Kolkata mumbai|delhi|new delhi|bangalore|bengaluru|chennai|hyderabad|pune|calcutta
Asia/Shanghai beijing|shenzhen|guangzhou|china
Asia/Tokyo osaka|kyoto
Asia/Dubai abu dhabi
Asia/Jerusalem tel aviv
Asia/Ho_Chi_Minh hanoi|saigon
Australia/Sydney canberra
Africa/Johannesburg cape town|pretoria|durban
Pacific/Auckland wellington`;
const SHORT: Readonly<Record<string, string>> = {
  UTC: "UTC",
  GMT: "GMT",
  CET: "CET",
  CEST: "CET",
  ET: "America/New_York",
  EST: "America/New_York",
  EDT: "America/New_York",
  CST: "America/Chicago",
  CDT: "America/Chicago",
  MST: "America/Denver",
  PT: "America/Los_Angeles",
  PST: "America/Los_Angeles",
  PDT: "America/Los_Angeles",
  BST: "Europe/London",
  JST: "Asia/Tokyo",
};

let places: ReadonlyMap<string, string> | undefined;

/** Zones by the names of cities, and of countries that have one zone only. */
function zonesByPlace(): ReadonlyMap<string, string> {
  if (places !== undefined) return places;
  const found = new Map<string, string>();
  const regions = new Intl.DisplayNames("en", { type: "region", fallback: "none" });
  const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ".split("");
  for (const code of letters.flatMap((one) => letters.map((other) => one + other))) {
    const name = regions.of(code)?.toLowerCase();
    const zones = name === undefined ? [] : zonesOfRegion(code);
    const [only] = zones;
    if (name !== undefined && only !== undefined && zones.length === 1) found.set(name, only);
  }
  for (const zone of Intl.supportedValuesOf("timeZone"))
    found.set((zone.split("/").at(-1) ?? zone).replaceAll("_", " ").toLowerCase(), zone);
  for (const line of CITIES.split("\n")) {
    const at = line.indexOf(" ");
    for (const city of line.slice(at + 1).split("|")) found.set(city, line.slice(0, at));
  }
  places = found;
  return found;
}

/** The library's types do not have this method yet. */
function zonesOfRegion(code: string): readonly string[] {
  const locale: Intl.Locale & { getTimeZones?: () => string[] | undefined } = new Intl.Locale(`und-${code}`);
  return locale.getTimeZones?.() ?? [];
}

export function isZone({ words, kind }: Slot): boolean {
  return kind === "text" && /(?:^|\s)(?:time ?zone|tz)(?:\s|$)/.test(words.join(" "));
}

function isKnown(zone: string): boolean {
  try {
    return new Intl.DateTimeFormat("en", { timeZone: zone }).resolvedOptions().timeZone !== "";
  } catch {
    return false;
  }
}

/** The zones that a text names, by their own names or by places, in order. */
function zonesIn(masked: string): Piece[] {
  const words = [...masked.matchAll(/[\p{L}][\p{L}.]*(?:[/_+-][\p{L}\d]+)*/gu)];
  const found: Piece[] = [];
  for (let at = 0; at < words.length;) {
    const size = [4, 3, 2, 1].find((count) => zoneOf(masked, words.slice(at, at + count)) !== undefined);
    const run = words.slice(at, at + (size ?? 1));
    const [first, last] = [run[0], run.at(-1)];
    const value = size === undefined ? undefined : zoneOf(masked, run);
    if (first && last && value !== undefined)
      found.push({ value, start: first.index, end: last.index + last[0].length });
    at += run.length;
  }
  return found;
}

function zoneOf(masked: string, run: readonly RegExpExecArray[]): string | undefined {
  const [first, last] = [run[0], run.at(-1)];
  if (first === undefined || last === undefined) return undefined;
  const text = masked.slice(first.index, last.index + last[0].length);
  if (/\s{2,}|[,;:?!]/.test(text)) return undefined;
  if (text.includes("/")) return /^\p{L}+\/[\w+/-]+$/u.test(text) && isKnown(text) ? text : undefined;
  if (/^[A-Z]+$/.test(text) && Object.hasOwn(SHORT, text)) return SHORT[text];
  const place = zonesByPlace().get(text.toLowerCase().replace(/\.$/, ""));
  // "nice", "la" and the like are words where they are written like words.
  return place !== undefined && (text.length > 4 || /^\p{Lu}/u.test(text)) ? place : undefined;
}

const CLOCK = /\d{1,2}:\d{2}(?:\s*[ap]\.?m\b)?|\b\d{1,2}\s*[ap]\.?m\b/i;

/** "16:30 from Berlin to New York": zones for the places, and the one that the tool says is meant where none is named. */
export function fillZones(filling: Filling): void {
  const slots = filling.entry.slots.filter((slot) => isZone(slot) && isOpen(filling, slot));
  if (slots.length === 0) return;
  const { text } = filling.sheet;
  const zones = zonesIn(filling.sheet.masked);
  const clock = CLOCK.exec(text);
  const give = (slot: Slot | undefined, zone: Piece | undefined): void => {
    if (!slot || !zone) return;
    const lead = /(?:\b(?:from|to|in|into|at|for|of)\s+)?(?:the\s+)?$/i.exec(text.slice(0, zone.start));
    const tail = /^(?:['’]s)?(?:\s+(?:local\s+)?(?:time|timezone|time zone))?\b/i.exec(text.slice(zone.end));
    put(
      filling,
      slot,
      zone.value,
      { start: lead?.index ?? zone.start, end: zone.end + (tail?.[0].length ?? 0) },
      1,
    );
  };
  const isFrom = (slot: Slot): boolean =>
    slot.words.some((word) => /^(?:from|source|origin|base)$/.test(word));
  const isTo = (slot: Slot): boolean => slot.words.some((word) => /^(?:to|target|destination)$/.test(word));
  const [source, target] = [slots.find(isFrom), slots.find(isTo)];
  if (source && target) {
    const said = (zone: Piece, lead: RegExp): boolean => lead.test(text.slice(0, zone.start));
    // What stands with the time of day is where that time is.
    const isNear = ({ start, end }: Piece): boolean =>
      clock !== null &&
      /^\s*(?:\(?(?:in|at|from)?\s*|o['’]clock in )$/i.test(
        text.slice(Math.min(end, clock.index + clock[0].length), Math.max(start, clock.index)),
      );
    const from =
      zones.find((zone) => said(zone, /\bfrom\s+(?:the\s+)?$/i)) ??
      zones.find((zone) => !said(zone, /\b(?:to|into)\s+(?:the\s+)?$/i) && isNear(zone)) ??
      (zones.length > 1 ? zones.find((zone) => !said(zone, /\b(?:to|into)\s+(?:the\s+)?$/i)) : undefined);
    give(source, from);
    give(
      target,
      zones.find((zone) => zone !== from),
    );
  } else {
    const [first, ...others] = zones;
    give(slots[0], first);
    const [slot] = slots;
    if (slot && others.length > 0)
      filling.others = { name: slot.name, values: others.map(({ value }) => value) };
    for (const { start, end } of others) filling.sheet.take(start, end);
  }
  for (const slot of slots.filter((each) => each.required && isOpen(filling, each))) {
    const local = /\buse ['"]([\w/+-]+)['"] as (?:the )?(?:local|default)/i.exec(slot.description)?.[1];
    if (local !== undefined && isOneOf(slots, filling)) {
      filling.args[slot.name] = local;
      filling.assumed.push(slot.name);
    }
  }
}

/** Of two zones one is said, or it is asked what time it is without saying where. */
function isOneOf(slots: readonly Slot[], filling: Filling): boolean {
  if (slots.length > 1) return slots.some((slot) => !isOpen(filling, slot));
  return /\b(?:what(?:['’]?s| is) the(?: current)? time|what time is it|(?:current|local) time|how late|time (?:is it )?now)\b/i.test(
    filling.sheet.text,
  );
}
