import type { Said, Statement, StatementForm } from "#contract/statement.ts";

import type { Words } from "./en.ts";

/* German, as colleagues write it to each other: "du", short, "Freigabe" for an approval. */

const NUMBERS = ["keine", "eine", "zwei", "drei", "vier", "fünf", "sechs", "sieben", "acht", "neun"];
const plurals = new Intl.PluralRules("de");
const days = new Intl.DateTimeFormat("de", { dateStyle: "medium", timeZone: "UTC" });
const moments = new Intl.DateTimeFormat("de", {
  dateStyle: "medium",
  timeStyle: "short",
  timeZone: "UTC",
});
const lists = {
  and: new Intl.ListFormat("de", { type: "conjunction" }),
  or: new Intl.ListFormat("de", { type: "disjunction" }),
};

function counted(amount: number, one: string, many: string): string {
  return `${grouped(amount)} ${isOne(amount) ? one : many}`;
}

/** What a migration is of, as the Sisense server calls it. */
const MIGRATED: Readonly<Record<string, string>> = {
  users: "Benutzer",
  groups: "Gruppen",
  dashboards: "Dashboards",
  "data models": "Datenmodelle",
  "dashboard shares": "Freigaben",
};

function isOne(amount: number): boolean {
  return plurals.select(amount) === "one";
}

function grouped(amount: number): string {
  return amount.toLocaleString("de");
}

/** What kinds of records are called, alone and several; others stay as their server calls them. */
const KINDS: Readonly<Record<string, readonly [one: string, many: string]>> = {
  issue: ["Vorgang", "Vorgänge"],
  bug: ["Bug", "Bugs"],
  task: ["Aufgabe", "Aufgaben"],
  "sub-task": ["Unteraufgabe", "Unteraufgaben"],
  subtask: ["Unteraufgabe", "Unteraufgaben"],
  story: ["Story", "Storys"],
  epic: ["Epic", "Epics"],
  page: ["Seite", "Seiten"],
  record: ["Eintrag", "Einträge"],
};

function kindOf(kind = "record"): readonly [one: string, many: string] {
  const known = Object.hasOwn(KINDS, kind) ? KINDS[kind] : undefined;
  const own = `${kind.charAt(0).toUpperCase()}${kind.slice(1)}`;
  return known ?? [own, own];
}

/** "Assignee" and what else fields are called where our own views name them. */
const LABELS: Readonly<Record<string, string>> = {
  Agents: "Agenten",
  Duration: "Dauer",
  Started: "Begonnen",
  Cost: "Kosten",
  Title: "Titel",
  Summary: "Titel",
  Type: "Typ",
  Priority: "Priorität",
  Assignee: "Zuständig",
  Issues: "Vorgänge",
  "Assigned to": "Zuständig",
  Reporter: "Gemeldet von",
  Labels: "Labels",
  "Due date": "Fällig",
  Due: "Fällig",
  Description: "Beschreibung",
  Comment: "Kommentar",
  Link: "Verknüpfung",
  Project: "Projekt",
  Created: "Angelegt",
  Updated: "Geändert",
  Key: "Schlüssel",
  When: "Wann",
  Who: "Wer",
  Field: "Feld",
  From: "Von",
  To: "Nach",
  Done: "Erledigt",
  "To do": "Offen",
  "In progress": "In Arbeit",
  Space: "Bereich",
  Path: "Pfad",
  "Last change": "Letzte Änderung",
  "Page ID": "Seiten-ID",
  Epic: "Epic",
  Page: "Seite",
  Author: "Autor",
  Parent: "Übergeordnet",
  Value: "Wert",
  Action: "Aktion",
  "About this action": "Über diese Aktion",
  "Requested by": "Angefragt von",
  Expires: "Läuft ab",
  Reminder: "Erinnerung",
  Rule: "Regel",
  "Standing approval": "Dauerfreigabe",
  "Replaced by": "Ersetzt durch",
  Request: "Anfrage",
  Used: "Benutzt",
  Ends: "Endet",
  "Given by": "Erteilt von",
  "May differ": "Darf abweichen",
  "Must be equal": "Muss gleich sein",
};

/** What a record lacks that another one was to take over. */
const NO_VALUE: Readonly<Record<string, string>> = {
  "due date": "kein Fälligkeitsdatum",
  priority: "keine Priorität",
  assignee: "keine zuständige Person",
  epic: "kein Epic",
  status: "keinen Status",
  labels: "keine Labels",
};

/** What the bundled tools call what they do; of others it stays as they call it. */
const VERBS: Readonly<Record<string, string>> = {
  Assign: "zuweisen",
  "Comment on": "kommentieren",
  Comment: "kommentieren",
  "Add comment": "kommentieren",
  Move: "verschieben",
  Transition: "weiterschieben",
  Update: "ändern",
  Edit: "bearbeiten",
  Change: "ändern",
  Rename: "umbenennen",
  Link: "verknüpfen",
  Delete: "löschen",
  Close: "schließen",
};

/** A value in the middle of a sentence. */
function said({ text, isQuoted }: Said): string {
  return isQuoted === true ? `„${text}“` : dayIn(text);
}

const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/** A day as statements keep it, "1 Dec 2026", as "01.12.2026"; any other value stays as it is. */
function dayIn(text: string): string {
  const [, day, month = "", year] = /^(\d{1,2}) ([A-Z][a-z]{2}) (\d{4})$/.exec(text) ?? [];
  const at = MONTHS.indexOf(month);
  return at === -1 ? text : days.format(Date.UTC(Number(year), at, Number(day)));
}

/** "(bisher Ana)" where it is known. */
function before(from: Said | null | undefined, nothing: string): string {
  if (from === undefined) return "";
  return ` (bisher ${from === null ? nothing : said(from)})`;
}

/** What a call does, as an order and afterwards, both behind what they are done to. */
interface Verb {
  /** What is done to; with a word before it, such as "Priorität von". */
  about?: (what: string) => string;
  order: string;
  done: string;
  /** Stands behind the verb. */
  tail?: string;
  /** On a button, behind what is done to; without it stands `alone`. */
  short: string;
  alone?: string;
  /** What the object is where nothing would change. */
  already?: string;
}

function labelOf(label = ""): string {
  return LABELS[label] ?? label;
}

function saidOr(value: Said | null, nothing: string): string {
  return value === null ? nothing : said(value);
}

function fieldsOf({ fields }: Extract<StatementForm, { is: "change" }>): string {
  if (fields.length > 3) return `${fields.length} Felder`;
  return lists.and.format(fields.map(labelOf));
}

function labelling({ to, from, added = [], removed = [] }: Extract<StatementForm, { is: "labels" }>): Verb {
  const of = (list: readonly Said[]): string => lists.and.format(list.map(said));
  const noun = (list: readonly Said[]): string => `${list.length === 1 ? "Label" : "Labels"} ${of(list)}`;
  const button = { short: "", alone: "Labels ändern" };
  if (to !== undefined) {
    const about = (what: string): string => `Labels von ${what}`;
    const tail = from === undefined ? "" : ` (bisher ${of(from) || "keine"})`;
    if (to.length === 0) return { about, order: "entfernen", done: "entfernt", tail, ...button };
    return { about, order: `auf ${of(to)} setzen`, done: `auf ${of(to)} gesetzt`, tail, ...button };
  }
  if (removed.length === 0)
    return {
      about: (what) => `${noun(added)} zu ${what}`,
      order: "hinzufügen",
      done: "hinzugefügt",
      ...button,
    };
  if (added.length === 0)
    return {
      about: (what) => `${noun(removed)} von ${what}`,
      order: "entfernen",
      done: "entfernt",
      ...button,
    };
  const tail = `: ${of(added)} dazu, ${of(removed)} weg`;
  return { about: (what) => `Labels von ${what}`, order: "ändern", done: "geändert", tail, ...button };
}

function within(under: string | undefined): string {
  return under === undefined ? "" : ` unter „${under}“`;
}

function partOf({ part }: Extract<StatementForm, { is: "rewrite" }>): string {
  return part === undefined ? "" : `von „${part.from}“ in „${part.to}“ `;
}

function verbOf(form: Exclude<StatementForm, { is: "own" }>): Verb {
  switch (form.is) {
    case "create": {
      const whom = form.for === undefined ? "" : ` für ${said(form.for)}`;
      const place = `in ${said(form.in)}${within(form.under)}${whom}`;
      return { order: `${place} anlegen`, done: `${place} angelegt`, short: "anlegen" };
    }
    case "rename": {
      const to = `in „${form.to}“`;
      return form.rewrites === true
        ? {
            order: `${to} umbenennen und den Text ändern`,
            done: `${to} umbenannt und den Text geändert`,
            short: "umbenennen",
          }
        : { order: `${to} umbenennen`, done: `${to} umbenannt`, short: "umbenennen" };
    }
    case "append":
      if (form.isRow === true)
        return {
          about: (what) => `Tabelle von ${what}${within(form.under)}`,
          order: "um eine Zeile ergänzen",
          done: "um eine Zeile ergänzt",
          short: "ergänzen",
          alone: "Tabelle ergänzen",
        };
      return {
        about: (what) => `Text von ${what}${within(form.under)}`,
        order: "ergänzen",
        done: "ergänzt",
        short: "ergänzen",
        alone: "Text ergänzen",
      };
    case "rewrite":
      return {
        about: (what) => `Text von ${what}`,
        order: `${partOf(form)}ändern`,
        done: `${partOf(form)}geändert`,
        short: "ändern",
        alone: "Text ändern",
      };
    case "change": {
      const [to, ...more] = form.to ?? [];
      if (more.length > 0) {
        const values = (form.to ?? []).map(
          (value, at) => `${labelOf(form.fields[at])} ${saidOr(value, "leer")}`,
        );
        const tail = `: ${lists.and.format(values)}`;
        return { order: "ändern", done: "geändert", tail, short: "ändern" };
      }
      const about = (what: string): string => `${fieldsOf(form)} von ${what}`;
      if (to === undefined) return { about, order: "ändern", done: "geändert", short: "ändern" };
      const tail = before(form.from, "leer");
      if (to === null) return { about, order: "leeren", done: "geleert", tail, short: "ändern" };
      const value = `auf ${said(to)}`;
      return { about, order: `${value} ändern`, done: `${value} geändert`, tail, short: "ändern" };
    }
    case "labels":
      return labelling(form);
    case "move": {
      const to = `auf ${said(form.to)}`;
      return {
        order: `${to} setzen`,
        done: `${to} gesetzt`,
        short: `${to} setzen`,
        alone: "Status setzen",
        already: `steht schon ${to}`,
      };
    }
    case "assign": {
      const tail = before(form.from, "niemandem");
      const to = said(form.to);
      return {
        order: `${to} zuweisen`,
        done: `${to} zugewiesen`,
        tail,
        short: "zuweisen",
        already: `ist schon ${to} zugewiesen`,
      };
    }
    case "unassign":
      return {
        about: (what) => `Zuweisung von ${what}`,
        order: "aufheben",
        done: "aufgehoben",
        tail: before(form.from, "niemandem"),
        short: "",
        alone: "Zuweisung aufheben",
      };
    case "comment":
      return { order: "kommentieren", done: "kommentiert", short: "kommentieren" };
    case "link": {
      const to = `mit ${said(form.to)}${form.title === undefined ? "" : ` „${form.title}“`}`;
      return { order: `${to} verknüpfen`, done: `${to} verknüpft`, short: "verknüpfen" };
    }
    case "delete":
      return { order: "endgültig löschen", done: "endgültig gelöscht", short: "löschen" };
    case "trash":
    default: {
      const place = form.from === undefined ? "" : `aus ${form.from} `;
      return {
        order: `${place}löschen`,
        done: `${place}gelöscht`,
        tail: " (Papierkorb)",
        short: "löschen",
      };
    }
  }
}

function sentence({ form, object }: Statement, what: string, part: "order" | "done"): string | undefined {
  if (form === undefined || form.is === "own") return undefined;
  const { about, tail = "", ...verb } = verbOf(form);
  const named = form.is === "create" ? `${kindOf(object?.kind)[0]} ${what}` : what;
  return `${about?.(named) ?? named} ${verb[part]}${tail}`;
}

/** The words of an operator, or of a tool of which nothing else is known: they are English as a rule. */
function foreign({ verb, rest = "", form }: Statement, what: string): string {
  const text = [verb, what, rest].filter((part) => part !== "").join(" ");
  const whole = rest.startsWith(": ") ? text.replace(` ${rest}`, rest) : text;
  return form?.is === "own" ? whole : `„${whole.replaceAll(/[“„]([^“”]*)[”“]/g, "‚$1‘")}“`;
}

function capital(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}

const unit = {
  day: ["Tag", "Tage"],
  hour: ["Stunde", "Stunden"],
  minute: ["Minute", "Minuten"],
  second: ["Sekunde", "Sekunden"],
} as const;

export const de: Words = {
  locale: "de",
  grouped,
  and: (items) => lists.and.format(items),
  or: (items) => lists.or.format(items),
  quote: (text) => `„${text}“`,
  day: (date) => days.format(date),
  duration(amount, of) {
    const [one, many] = unit[of];
    return counted(amount, one, many);
  },
  moment: (at) => `${moments.format(at)} UTC`,
  value: dayIn,
  labels: LABELS,

  statement: {
    ask: (statement, what) =>
      sentence(statement, what, "order") ??
      (statement.form?.is === "own" ? foreign(statement, what) : `${foreign(statement, what)} ausführen`),
    done(statement, what) {
      const done = sentence(statement, what, "done");
      if (done !== undefined) return done;
      const { form, past } = statement;
      if (form?.is !== "own") return `${foreign(statement, what)} ausgeführt`;
      return form.hasDone
        ? foreign({ ...statement, verb: past }, what)
        : `Erledigt: ${foreign(statement, what)}`;
    },
    button({ verb, form }, label) {
      if (form === undefined || form.is === "own")
        return [verb, label].filter((part) => part !== "").join(" ");
      const { short, alone = capital(short) } = verbOf(form);
      return short === "" ? alone : `${label} ${short}`;
    },
    order({ verb, form }) {
      if (form === undefined || form.is === "own") return verb;
      const { alone, short } = verbOf(form);
      return alone ?? capital(short);
    },
    together(first, amount, names, inFull) {
      const [, many] = kindOf(first.object?.kind);
      const { form } = first;
      const what = names ?? `${amount} ${many}`;
      if (form === undefined || form.is === "own")
        return inFull ? `${foreign(first, what)} ausführen` : `${amount}-mal ausführen`;
      if (!inFull) return `${what} ${verbOf(form).short}`.trim();
      // Several are named by their kind in its plural.
      const { about, order, tail = "" } = verbOf(form);
      const named = form.is === "create" && names !== undefined ? `${many} ${names}` : what;
      return `${about?.(named) ?? named} ${order}${tail}`;
    },
    moreOf: (amount, kind) => `${amount} weitere ${kindOf(kind)[1]}`,
    andMore: (first, more) => `${first}, und ${more} weitere`,
    goesOn: (asked) => asked,
    approveAll: (amount) => `Alle ${amount} freigeben`,
    question: (asked) => `${asked}?`,
    didItHappen: (asked) => `Ist das passiert? ${asked}`,
    already({ form }, what) {
      const known = form === undefined || form.is === "own" ? undefined : verbOf(form).already;
      return `${what === "" ? "Das" : what} ${known ?? "ist schon so"}`;
    },
    since: (labels) => `${labels} geändert`,
    failed: (asked, why) => `${asked} ist fehlgeschlagen: ${why}`,
  },

  buttons: {
    approve: "Freigeben",
    approveAll: "Alle freigeben",
    approveBoth: "Beide freigeben",
    approveThese: (amount) => `Diese ${amount} freigeben`,
    approveSome: (amount) => `${amount} freigeben`,
    denyBoth: "Beide ablehnen",
    denyThese: (amount) => `Diese ${amount} ablehnen`,
    denySome: (amount) => `${amount} ablehnen`,
    approveForAWhile: "Eine Zeit lang freigeben",
    approveAndAllow: "Freigeben und erlauben",
    deny: "Ablehnen",
    withdraw: "Zurückziehen",
    denyAll: "Alle ablehnen",
    edit: "Bearbeiten",
    details: "Details",
    detailsOf: (what) => `Details: ${what}`,
    lookUp: "Nachsehen",
    happened: "Ist passiert",
    didNot: "Ist nicht passiert",
    standing: "Dauerfreigaben",
    revoke: (number, what) => `Widerrufen${number}: ${what}`,
    stop: "Stopp",
    fillIn: "Ausfüllen",
    showReply: "Ganze Antwort zeigen",
    showJson: "JSON zeigen",
    runLog: "Protokoll",
    show: "Zeigen",
    showAll: "Alles zeigen",
    showAllOf: (amount) => `Alle ${grouped(amount)} zeigen`,
    showMore: (amount) => `${grouped(amount)} weitere zeigen`,
    previous: "← Zurück",
    next: "Weiter →",
    share: "Mit dem Kanal teilen",
    more: "Mehr",
    open: "Öffnen",
    openPage: (domain) => `${domain} öffnen`,
    openTheForm: "Formular öffnen",
    save: "Speichern",
    send: "Senden",
    cancel: "Abbrechen",
    close: "Schließen",
    ask: "Fragen",
    run: "Ausführen",
    answer: "Antworten",
    decline: "Nicht antworten",
    opened: "Ich habe sie geöffnet",
    addReason: "Grund angeben",
    nextPart: "Nächster Teil",
    correctIt: "Korrigieren",
    yes: "Ja",
    no: "Nein",
    none: "(nichts)",
    tryAgain: "Noch einmal versuchen",
    askAgain: "Noch einmal anfragen",
    askAgainTo: (order) => `Noch einmal anfragen: ${order}`,
    editAndTry: "Bearbeiten und noch einmal versuchen",
    undo: "Rückgängig machen",
    onRecord(verb, record) {
      const own = Object.hasOwn(VERBS, verb) ? VERBS[verb] : undefined;
      return own === undefined ? `${verb} ${record}` : `${record} ${own}`;
    },
    undoOf: (label) => `${label} rückgängig machen`,
    connect: (server) => `${server} verbinden`,
    disconnect: (server) => `${server} trennen`,
    sayWho: (server) => `Sagen, wer du in ${server} bist`,
    changeWho: (server) => `${server} ändern`,
    forgetWho: (server) => `${server} vergessen`,
    connectSite: (server) => `Site für ${server} verbinden`,
    useSite: {
      tenant: (site) => `${site} hier benutzen`,
      source: (site) => `${site} als Quelle benutzen`,
      target: (site) => `${site} als Ziel benutzen`,
    },
    stopUsing: {
      tenant: (site) => `${site} hier nicht mehr benutzen`,
      source: (site) => `${site} nicht mehr als Quelle benutzen`,
      target: (site) => `${site} nicht mehr als Ziel benutzen`,
    },
    allowSummaries: "Zusammenfassen erlauben",
    makePrivate: "Privat machen",
    helpful: " Hilfreich",
    notHelpful: " Nicht hilfreich",
  },

  approval: {
    states: {
      pending: "wartet auf Freigabe",
      approved: "freigegeben",
      executing: "läuft",
      done: "erledigt",
      failed: "fehlgeschlagen",
      unknown: "Ausgang unbekannt",
      denied: "abgelehnt",
      expired: "abgelaufen",
      void: "nicht mehr gültig",
      superseded: "ersetzt",
    },
    needApproval: (amount) => `${amount} warten auf Freigabe`,
    changedSince: "Seit der Freigabe geändert",
    assumed: "vom Modell angenommen",
    sites: { tenant: "Auf", source: "Von", target: "Nach" },
    notEncrypted: "nicht verschlüsselt",
    requestedBy: (name) => `Angefragt von ${name}`,
    mayApprove: (who) => `Freigabe: ${who}`,
    given: (given, quorum) => `${given} von ${quorum} Freigaben`,
    until: (moment) => `bis ${moment}`,
    needsReason: "mit Grund",
    actsAs: (account) => `handelt als ${account}`,
    later: (wishes) => `Gehört nicht dazu, folgt danach: ${wishes}.`,
    canUndo: "Lässt sich rückgängig machen.",
    canUndoFor: (duration) => `Lässt sich noch ${duration} danach rückgängig machen.`,
    canUndoUntil: (moment) => `Lässt sich bis ${moment} rückgängig machen.`,
    cannotUndo: "Lässt sich nicht rückgängig machen.",
    approvedOn: (name, moment) => `${name} hat am ${moment} freigegeben`,
    deniedOn: (name, moment) => `${name} hat am ${moment} abgelehnt`,
    reason: (reason) => `Grund: ${reason}`,
    nobody: "niemand",
    somebody: "jemand",
    inTheChannel: "aus dem Kanal",
    ofTheGroup: (group) => `aus der Gruppe ${group}`,
    anyone: (where) => `jemand ${where}`,
    otherThan: (name) => ` außer ${name}`,
    people: (amount, where) => `${NUMBERS[amount] ?? String(amount)} Personen ${where}`,
    someOf: (amount, who) => `${NUMBERS[amount] ?? String(amount)} von ${who}`,
    someOfThese: (amount, who) => `${NUMBERS[amount] ?? String(amount)} von: ${who}`,
  },

  outcome: {
    note: "Notiz",
    on: (moment) => ` am ${moment}`,
    by: (names) => ` von ${names}`,
    approved: (by, on) => `Freigegeben${by}${on}`,
    byStanding: (name, on) => `Erlaubt durch die Dauerfreigabe von ${name}${on}`,
    byPolicy: (on) => `Durch die Regeln ohne Freigabe erlaubt${on}`,
    notSent: (approved) => `${approved}. Noch nicht gesendet.`,
    beingSent: (approved) => `${approved}; wird gerade gesendet.`,
    done: (approved) => `${approved} und erledigt.`,
    failed: (approved) => `${approved}, aber es hat nicht geklappt.`,
    unknown: (approved) =>
      `${approved} und gesendet, aber es kam keine Antwort. Sieh nach, ob es passiert ist, und sag es dann hier. Es wird nicht noch einmal gesendet.`,
    takenBack: (by, on) => `Zurückgezogen${by}${on}. Nichts wurde gesendet.`,
    denied: (by, on) => `Abgelehnt${by}${on}. Nichts wurde gesendet.`,
    expired: (why) => `${why} Nichts wurde gesendet.`,
    void: (on, why) => `Gilt nicht mehr${on === "" ? "" : ` (bemerkt${on})`}: ${why}. Nichts wurde gesendet.`,
    voidWhy: "das Werkzeug oder seine Regel hat sich nach der Anfrage geändert",
    superseded: (note, on) =>
      `Eine neuere Anfrage hat diese ersetzt${note === "" ? "" : ` (${note})`}${on}. Von dieser wurde nichts gesendet.`,
    lateWhy: "es konnte nicht rechtzeitig gesendet werden",
    nobodyBefore: (moment) => `Bis ${moment} hat niemand entschieden.`,
    onlySome: (given, quorum, moment) => `Bis ${moment} kamen nur ${given} von ${quorum} Freigaben.`,
    cameLater: (moment, what, rest) => `Am ${moment} kam noch ein Ergebnis: ${what}. ${rest}`,
    lateResults: {
      done: "das Werkzeug meldet, dass es erledigt ist",
      failed: "das Werkzeug meldet, dass es fehlgeschlagen ist",
      unknown: "es sagt nicht, ob es passiert ist",
    },
    settleWithIt: "Berücksichtige das, wenn du es klärst.",
    keptAsEvidence: "Es wird als Beleg aufbewahrt und ändert nichts.",
    lookUp: "Nachsehen zeigt, wie es jetzt ist, und ändert nichts.",
  },

  details: {
    willBeSent: "Was gesendet wird",
    isBeingSent: "Was gerade gesendet wird",
    wasSent: "Was gesendet wurde",
    wasAskedFor: "Was angefragt war",
    dryRun: "Was sich laut Probelauf ändert",
    notFromMessage: "Nicht aus der Nachricht",
    fromEarlier: "von vorher aus dieser Unterhaltung",
    asInMessage: (quoted) => `wie in der früheren Nachricht ${quoted}`,
    fromEarlierResult: "aus einem früheren Ergebnis",
    fromResultOf: (what) => `aus dem Ergebnis von ${what}`,
    toolDefault: "Vorgabe des Werkzeugs",
    fixed: "durch die Konfiguration gesetzt",
    fromForm: "im Formular geändert",
    noArguments: "Keine Argumente.",
    expires: (moment, after) => `${moment} (${after} nach der Anfrage)`,
    reminded: (moment) => `am ${moment} gesendet`,
    argumentsAsJson: "Argumente als JSON",
  },

  grants: {
    title: "Dauerfreigaben",
    some: (amount) => counted(amount, "Dauerfreigabe", "Dauerfreigaben"),
    terms: (what) => `Eine Zeit lang erlauben: ${what}`,
    termsText: (what, duration, uses) =>
      `${what}\nGibt diese Anfrage frei und lässt dasselbe in dieser Unterhaltung ohne Nachfrage noch einmal laufen: höchstens ${duration} lang und höchstens ${grouped(uses)}-mal.`,
    nothing: "In dieser Unterhaltung läuft nichts ohne Nachfrage.",
    used: (uses, most) => `${uses} von ${most}`,
    readsOf: (server) => `Alles, was laut ${server} nur liest`,
    unknownRead: (server) =>
      `${server} sagt, dass dies nur liest. Hier ist das nicht bekannt. Wer freigibt, kann dem vertrauen, was laut ${server} nur liest; wer das Produkt betreibt, mit trust_annotations.`,
    trustReads: (server) => `Lesen von ${server} vertrauen`,
    trustTerms: (server, duration, uses) =>
      `Mit der Freigabe läuft hier ohne Nachfrage, was laut ${server} nur liest: höchstens ${duration} lang und höchstens ${grouped(uses)}-mal, solange es dieselben Lesezugriffe anbietet. Das wird festgehalten und lässt sich widerrufen.`,
    toolAlone: "Nur das Werkzeug; kein Argument muss gleich sein.",
    mustBeEqual: "Muss gleich sein, nichts kommt dazu",
    nothingMayDiffer: "nichts",
    mayBeAllowed: "Kann eine Zeit lang erlaubt werden",
    offer: (duration, uses) =>
      `Mit der Freigabe darf dasselbe ohne Nachfrage noch einmal laufen: höchstens ${duration} lang und höchstens ${grouped(uses)}-mal, nur in dieser Unterhaltung.`,
    equalTool: "das Werkzeug, ohne weiteres Argument",
    equalNames: (names) => `${names}, wie oben, nichts kommt dazu`,
    given: (moment, uses, most) =>
      `Damit erteilt: Dasselbe läuft bis ${moment} ohne Nachfrage; ${uses} von ${most}-mal benutzt.`,
    revokedBy: (name, uses, most) =>
      `Damit erteilt und von ${name} widerrufen: Für dasselbe wird wieder gefragt; es wurde ${uses} von ${most}-mal benutzt.`,
    formTitle: "Eine Zeit lang erlauben",
    howLong: "Wie lange",
    howOften: "Wie oft noch",
    usesHelp: (most) => `Von 1 bis ${most}. Dieser Aufruf selbst zählt nicht mit.`,
  },

  notices: {
    needed: (asked) => `${asked} Freigabe nötig.`,
    stillNeeded: (asked) => `${asked} Freigabe immer noch nötig.`,
    ended: (amount) => `${counted(amount, "Anfrage ist", "Anfragen sind")} zu Ende:`,
    endedAndMore: (amount, first) =>
      `${counted(amount, "Anfrage ist", "Anfragen sind")} zu Ende: ${first} und weitere`,
    stillWaiting: "⏰ Wartet noch: ",
    asked: " hat das angefragt.",
    waitingFor: " Freigabe durch ",
    expires: " Läuft ab: ",
    firstExpires: " Die erste läuft ab: ",
    approvedBy: " Freigegeben von ",
    deniedBy: " Abgelehnt von ",
    failed: (asked) => `Fehlgeschlagen: ${asked}.`,
    lookAndAsk: "Sieh dir die Anfrage an und frag dann noch einmal.",
    done: (done) => `${done}.`,
    unknown: (asked) => `Niemand weiß, ob das passiert ist: ${asked}.`,
    unknownWhy:
      "Es wurde gesendet, und es kam keine Antwort. Sieh nach, ob es passiert ist, und sag es dann an der Anfrage. Es wird nicht noch einmal gesendet.",
    denied: (asked) => `Abgelehnt: ${asked}.`,
    deniedWhy: (reason) => `${reason === "" ? "" : `Grund: ${reason}. `}Nichts wurde geändert.`,
    expired: (asked) => `Abgelaufen: ${asked}.`,
    nobodyInTime: "Niemand hat rechtzeitig entschieden. ",
    onlySome: (given, quorum) => `Nur ${given} von ${quorum} Freigaben kamen rechtzeitig. `,
    notDone: (asked) => `Nicht ausgeführt: ${asked}.`,
    askAgain: (why) => `${why}Nichts wurde geändert. Frag noch einmal.`,
    andMore: (amount) => `und ${amount} weitere`,
    given: (given, quorum) => ` ${given} von ${quorum} Freigaben ${given === 1 ? "ist" : "sind"} da.`,
    mayDecide: "Du darfst das entscheiden: Öffne es über den Link, in ",
    anyoneHere: "jemand aus diesem Kanal",
    group: (name) => `die Gruppe ${name}`,
    told: "Per Direktnachricht verständigt: ",
    missed: "Nicht erreicht, bitte sag Bescheid: ",
  },

  inbox: {
    title: "Wartet auf dich",
    recent: "Zuletzt entschieden",
    takenBack: "zurückgezogen",
    ends: {
      pending: "wartet auf Freigabe",
      approved: "freigegeben",
      executing: "freigegeben",
      done: "freigegeben und erledigt",
      failed: "freigegeben, aber fehlgeschlagen",
      unknown: "Ausgang unbekannt",
      denied: "abgelehnt",
      expired: "abgelaufen",
      void: "nicht mehr gültig",
      superseded: "ersetzt",
    },
    emptyTitle: "Nichts wartet auf dich",
    nothing: "Nichts wartet auf deine Freigabe.",
    some: (amount) => `${counted(amount, "Anfrage wartet", "Anfragen warten")} auf deine Freigabe.`,
    askedExpires: (name) => `Angefragt von ${name}. Läuft ab: `,
    item: (name, given, quorum, moment) =>
      `angefragt von ${name}, ${given} von ${counted(quorum, "Freigabe", "Freigaben")}, läuft ab: ${moment}`,
  },

  turn: {
    undrawable:
      "Discord konnte diese Antwort nicht zeigen. Wer Countersign betreibt, findet im Protokoll mehr.",
    phases: {
      queued: "Eingereiht",
      planning: "Denkt nach",
      executing_tools: "Arbeitet",
      awaiting_approval: "Wartet auf Freigabe",
      summarizing: "Schreibt die Antwort",
      done: "Fertig",
    },
    soFar: (results) => `bisher ${counted(results, "Ergebnis", "Ergebnisse")}`,
    sorry: "Das hat leider nicht geklappt.",
    sorryFor: (why) => `Das hat leider nicht geklappt: ${why}`,
    stopped: "Gestoppt.",
    stoppedBy: "⏹️ Gestoppt von ",
    done: "Erledigt.",
    step: (phase, number) => `${phase} · Schritt ${number}`,
    oneStep: "Schritt",
    plannedBy: (who) => `Geplant von ${who}`,
    builtin: "Geplant vom eingebauten Planer, ohne Modell",
    command: "Als Befehl ausgeführt",
    moreRequests: (amount) =>
      `${counted(amount, "weitere Anfrage", "weitere Anfragen")}: siehe /countersign approvals.`,
    moreResults: (amount) =>
      `${counted(amount, "weiteres Ergebnis", "weitere Ergebnisse")}: siehe „JSON zeigen“ im Menü unten.`,
    moreResultsUnder: (amount) =>
      `${counted(amount, "weiteres Ergebnis", "weitere Ergebnisse")}: siehe „JSON zeigen“ unter „Mehr“.`,
    inFullIn: (file) => `Vollständig im Anhang ${file}`,
    sources: "Quellen  ",
    notInFull: "(Das ließ sich nicht vollständig anzeigen.)",
  },

  cards: {
    noRows: "Keine Zeilen.",
    noRowsOf: (columns) => `Keine Zeilen (${columns}).`,
    wentWrong: "Etwas ist schiefgegangen.",
    none: "leer",
    yes: "ja",
    no: "nein",
    before: "vorher",
    after: "nachher",
    more: "Mehr",
    page: (page, pages) => `Seite ${page} von ${pages}`,
    file: (name) => `Vollständig in der angehängten Datei ${name}`,
    files: (names) => `Vollständig in den angehängten Dateien ${names}`,
    andMore: (amount) => ` und ${amount} weitere`,
    notAttached: (names) =>
      `Nicht angehängt, da zu groß oder zu viele: ${names}. Was aufbewahrt wurde, liegt im Playground.`,
    bytes: (amount) => `${amount} Bytes`,
    result: "Ergebnis",
    results: "Ergebnisse",
    nothing: "Nichts anzuzeigen.",
    noTitle: "(ohne Titel)",
    column: (number) => `Spalte ${number}`,
    rows: (from, to, rows) => `Zeilen ${from} bis ${to} von ${rows}`,
    rowsHere: (rows) => `${rows} hier,`,
    inAll: (total) => ` von insgesamt ${counted(total, "Zeile", "Zeilen")}`,
    amountOf: (value, total) => `${value} von ${total}`,
  },

  windows: {
    json: "JSON",
    ok: "ok",
    failed: "fehlgeschlagen",
    sent: "Gesendet",
    error: "Fehler",
    noCalls: "Es gab keine Aufrufe.",
    runLog: "Protokoll",
    nothingLogged: "Nichts wurde protokolliert.",
    approval: "Freigabe",
    resultGone: "Dieses Ergebnis gibt es nicht mehr.",
    partGone: "Diesen Teil gibt es nicht mehr.",
    reply: "Antwort",
  },

  amounts: {
    row: (amount) => counted(amount, "Zeile", "Zeilen"),
    column: (amount) => counted(amount, "Spalte", "Spalten"),
    moreColumn: (amount) => counted(amount, "weitere Spalte", "weitere Spalten"),
    item: (amount) => counted(amount, "Eintrag", "Einträge"),
    field: (amount) => counted(amount, "Feld", "Felder"),
    moreField: (amount) => counted(amount, "weiteres Feld", "weitere Felder"),
    technicalField: (amount) => counted(amount, "technisches Feld", "technische Felder"),
    emptyField: (amount) => counted(amount, "leeres Feld", "leere Felder"),
    group: (amount) => counted(amount, "Gruppe", "Gruppen"),
    character: (amount) => counted(amount, "weiteres Zeichen", "weitere Zeichen"),
    link: (amount) => counted(amount, "Verknüpfung", "Verknüpfungen"),
    change: (amount) => counted(amount, "ältere Änderung", "ältere Änderungen"),
    comment: (amount) => counted(amount, "älterer Kommentar", "ältere Kommentare"),
    table: (amount) => counted(amount, "Tabelle", "Tabellen"),
    agent: (amount) => counted(amount, "Agent", "Agenten"),
    token: (amount) => counted(amount, "Token", "Tokens"),
    issue: (amount) => counted(amount, ...kindOf("issue")),
    page: (amount) => counted(amount, ...kindOf("page")),
    result: (amount) => counted(amount, "Treffer", "Treffer"),
  },

  knowledge: {
    nothingFound: "Nichts Passendes gefunden",
    close: "passt genau",
    likely: "passt wohl",
    maybe: "passt vielleicht",
    ticket: "Vorgang",
    pageIn: (space) => (space === "" ? "Seite" : `Seite in ${space}`),
    byWords: "Nur nach Wörtern gesucht, nicht nach der Bedeutung.",
    empty: "Hier ist noch nichts indiziert. Wer dies betreibt, kann Quellen hinzufügen.",
    indexing: (percent) => `Der Index wird noch aufgebaut (${percent} %), später gibt es vielleicht mehr.`,
    relatedTo: (name) => `Code rund um ${name}`,
    nothingRelated: (name) => `Zu ${name} ist kein verwandter Code bekannt.`,
    calls: (name) => `${name} ruft auf`,
    calledBy: "Aufgerufen von",
    imports: (name) => `${name} importiert`,
    importedBy: "Importiert von",
    extends: (name) => `${name} erweitert`,
    extendedBy: "Erweitert von",
  },

  charts: {
    kinds: { bar: "Balkendiagramm", line: "Liniendiagramm", pie: "Kreisdiagramm" },
    count: "Anzahl",
    by: (measure, category) => `${measure} nach ${category}`,
    alt: (kind, title, numbers) => `${kind} – ${title}: ${numbers}`,
    andMore: (amount) => `und ${grouped(amount)} weitere`,
    others: (amount) => `Andere (${grouped(amount)})`,
    largest: (shown, all) => `Die ${grouped(shown)} größten von ${grouped(all)}.`,
    newest: (shown, all) => `Die letzten ${grouped(shown)} von ${grouped(all)}.`,
    ofRead: (read, all) => `Zeigt nur die ersten ${grouped(read)} von ${grouped(all)} Zeilen.`,
    noPie: "Als Balken gezeichnet: ein Kreis zeigt eine Reihe positiver Zahlen.",
    noLine: "Als Balken gezeichnet: für eine Linie sind es zu wenige Punkte.",
    none: "Hier gibt es nichts zu zeichnen: ein Diagramm braucht Zahlen, oder Zeilen, die sich nach einer Spalte zählen lassen.",
    numbers: "Die Zahlen",
    inFile: (name) => `Das Diagramm ist in ${name}.`,
  },

  sisense: {
    migrated: (kind, done, skipped, failed) =>
      `Migriert: ${grouped(done)} ${MIGRATED[kind] ?? kind}; ${grouped(skipped)} übersprungen, ${grouped(failed)} gescheitert`,
    tried: (kind, planned, skipped, failed) =>
      `Probelauf: zu migrieren: ${grouped(planned)} ${MIGRATED[kind] ?? kind}; ${grouped(skipped)} übersprungen, ${grouped(failed)} würden scheitern`,
    stopped: (left) => `Vor dem Ende angehalten: ${grouped(left)} wurden nicht versucht.`,
    lastRun: {
      completed: (at) => `Der letzte Lauf (${at}) kam an sein Ende`,
      cancelled: (at) => `Der letzte Lauf (${at}) wurde angehalten`,
      interrupted: (at) => `Der letzte Lauf (${at}) brach mittendrin ab`,
      running: (at) => `Der letzte Lauf (${at}) ist noch im Gang`,
    },
    lastCounts: (how, done, skipped, failed, left) =>
      `${how}: ${grouped(done)} migriert, ${grouped(skipped)} übersprungen, ${grouped(failed)} gescheitert, ${grouped(left)} nicht versucht.`,
    underWay: "Vielleicht migriert, vielleicht nicht",
    failedThen: "Gescheitert",
    create: "neu",
    overwrite: "überschrieben",
    duplicate: "dupliziert",
    reasons: {
      "at the target already": "schon am Ziel",
      "not at the source": "nicht an der Quelle",
      "a system administrator": "Systemverwaltung",
    },
    done: "migriert",
    skipped: "übersprungen",
    failed: "gescheitert",
    notTried: "nicht versucht",
    as: (title) => `als ${title}`,
    name: "Name",
    outcome: "Ergebnis",
    reason: "Grund",
    source: "Quelle",
    target: "Ziel",
    findings: (amount, checked) =>
      `${amount === 0 ? "Keine Befunde" : counted(amount, "Befund", "Befunde")} in ${grouped(checked)} Prüfungen`,
    high: "hoch",
    medium: "mittel",
    low: "gering",
    severity: "Schwere",
    where: "Wo",
    finding: "Befund",
    notChecked: (what) => `${what} konnte nicht geprüft werden`,
    table: "Tabelle",
    kind: "Art",
    columns: "Spalten",
    lastBuild: "Letzter Build",
    sharedWith: "Freigegeben für",
  },

  search: {
    someOf: (found, total, noun) =>
      `${grouped(found)} von ${counted(total, kindOf(noun)[0], noun === "issue" ? "Vorgängen" : "Seiten")}`,
    none: (noun) => `Keine ${kindOf(noun)[1]} gefunden`,
    range: (noun, from, to) => `${kindOf(noun)[1]} ${grouped(from)} bis ${grouped(to)}`,
    rangeOf: (noun, from, to, total) =>
      `${kindOf(noun)[1]} ${grouped(from)} bis ${grouped(to)} von ${grouped(total)}`,
    noMatch: (noun) => `Keine passenden ${kindOf(noun)[1]}.`,
    noMatchOf: (noun, searched) => `Keine ${kindOf(noun)[1]} zu ${searched}.`,
    orderedBy: (field) => `, sortiert nach ${field}`,
    days: (field, from, to) =>
      from === undefined
        ? `${field} bis ${to ?? ""}`
        : to === undefined
          ? `${field} ab ${from}`
          : `${field} ${from === to ? `am ${from}` : `${from} bis ${to}`}`,
    forWhat: (heading, searched) =>
      searched.startsWith("„") ? `${heading} zu ${searched}` : `${heading}: ${searched}`,
    without: (field) => `ohne ${field}`,
    with: (field) => `mit ${field}`,
    not: (value) => `nicht ${value}`,
    or: " oder ",
    open: "offen",
    linkedAs: (type) => `verknüpft als „${type}“`,
    notLinkedAs: (type) => `nicht verknüpft als „${type}“`,
  },

  views: {
    leftOut: (what) => `Hier weggelassen: ${what}; siehe JSON.`,
    cutValues: "Lange Werte sind gekürzt (…); alle stehen im JSON.",
    cutHere: "(hier gekürzt; siehe JSON)",
    item: (number) => `Eintrag ${number}`,
    emptyList: "Die Liste ist leer.",
    countedSome: "Es sind mehr, als sich danach zählen lassen: die Zahlen gelten nur für einen Teil.",
    returnedNothing: "Das Werkzeug hat nichts geliefert.",
    byName: (amount) => `Einzelheiten von ${counted(amount, "Objekt", "Objekten")}, die mit Namen dastehen`,
    formatting: (amount) => `die Formatierung von ${counted(amount, "Dokument", "Dokumenten")}`,
    otherFields: "Weitere Felder",
    open: (what) => `${what} öffnen`,
    openPage: "Seite öffnen",
    unassigned: "niemand",
    linked: (amount) => `Verknüpfte Vorgänge (${amount})`,
    history: (amount) => `Verlauf (${amount})`,
    comments: (amount) => `Kommentare (${amount})`,
    unknownAuthor: "Unbekannt",
    epicTitle: (epic, done, total) => `${epic}, ${done} von ${total} erledigt`,
    emptyEpic: "Dieses Epic hat noch keine Vorgänge.",
    noStatus: "Ohne Status",
    emptyPage: "Die Seite ist leer.",
    pagesBelow: (amount) => `Unterseiten (${amount})`,
    partOfPage: "Das ist ein Teil der Seite; fragen Sie nach dem Rest.",
    firstRows: (amount) => `Die ersten ${counted(amount, "Zeile", "Zeilen")}`,
    moreRows: "Es gibt weitere Zeilen: erhöhen Sie die Grenze, oder fragen Sie nach weniger.",
    agentsDone: (done, total) => `${done} von ${counted(total, "Agent", "Agenten")} erfolgreich`,
    agentStatus: {
      success: "fertig",
      partial: "teilweise",
      failed: "fehlgeschlagen",
      skipped: "übersprungen",
    },
    runStatus: {
      running: "läuft",
      completed: "abgeschlossen",
      completed_with_errors: "mit Fehlern abgeschlossen",
      cancelled: "angehalten",
      interrupted: "unterbrochen",
    },
    answeredAbove: "Die Antwort steht oben.",
    agentKind: {
      model: "Modell",
      script: "Skript",
      ensemble: "Ensemble",
      loop: "Schleife",
      dispatch: "Verteiler",
    },
    after: (names) => `nach ${names}`,
    ensembleRight: (name, agents) => `${name} ist in Ordnung: ${counted(agents, "Agent", "Agenten")}`,
    ensembleBroken: (name, faults) => `${name} hat ${counted(faults, "Fehler", "Fehler")}`,
    by: (name) => `von ${name}`,
    changed: (when) => `Geändert ${when}`,
    nothingChangedYet: "noch nichts geändert",
    nothingToChange: "nichts zu ändern",
    notReadBack: "erledigt, nicht nachgelesen",
    verified: "geprüft",
    notAllApplied: "nicht alles übernommen",
    notAsAsked: (fields) => `Nachgelesen, ist das nicht wie angefragt: ${fields}.`,
    wouldCreate: (what) => `Würde anlegen: ${what}`,
    wouldDelete: (what) => `Würde löschen: ${what}`,
    wouldChange: (what) => `Würde ändern: ${what}`,
    created: (what) => `Angelegt: ${what}`,
    deleted: (what) => `Gelöscht: ${what}`,
    changedTo: (what) => `Geändert: ${what}`,
    couldNotShow: (view) => `${view} konnte dieses Ergebnis nicht anzeigen.`,
    inTheJson: (tool) => `${tool}: Das Ergebnis steht im JSON`,
    noReason: "ohne Angabe von Gründen",
    serverGaveNone: "Der Server hat keinen Grund genannt.",
    errorCode: (code) => `Fehlercode: ${code}.`,
  },

  errors: {
    transport: { badge: "keine Antwort", meaning: "Die Verbindung zum Server ist fehlgeschlagen." },
    protocol: {
      badge: "nicht verstanden",
      meaning: "Der Server hat anders geantwortet, als das Protokoll erlaubt.",
    },
    tool_error: {
      badge: "fehlgeschlagen",
      meaning: "Der Server hat es ausgeführt und einen Fehler gemeldet.",
    },
    invalid_result: {
      badge: "nicht verstanden",
      meaning: "Das Ergebnis hat nicht die Form, die der Server verspricht.",
    },
    timeout: { badge: "zu langsam", meaning: "Es hat länger gedauert als erlaubt." },
    cancelled: { badge: "gestoppt", meaning: "Es wurde gestoppt." },
    too_large: { badge: "zu groß", meaning: "Das Ergebnis ist größer als erlaubt." },
    server_down: { badge: "Server nicht da", meaning: "Der Server läuft nicht; nichts wurde gesendet." },
    unknown_tool: { badge: "nicht verfügbar", meaning: "Der Server bietet das nicht mehr an." },
  },

  about: {
    tools: "Werkzeuge",
    noTools: "Gerade ist kein Werkzeug verbunden.",
    tool: "Werkzeug",
    whatItDoes: "Was es tut",
    aCall: "Ein Aufruf",
    runsAtOnce: "läuft sofort",
    needsApproval: "braucht Freigabe",
    isRefused: "ist verboten",
    refusedHere: "hier verboten",
    status: "Status",
    allWell: "alles in Ordnung",
    degraded: "einiges funktioniert gerade nicht",
    starting: "startet",
    builtin: "der eingebaute Planer, ohne Modell",
    modelOn: (model, provider) => `${model} bei ${provider}`,
    modelSilent: (name, why) => `${name} antwortet nicht${why === "" ? "" : ` (${why})`}`,
    silent: "antwortet nicht",
    damaged: (kind, damage) => `${kind}, beschädigt: ${damage}`,
    serverTools: (state, tools) => `${state}, ${counted(tools, "Werkzeug", "Werkzeuge")}`,
    privacy: "Datenschutz",
    mayBeSent: "Ergebnisse von Werkzeugen dürfen an das Modell gehen, das sie in Worte fasst.",
    isPrivate:
      "Dieser Kanal ist privat: Kein Ergebnis eines Werkzeugs geht an ein Modell. Du siehst trotzdem jedes Ergebnis ganz.",
    makesPrivate: (command) => `${command} macht ihn privat.`,
    configured: "So ist es konfiguriert; nur wer das Produkt betreibt, kann das ändern.",
    madePrivate: (name, command) => `${name} hat ihn privat gemacht. ${command} nimmt das zurück.`,
    help: "Was du sagen kannst",
    howToUse: (command) => `So benutzt du ${command}`,
    notThere: (tool) => `${tool}: gerade nicht da`,
    namedValues: "Jeder Wert lässt sich benennen, etwa priority=High. Nach dem, was fehlt, frage ich.",
    accounts: "Konten",
    noAccounts: "Hier gibt es keine Konten zu verbinden.",
    worksWithChannels: "arbeitet mit einem Konto dieses Kanals",
    worksWithOwn: "arbeitet mit deinem eigenen Konto",
    notConnected: "nicht verbunden",
    connected: "verbunden",
    channelAccount: (name, moment) => `Konto dieses Kanals, am ${moment} verbunden von ${name}`,
    worksOnSite: "arbeitet auf einer Instanz von dir",
    worksOnSites: "arbeitet zwischen zwei Instanzen von dir",
    siteUse: {
      tenant: "hier verwendet",
      source: "hier Quelle von Migrationen",
      target: "hier Ziel von Migrationen",
    },
    siteUnused: "hier nicht verwendet",
    ownSite: (domain, server, moment) => `${domain}, für ${server}, verbunden am ${moment}`,
    ownAccount: (moment) => `dein eigenes Konto, am ${moment} verbunden`,
    you: "dir",
    accountThere: "Du dort",
    accountHelp: "Ein Name, eine E-Mail-Adresse oder eine Kennung, wie der Server dich kennt.",
    whoYouAre: "Wer du bist",
    noPeople: "Kein Server hier nennt Personen.",
    meFooter: (command, server) =>
      `${command} ${server} NAME ändert das, mit Name, Adresse oder ID; ${command} ${server} forget vergisst es.`,
    asked: "Ich frage dich, wenn es darauf ankommt",
    notKnown: "nicht bekannt",
    origins: {
      file: "laut Konfiguration",
      told: "wie du gesagt hast",
      email: "über deine E-Mail-Adresse",
      id: "über deine ID",
    },
    labels: {
      name: "Name",
      email: "E-Mail",
      also: "Auch",
      state: "Zustand",
      version: "Version",
      planner: "Planer",
      store: "Speicher",
    },
  },

  reply: {
    nothing: "Dazu gab es nichts nachzusehen.",
    andMore: (amount) => `… und ${amount} weitere.`,
    nothingRun: "Nichts wurde ausgeführt.",
    tool: (name) => `„${name}“`,
    failedAfter: (tool, code, seconds) => `${tool} ist nach ${seconds} fehlgeschlagen (${code}).`,
    ran: (tool, seconds) => `${tool} ausgeführt, ${seconds}.`,
    ranRows: (tool, rows, seconds) => `${tool} ausgeführt, ${rows}, ${seconds}.`,
    needs: (purpose, wanted) => `${purpose} brauche ich noch: ${wanted}.`,
    noSuchLink: "Keine Verknüpfung sagt das",
    noComments: "Keine Kommentare",
    notSet: (field) => `${field}: nicht gesetzt`,
    changedBy: (field, from, to, who) => `${field}: ${from} → ${to} (${who})`,
    newValues: "neuen Werte",
    purpose: (order) => `Für „${capital(order)}“`,
    purposeOf: (title) => `Für „${title}“`,
    which: (thing, verb, rest) => `Für „${capital(verb)} ${thing}${rest}“ brauche ich noch: ${thing}.`,
    theOne: (noun) => noun,
    more: "mehr",
    waiting: (asked, amount) => `${asked} Wartet auf ${amount} Freigaben.`,
    waitingFor: (asked, who) => `${asked} Wartet auf Freigabe: ${who}.`,
    takenBack: (asked, by, why) =>
      `${asked}: zurückgezogen${by === "" ? "" : ` von ${by}`}${why === undefined ? "" : `, Grund: ${why}`}. Nichts wurde geändert.`,
    denied: (asked, by) => `${asked}: abgelehnt${by === "" ? "" : ` von ${by}`}. Nichts wurde geändert.`,
    deniedWhy: (asked, by, why) =>
      `${asked}: abgelehnt${by === "" ? "" : ` von ${by}`}, Grund: ${why}. Nichts wurde geändert.`,
    expired: (asked, why) => `${asked}: Die Anfrage ist abgelaufen, ${why}. Nichts wurde geändert.`,
    void: (asked, why) => `${asked}: Die Freigabe gilt nicht mehr, ${why}. Nichts wurde geändert.`,
    voidWhy: "etwas, wovon sie abhängt, hat sich geändert",
    superseded: (asked, why) => `${asked}: Die Anfrage wurde ersetzt, ${why}. Hier wurde nichts geändert.`,
    supersededWhy: "eine neuere ist an ihre Stelle getreten",
    ifMeant: (changes) => `Falls du ${changes} meinst, wähl es unten aus, oder sag genau das.`,
    unknown: (didItHappen) =>
      `${didItHappen}. Es wurde gesendet, und es kam keine Antwort. Es wird nicht noch einmal versucht. Sieh dort nach und sag, ob es passiert ist.`,
    nothingChanged: "Nichts wurde geändert.",
    didNotGoOn: (wishes) => `Deshalb habe ich mit ${wishes} nicht weitergemacht.`,
    needsApproval: "Das braucht eine Freigabe.",
    wentOn: "Von da an hat der eingebaute Planer weitergemacht, ohne Modell.",
    builtin: "Geplant vom eingebauten Planer, ohne Modell.",
    hereIs: (notice) => `${notice} Das wurde gefunden:`,
    steps: (steps) => `Ich habe nach ${steps} Schritten aufgehört.`,
  },

  limited: {
    amount: {
      turns: (amount) => counted(amount, "Anfrage", "Anfragen"),
      calls: (amount) => counted(amount, "Aufruf von Werkzeugen", "Aufrufe von Werkzeugen"),
      tokens: (amount) => counted(amount, "Token eines Modells", "Token eines Modells"),
    },
    per: { second: "pro Sekunde", minute: "pro Minute", hour: "pro Stunde", day: "pro Tag" },
    person: (rate) => `Du hast alles verbraucht, was eine Person darf: ${rate}.`,
    channel: (rate) => `Dieser Kanal hat alles verbraucht, was ein Kanal darf: ${rate}.`,
    workspace: (rate) => `Dieser Workspace hat alles verbraucht, was er darf: ${rate}.`,
    again: (moment) => `Bitte frag nach ${moment} noch einmal.`,
    waits: (moment) => `Deine Anfrage ist aufgehoben, ich fange spätestens ${moment} damit an.`,
    stopped: "Hier habe ich aufgehört.",
  },

  forms: {
    askAboutThis: "Dazu fragen",
    whatToKnow: "Was möchtest du wissen oder erledigt haben?",
    nothingToFillIn: "Hier gibt es nichts auszufüllen.",
    part: (part, parts) => `(${part} von ${parts})`,
    range: (from, to) => `${from} bis ${to}`,
    fixedArguments: (amount, names) =>
      `${counted(amount, "Argument lässt", "Argumente lassen")} sich hier nicht bearbeiten und bleiben, wie sie sind: ${names}`,
    tooLong: (names) => `Zu lang, um hier bearbeitet zu werden, und unverändert: ${names}`,
    form: "Formular",
    nothingChangesYet: "Bis zur Freigabe ändert sich nichts.",
    noText: "(kein Text)",
    forExample: (examples) => `Zum Beispiel ${examples}`,
    leftEmpty: (value) => `Bleibt es leer: ${value}`,
    onePerLine: "Eins pro Zeile",
    asJson: "Als JSON geschrieben",
  },

  questions: {
    serverAsks: (server) => `${server} fragt`,
    asks: (server, message) => `${server} fragt: ${message}`,
    forThisOnce: "Nur für dieses Mal.",
    remembered: (where) => `Das frage ich einmal und merke mir die Antwort; ${where} zeigt und ändert sie.`,
    waitingFor: "Wartet auf ",
    toOpen: (server) => `, um eine Seite für ${server} zu öffnen.`,
    showPage: "Zeig mir die Seite",
    opensPage: (domain) =>
      `Das öffnet eine Seite bei ${domain}. Geh nur dorthin, wenn du ihr vertraust. Nur du siehst das.`,
    longAddress: (domain) => `Die Adresse bei ${domain} ist länger, als Slack öffnen kann.`,
  },

  commands: {
    about: {
      ask: "frag in eigenen Worten; mich in einem Kanal zu erwähnen oder mir zu schreiben tut dasselbe",
      menu: "im Menü einer Nachricht: frag nach dem, was sie sagt",
      help: "was du sagen kannst",
      tools: "womit ich arbeiten kann und was eine Freigabe braucht",
      status: "Modell, Server und Speicher",
      approvals: "was auf dich wartet",
      accounts: "deine Konten und Sites: verbinden, für einen Kanal wählen, trennen",
      me: "wer du in Jira und anderen Servern bist und wie du das änderst",
      privacy: "ob Ergebnisse aus diesem Kanal an das Modell gehen dürfen",
    },
  },

  home: {
    allWell: "Alles in Ordnung",
    starting: "Startet",
    degraded: "Einiges funktioniert gerade nicht",
    modelSilent: (model, why) => `${model} antwortet nicht${why}; einfache Anfragen gehen trotzdem`,
    storeSilent: (why) => `Der Speicher antwortet nicht${why}`,
    builtin: "geplant vom eingebauten Planer, ohne Modell",
    tools: (tools, servers) =>
      `${counted(tools, "Werkzeug", "Werkzeuge")} von ${counted(servers, "Server", "Servern")}`,
    thingsToAsk: "Was du fragen kannst",
    privacy: "Datenschutz",
    fixedPrivate: "Privat, so konfiguriert: Ergebnisse gehen nie an ein Modell.",
    isPrivate: "Privat: Ergebnisse gehen nie an ein Modell.",
    madeIt: (name) => `Das hat ${name} so eingestellt.`,
    mayBeSent: "Ergebnisse dürfen zum Zusammenfassen an das Modell gehen.",
    canAsk: "Du kannst mich zum Beispiel fragen",
  },

  presses: {
    editNote: (asked) => `${asked}\nSpeichern ersetzt diese Anfrage, und die Freigabe beginnt von vorn.`,
    whatWasWrong: "Was war falsch?",
    whatInstead: "Was hätte kommen sollen?",
    ratingHelp: "Darf leer bleiben. Wer dieses Produkt betreibt, kann es lesen.",
    reason: "Grund",
    reasonRequired: "Ein Grund ist nötig.",
    reasonHelp: "Alle hier sehen ihn auf der Karte.",
  },

  page: {
    takenBack: "Zurückgezogen",
    stamps: {
      pending: "Wartet auf Freigabe",
      approved: "Freigegeben",
      executing: "Freigegeben",
      done: "Freigegeben",
      failed: "Freigegeben, fehlgeschlagen",
      unknown: "Ausgang unbekannt",
      denied: "Abgelehnt",
      expired: "Abgelaufen",
      void: "Nicht mehr gültig",
      superseded: "Ersetzt",
    },
    allowed: "Durch die Regeln erlaubt",
    requests: (amount) => `${counted(amount, "Anfrage wartet", "Anfragen warten")} auf Freigabe`,
    othersDecide: (who) => `Freigeben kann das ${who}.`,
    youApproved: "Du hast das freigegeben; andere müssen es auch.",
    editedBy: (name) => `bearbeitet von ${name}`,
    required: "(nötig)",
    optional: "(freiwillig)",
    lookUpFirst: "Niemand weiß, ob das passiert ist. Sieh nach und kläre es dann.",
    lookFirst: "Niemand weiß, ob das passiert ist. Sieh an der Quelle nach und kläre es dann.",
    by: (names) => `von ${names} · `,
    byStanding: (names) => `durch die Dauerfreigabe von ${names} · `,
    allowToo: (duration, uses) => `und dasselbe ${duration} lang erlauben, höchstens ${grouped(uses)}-mal`,
  },

  recorded: {
    nobodyInTime: () => "niemand hat rechtzeitig entschieden",
    askedAgain: () => "dieselbe Änderung wurde noch einmal angefragt",
    askedOtherwise: () => "sie wurde inzwischen anders gestellt",
    editedBy: (who) => `bearbeitet von ${who}`,
    changedSince: (what) => `${what} seit der Freigabe`,
    lateAfterPolicy: (moment) =>
      `sie war durch die Regeln erlaubt, konnte aber bis ${moment} nicht gesendet werden`,
    lateAfterApproval: (moment) =>
      `sie war rechtzeitig freigegeben, konnte aber bis ${moment} nicht gesendet werden`,
    notOffered: (tool) => `${tool} wird gerade nicht angeboten; vielleicht ist der Server nicht da`,
    nowDenied: (rule) => `${rule} lässt diesen Aufruf jetzt nicht mehr zu`,
    toolChanged: (what) => `das Werkzeug hat sich seit der Anfrage geändert (${what})`,
    theBot: () => "Bot",
    theBotFor: (name) => `Bot für ${name}`,
    placeChanged: () => "wo es wirken würde, hat sich seit der Anfrage geändert",
    siteForgotten: (site) =>
      `Getrennt: Deine Site ${site} ist hier vergessen. Ihr Token gilt anderswo weiter: Widerrufe ihn dort, wenn er nicht gebraucht wird.`,
    ruleChanged: () => "die Regel hat sich seit der Anfrage geändert",
    failed: () => "Das hat nicht geklappt, und nichts wurde geändert. Bitte versuch es noch einmal.",
    notHere: () => "Das gibt es nicht mehr.",
    questionGone: () => "Diese Frage gibt es nicht mehr.",
    shownAlready: () => "Das steht schon in dieser Unterhaltung.",
    toolGone: () => "Dieses Werkzeug ist gerade nicht da, deshalb lässt sich die Anfrage nicht bearbeiten.",
    thanks: () => "Danke, das ist bei der Antwort gespeichert.",
    nothingLeft: () => "Hier wartet nichts mehr auf dich.",
    othersNow: () =>
      "Es warten andere Anfragen, als du gesehen hast; deshalb wurde nichts entschieden. Sieh sie dir noch einmal an.",
    noReason: () => "Sag, warum, damit andere die Entscheidung nachvollziehen können.",
    requestGone: () => "Diese Anfrage ist hier nicht mehr bekannt.",
    noStanding: () => "Die Regel dieser Anfrage sieht keine Dauerfreigabe vor.",
    tooLong: () =>
      "Dieser Aufruf ist zu lang für ein Fenster und lässt sich deshalb nicht eine Zeit lang erlauben. Gib ihn einzeln frei.",
    atMost: (duration) => `Die Regel erlaubt höchstens ${duration}.`,
    usesFault: (most) => `Gib eine ganze Zahl von 1 bis ${most} ein.`,
    formExpired: () => "Dieses Formular ist abgelaufen. Bitte frag noch einmal.",
    formTooOld: () => "Dieses Formular ist zu alt. Schließ es und öffne es noch einmal.",
    formLate: (platform) =>
      `Das hat länger gedauert, als ${platform} auf ein Formular wartet. Nichts ist verloren: Öffne es hier.`,
    toolDown: () =>
      "Dieses Werkzeug ist gerade nicht da; vielleicht läuft sein Server nicht. Nichts wurde gesendet.",
    toolDownLater: () =>
      "Dieses Werkzeug ist gerade nicht da; vielleicht läuft sein Server nicht. Versuch es später noch einmal.",
    notSavedForm: () => "Das ließ sich nicht speichern: Nichts wurde getan. Sende es noch einmal.",
    notSaved: (text) =>
      `Das ließ sich nicht speichern: Nichts wurde getan. Bitte sende es noch einmal: ${text}`,
    sayWhat: () => "Sag, was du wissen möchtest.",
    sayWhatSuch: (example) => `Sag, was du wissen möchtest, etwa ${example}`,
    required: () => "Das ist nötig.",
    noSuchField: (tool) => `${tool} hat dieses Feld nicht mehr; öffne das Formular noch einmal.`,
    expectedDay: (text) => `Gib einen Tag wie 2026-12-24 ein, nicht ${text}.`,
    expectedBoolean: (text) => `Gib true oder false ein, nicht ${text}.`,
    expectedOneOf: (known, text) => `Gib eines davon ein: ${known}, nicht ${text}.`,
    expectedWhole: (text) => `Gib eine ganze Zahl wie 5 ein, nicht ${text}.`,
    expectedNumber: (text) => `Gib eine Zahl wie 5 oder 2.5 ein, nicht ${text}.`,
    expectedJson: (why) => `Gib JSON ein, etwa "text", 5, true, null, ["a"] oder {"a": 1} (${why}).`,
    tooExact: () =>
      "Diese Zahl hat mehr Ziffern, als sich genau senden lassen; kürze sie oder sende sie als Text, wo das Werkzeug Text nimmt.",
    notedPart: (part, parts) => `Notiert: Teil ${part} von ${parts}. Was du auslässt, bleibt, wie es ist.`,
    notSentYet: (faults) => `Das ist noch nicht gesendet.\n${faults}`,
    sent: () => "Gesendet.",
    done: () => "Erledigt.",
    questionClosed: () => "Diese Frage ist schon beantwortet oder geschlossen.",
    notYours: () => "Nur wer das angefragt hat, kann die Frage des Servers beantworten.",
    declined: () => "Nicht beantwortet.",
    opened: () => "Notiert: Du hast die Seite geöffnet.",
    notConfigured: (command) => `${command} ist hier nicht eingerichtet.`,
    unknownCommand: (command) => `${command} kenne ich nicht.`,
    cannotRun: (command) => `${command} geht gerade nicht: Vielleicht läuft der Server nicht.`,
    noWords: () => "In dieser Nachricht steht kein Text, den ich lesen kann.",
    cannotPost: () =>
      "In diesem Kanal kann ich nicht schreiben. Lade mich mit /invite ein und frag dann noch einmal.",
    connectSite: (domain, server, minutes) =>
      `Öffne die Seite bei ${domain} und gib dort, nicht hier, Adresse und Token deiner Site an. ${server} wird gefragt, ob es damit arbeiten kann, bevor sie gespeichert werden. Der Link ist nur für dich und gilt ${minutes} Minuten.`,
    siteUsed: (name, server) => `${name} ist hier ab deiner nächsten Nachricht deine Site für ${server}.`,
    siteUsedAsSource: (name, server) =>
      `${name} ist hier ab deiner nächsten Nachricht die Quelle von Migrationen für ${server}.`,
    siteUsedAsTarget: (name, server) =>
      `${name} ist hier ab deiner nächsten Nachricht das Ziel von Migrationen für ${server}.`,
    siteUnused: (server) => `Für ${server} wird hier keine Site von dir mehr benutzt.`,
    siteUnusedAsSource: (server) =>
      `Für ${server} ist hier keine Site von dir mehr die Quelle von Migrationen.`,
    siteUnusedAsTarget: (server) =>
      `Für ${server} ist hier keine Site von dir mehr das Ziel von Migrationen.`,
    connectUsage: () =>
      "/connect zeigt deine Konten und Sites. /connect SERVER verbindet eins, /connect use NAME nimmt eine Site für diesen Kanal, /connect from NAME to NAME die beiden einer Migration, und /connect stop keine.",
    noSiteOf: (name, known) =>
      `Du hast keine passende Site ${name}. Deine sind ${known}. /connect SERVER verbindet eine.`,
    noSites: (name) =>
      `Du hast keine passende Site ${name}. Du hast noch keine verbunden. /connect SERVER verbindet eine.`,
    noSiteFor: (name, server) => `Du hast keine Site ${name} für ${server}.`,
    noSiteAs: (server, as) => `${server} nimmt keine Site als ${as}.`,
    connectedAlready: (server) =>
      `Mit ${server} ist schon ein Konto verbunden. Trenne es zuerst, um ein anderes zu verbinden.`,
    notConnected: (server) => `Du hast kein Konto mit ${server} verbunden.`,
    othersAccount: (name, server) =>
      `Nur ${name} kann das Konto dieses Kanals bei ${server} trennen, von wem es verbunden wurde.`,
    askToSignIn: (server) =>
      `${server} braucht deine Anmeldung: Öffne die Seite, melde dich an und erlaube es. Danach mache ich von selbst weiter.`,
    nobodySignedIn: (tool, server) =>
      `${tool} wurde nicht aufgerufen: Mit ${server} wurde kein Konto verbunden.`,
    noSiteChosen: (server) =>
      `${server} arbeitet auf einer Site von dir, und hier ist keine gewählt. Verbinde oder wähle eine mit /connect und frag noch einmal. Ein Programm sendet tenant_config oder migration_config mit der Nachricht.`,
    noSitesChosen: (server) =>
      `${server} arbeitet zwischen zwei Sites von dir, einer Quelle und einem Ziel, und hier ist keine gewählt. Verbinde oder wähle sie mit /connect und frag noch einmal. Ein Programm sendet tenant_config oder migration_config mit der Nachricht.`,
    serverIsDown: (server, why) => `Der Server ${server} läuft nicht: ${why}`,
    serverIsBusy: (server, calls) =>
      `${server} ist ausgelastet: ${calls} Aufrufe laufen, und keiner endete rechtzeitig. Versuch es später noch einmal.`,
    waitsForServer: (server) => `Wartet, bis ${server} startet`,
    noReasonGiven: (tool) => `${tool} meldete einen Fehler, ohne zu sagen, welchen.`,
    guestsNoPrivacy: () => "Du bist hier Gast, und Gäste ändern nicht, ob ein Kanal vertraulich ist.",
    strangersNoPrivacy: () => "Nur wer im Kanal ist, kann ändern, ob er vertraulich ist.",
    privacyConfigured: () =>
      "Die Konfiguration hält diesen Kanal vertraulich; nur ein Betreiber kann das ändern.",
    privacyOthers: () => "Nur wer diesen Kanal vertraulich gemacht hat, kann das zurücknehmen.",
    privacyAdmins: () =>
      "Nur wer diesen Kanal vertraulich gemacht hat oder zur Gruppe admins gehört, kann das zurücknehmen.",
    noSuchServer: (server, known) =>
      `Es gibt keinen Server „${server}“, der Personen kennt. Gib einen davon an: ${known}.`,
    noServerNames: (server) => `Es gibt keinen Server „${server}“, der Personen kennt, auch keinen anderen.`,
    accountConfigured: (server) => `Wer du in ${server} bist, steht in der Datei des Betreibers.`,
    accountOthers: (name, server) => `${name} in ${server} ist jemand anders, sagt der Betreiber.`,
    accountWanted: () => "Gib ein Konto an: seine Kennung, den Namen oder die Adresse.",
    knowsNobody: (server, name) => `${server} kennt niemanden namens „${name}“.`,
    fitsSeveral: (name, server, some) =>
      `„${name}“ passt in ${server} auf mehrere: ${some}. Sag mit Kennung oder Adresse, wer gemeint ist.`,
    neverSaid: (server) => `Du hast nicht gesagt, wer du in ${server} bist.`,
    standingNotOffered: (rule, tool) =>
      `${rule} sieht für ${tool} keine Dauerfreigabe vor: Gib diesen Aufruf einzeln frei.`,
    standingAtMost: (rule, uses, seconds) => `${rule} erlaubt höchstens ${uses} Aufrufe in ${seconds} s.`,
    denies: (rule, tool) => `${rule} verbietet ${tool} mit diesen Werten.`,
    notYourQuestion: (name) => `Nur ${name} kann diese Frage beantworten: Es geht um den eigenen Aufruf.`,
    answeredJustNow: () => "Diese Frage wurde gerade beantwortet.",
    answeredAlready: () => "Diese Frage ist schon beantwortet.",
    declinedAlready: () => "Diese Frage wurde schon abgelehnt.",
    questionExpired: () => "Diese Frage ist abgelaufen.",
    guildNotServed: () =>
      "Auf diesem Server arbeite ich nicht. Wer Countersign betreibt, kann seine Kennung in discord.guilds eintragen.",
    directNotServed: () => "Ich arbeite nur für Mitglieder der Server, für die ich eingerichtet bin.",
    notSavedMessage: () => "Das ließ sich nicht speichern: Nichts wurde getan. Bitte sende es noch einmal.",
    askedHere: () => "Das braucht eine Freigabe: Sie wird in diesem Kanal erbeten.",
    shared: () => "Mit dem Kanal geteilt.",
    answerComes: () => "Das hat einen Moment gedauert: Die Antwort kommt in diesem Kanal.",
    sayWho: (command) => `Sag dazu, wer du dort bist: ${command} NAME`,
    forgotten: () => "Vergessen: wer du dort bist.",
    noted: (name, server) => `Notiert: In ${server} bist du ${name}.`,
    signInOwn: (domain, server, minutes) =>
      `Öffne die Seite bei ${domain} und melde dich dort an: Das Konto, das du wählst, wird als deines mit ${server} verbunden. Der Link ist nur für dich und gilt ${minutes} Minuten.`,
    signInChannel: (domain, server, minutes) =>
      `Öffne die Seite bei ${domain} und melde dich dort an: Das Konto, das du wählst, wird für diesen Kanal mit ${server} verbunden. Der Link ist nur für dich und gilt ${minutes} Minuten.`,
    disconnected: (server, same) =>
      `Getrennt: Das Konto bei ${server} ist hier vergessen, und ${same} soll seine Zugänge widerrufen.`,
    revoked: (what) => `Widerrufen. Das braucht wieder eine Freigabe: ${what}`,
    secretWarning: (server) =>
      `Dieses Formular ist von ${server}. Gib hier nie ein Passwort, einen Code oder einen Schlüssel ein.`,
    runsNow: (name) => `Freigegeben von ${name}. Es läuft jetzt.`,
    deniedBy: (name) => `Abgelehnt von ${name}. Nichts wird geändert.`,
    recorded: (given, quorum) => `Notiert: ${given} von ${quorum} Freigaben.`,
    decidedAlready: (given, quorum) => `Du hast schon entschieden: bisher ${given} von ${quorum} Freigaben.`,
    noLongerValid: (why) => `Diese Anfrage gilt nicht mehr: ${why}.`,
    dependsChanged: () => "etwas, wovon sie abhängt, hat sich geändert",
    newerReplaced: () => "eine neuere hat sie ersetzt",
    expiredAt: (time) =>
      `Diese Anfrage ist um ${time} abgelaufen. Frag noch einmal, um eine neue zu bekommen.`,
    expiredWhy: (why) => `Diese Anfrage ist abgelaufen: ${why}. Frag noch einmal, um eine neue zu bekommen.`,
    expiredAlone: () => "Diese Anfrage ist abgelaufen. Frag noch einmal, um eine neue zu bekommen.",
    alreadyApproved: (names, time) =>
      `Schon um ${time} von ${names} freigegeben. Nichts wurde noch einmal getan.`,
    alreadyDenied: (names, time) =>
      `Schon um ${time} von ${names} abgelehnt. Nichts wurde noch einmal getan.`,
    alreadyAllowed: (time) => `Schon um ${time} durch die Regeln erlaubt. Nichts wurde noch einmal getan.`,
    reasonMissing: () => "Ein Grund ist nötig: Sag, warum, und entscheide noch einmal.",
    ownRequest: () => "Du hast diese Änderung angefragt, deshalb muss jemand anderes sie freigeben.",
    guest: () => "Du bist hier Gast, und Gäste geben nur frei, wo eine Regel sie oder ihre Gruppe nennt.",
    onlyThese: (who) => `Das kannst du nicht entscheiden, sondern: ${who}.`,
    anyoneInChannel: () => "jemand aus dem Kanal",
    anyoneOfGroup: (group) => `jemand aus der Gruppe ${group}`,
    onePage: (quorum) =>
      `Das braucht die Freigabe von ${quorum} Personen, und auf dieser Seite zählen alle als eine: Niemand meldet sich an. Gib es woanders frei, oder gib den Leuten Tokens (http.tokens in der Konfiguration).`,
    countsOnce: (name, surface) =>
      `Du hast das schon freigegeben, als ${name} auf ${surface}: Jede Person zählt einmal.`,
    onlyPendingEdited: () => "Nur was noch auf Freigabe wartet, lässt sich bearbeiten.",
    onlyUnknownSettled: () => "Nur ein unbekannter Ausgang lässt sich klären; dieser ist schon bekannt.",
    onlyUnknownLookedUp: () => "Nur ein unbekannter Ausgang wird nachgesehen; dieser ist schon bekannt.",
    checking: () => "Sieht nach, was sich ändern würde",
    stoppedBy: (name) => `Gestoppt von ${name}.`,
    endedAlready: () => "Das ist schon zu Ende.",
    waitsForApproval: () =>
      "Gerade läuft nichts: Das wartet auf Freigabe. Um es zu stoppen, lehne die Anfrage ab.",
    firstPage: () => "Das ist die erste Seite.",
    listEnds: () => "Das war alles: Hier endet die Liste.",
    pagesInOrder: (furthest, next) =>
      `Die Seiten dieser Liste werden der Reihe nach gelesen, bisher bis Seite ${furthest}. Sag „show more“ für Seite ${next}.`,
    pressToDecide: (waiting) =>
      `Eine Nachricht entscheidet hier nichts. Nimm die Schaltflächen der Anfrage. ${waiting}`,
    expiredBefore: (asked) =>
      `${asked}: Darüber hat niemand rechtzeitig entschieden, also wurde nichts geändert. Nimm dort „Noch einmal anfragen“, oder sag es noch einmal.`,
    notTakenBack: (waiting) =>
      `Nichts wurde zurückgezogen. Was du vorher angefragt hast, nimmst du mit „meine Anfrage zurückziehen“ zurück. ${waiting}`,
    typeDecision: (waiting) => `Damit ist nichts entschieden. Tippe approve oder deny. ${waiting}`,
    nothingWaits: () => "Hier wartet nichts auf eine Freigabe.",
    nothingWaitsForYou: () => "Hier wartet nichts auf deine Freigabe.",
    oneWaits: () => "1 Anfrage wartet auf eine Freigabe:",
    manyWait: (count) => `${count} Anfragen warten auf eine Freigabe:`,
    waitsFor: (ask, who, by, at) => `**${ask}** · freigeben kann ${who} · ${by} hat am ${at} gefragt`,
    andMore: (count) => `und ${count} weitere`,
    waitsElsewhere: (count) => `${count} weitere warten auf dich in anderen Kanälen und Unterhaltungen.`,
    nothingWasChanged: () => "Hier wurde nichts geändert.",
    oneChange: () => "1 Änderung wurde gemacht:",
    manyChanges: (count) => `${count} Änderungen wurden gemacht:`,
    changedBy: (what, by, approver, at) =>
      `**${what}** · ${by} hat gefragt, ${approver} hat am ${at} freigegeben`,
    changedByPolicy: (what, by, at) =>
      `**${what}** · ${by} hat am ${at} gefragt, eine Freigabe war nicht nötig`,
    wasApprovedBy: (ask, by, approver) => `**${ask}** wurde freigegeben von ${approver}. ${by} hat gefragt.`,
    wasDeniedBy: (ask, by, denier) => `**${ask}** wurde abgelehnt von ${denier}. ${by} hat gefragt.`,
    stillWaits: (ask, by) => `**${ask}** wartet noch: Niemand hat es freigegeben. ${by} hat gefragt.`,
    wasDecidedByNobody: (ask, by) => `**${ask}** hat niemand entschieden. ${by} hat gefragt.`,
    undoOneByOne: () =>
      "Ich nehme eine Änderung nach der anderen zurück, damit jede angesehen wird. Sag „undo“ für die letzte.",
    nothingToUndo: () => "Es gibt nichts rückgängig zu machen: In dieser Unterhaltung wurde nichts geändert.",
    asBefore: (what) => `Es gibt nichts rückgängig zu machen: ${what} ist, wie es vorher war.`,
    cannotUndoNow: (title) =>
      `„${title}“ kann ich gerade nicht rückgängig machen: Der Server antwortet nicht. Versuch es, wenn er wieder da ist.`,
    cannotUndo: (title, why) => `„${title}“ kann ich nicht rückgängig machen. ${why}`,
    notBroughtBack: () => "Was gelöscht ist, lässt sich von hier aus nicht wiederherstellen.",
    madeNew: () => "Dabei ist etwas Neues entstanden. Um das zurückzunehmen, bitte mich, es zu löschen.",
    beforeUnknown: () => "Der Server sagt nicht, was vorher da war.",
    changedNothing: () => "Dabei wurde nichts geändert.",
    toolRefuses: () => "Das Werkzeug lehnt es ab.",
    changedSinceThen: (about, told) =>
      `Ich habe es nicht rückgängig gemacht, weil ${about} seitdem geändert wurde: ${told}. Soll es trotzdem zurückgesetzt werden, nimm die Schaltfläche.`,
    fieldNow: (field, now, then) => `${field} ist jetzt ${now}, die Änderung hatte ${then} gesetzt`,
    lookedIn: (places) => `Gesucht in ${places}.`,
    lookedFor: (what, places) => `Gesucht nach ${what} in ${places}.`,
    soAlsoThere: (place, first, what) =>
      `${place} hat nichts zu „${first}“; deshalb habe ich dort auch nach ${what} gesucht.`,
    soAlso: (first, what) =>
      `Zu „${first}“ wurde nichts gefunden, deshalb habe ich auch nach ${what} gesucht.`,
    notThere: (words) => `Dort enthält nichts „${words}“; das habe ich weggelassen.`,
    asRemark: (words) => `${words} habe ich als Bemerkung verstanden.`,
    readAs: (words, orders) => `${words} habe ich so verstanden: ${orders}.`,
    thereIsNo: (value, what) => `${value} gibt es nicht, deshalb habe ich nach ${what} gesucht.`,
    soSearched: (text) => `${text} gibt es nicht, deshalb habe ich danach gesucht.`,
    noMatch: (can) =>
      `Das konnte ich keiner Sache zuordnen, die ich hier tun kann. ${can} Formuliere es anders, oder nenne, was du sehen oder ändern willst.`,
    canDo: (things) => `Ich kann zum Beispiel: ${things}.`,
    noToolsNow: () =>
      "Gerade ist kein Werkzeug verbunden, deshalb kann ich noch nichts tun. Bitte versuch es gleich noch einmal.",
    hello: (can) => `Hallo! ${can}`,
    emptyMessage: (can) => `In dieser Nachricht stand nichts. ${can}`,
    whyAsks: () =>
      "Weil echt ist, was ich ändere. Ich schlage es nur vor, vollständig, und nichts geschieht, bis ein Mensch genau das freigibt. Was nur nachgesehen wird, braucht keine Freigabe.",
    heard: () => "Alles klar.",
    onlyTold: () =>
      "Damit habe ich nichts gemacht, es verlangt nichts. Um es festzuhalten, sag wo, etwa „put that on DEMO-1“.",
    welcome: () => "Gern geschehen.",
    staysSo: () => "Alles klar, das bleibt, wie es ist.",
    leftAlone: () => "Alles klar, nichts wurde geändert.",
    asksRest: (what) => `Wenn das erledigt ist, frage ich nach dem Rest: ${what}.`,
    notSure: () => "Ich bin nicht sicher, was du willst, und habe nichts geändert.",
    notMadeYet: () =>
      "Das gibt es noch nicht: Die Anfrage dazu wartet auf Freigabe. Sag, was es haben soll, etwa „hohe Priorität“ oder „für Ben“, dann ändert sich die Anfrage.",
    noMessages: () =>
      "Ich kann niemandem eine Nachricht schicken: Kein Werkzeug hier tut das. Ein Kommentar am Eintrag, mit dem Namen, hilft vielleicht.",
    noToolFor: (words) => `Kein Werkzeug hier tut, was ${words} verlangt; deshalb habe ich nichts getan.`,
    noReminders: () =>
      "Ich kann niemandem später etwas sagen: Ich antworte nur, wenn ich gefragt werde. Ein Fälligkeitsdatum oder ein Kommentar am Eintrag hilft vielleicht.",
    whichEpic: () =>
      "Ich weiß nicht, welches Epic gemeint ist, und habe nichts geändert. Nenne es, etwa mit seinem Schlüssel.",
    neverMind: () => "Alles klar, ich lasse es dabei. Nichts wurde getan.",
    notSo: () => "Das ist nicht so; deshalb habe ich nichts geändert.",
    cannotTell: () => "Ob das so ist, kann ich nicht sagen; deshalb habe ich nichts geändert.",
    tooManyAtOnce: (most) =>
      `Nichts wurde geändert: Das sind mehr als die ${most}, die ich auf einmal ändere. Grenze sie ein.`,
    nameThem: () =>
      "Ich ändere nur, was du einzeln nennst. Sag mir, welche, etwa mit ihren Schlüsseln, und sonst nichts.",
    unsure: (words) =>
      `Ich bin nicht sicher, was ${words} hier heißt; deshalb habe ich nichts geändert. Formuliere es anders, eine Änderung auf einmal.`,
    unknownPerson: (word) => `Ich weiß nicht, wen du mit ${word} meinst. Sag es noch einmal mit dem Namen.`,
    notOnPage: (words) =>
      `Ich habe nichts geändert: ${words} steht nicht auf der Seite, oder nicht nur einmal. Nenne es, wie es dort steht, oder „die Zeile über …“.`,
    replacesPage: () =>
      "Das würde die ganze Seite durch diese Zeile ersetzen, deshalb habe ich nichts geändert. Ein Kommentar tut es vielleicht; sag „ersetze den Text der Seite“, wenn du das willst.",
    doubted: (words) =>
      `${words} lässt mich zweifeln, dass das ein Auftrag ist, deshalb habe ich nichts geändert. Sag es sonst noch einmal ohne das.`,
    notUnderstood: (words) => `${words} habe ich nicht verstanden und weggelassen.`,
    couldDoNothing: (words) => `Mit ${words} konnte ich nichts anfangen.`,
    notOnce: (words) => `${words} steht dort nicht genau einmal, daher habe ich nichts geändert.`,
    hasNone: (records, value) =>
      `${records.replace(" or ", " oder ")} hat ${NO_VALUE[value] ?? `kein „${value}“`}; es gibt nichts zu übernehmen, deshalb habe ich nichts geändert.`,
    movesWhat: () =>
      "Ich weiß nicht sicher, was gemeint ist, und damit auch nicht, von welchem Wert an gezählt wird. Sag es noch einmal mit dem Schlüssel oder mit Wörtern des Titels.",
    several: () =>
      "Hier gibt es mehrere, und ich bin nicht sicher, welches du meinst. Nenne es, etwa mit seinem Schlüssel.",
    dontKnowYou: (server, where) =>
      `Ich weiß nicht, wer du in ${server} bist, deshalb habe ich nichts getan. Sag es mir ${where}, oder nenne eine Person.`,
    dontKnowThem: (name, server, same) =>
      `Ich weiß nicht, wer ${name} in ${server} ist, deshalb habe ich nichts getan. Nenne die Person so wie ${same}.`,
    severalPeople: (server, name) =>
      `Mehrere in ${server} heißen „${name}“, deshalb habe ich nichts getan. Nenne den ganzen Namen.`,
    whoAreYou: (server) => `Wer bist du in ${server}?`,
    whoIs: (name, server) => `Wer ist ${name} in ${server}?`,
    chooseOne: () => "Wähle jemanden aus, oder gib einen Namen oder eine E-Mail-Adresse ein.",
    nobodyAnswered: () => "Niemand hat rechtzeitig geantwortet.",
    couldNotReach: (server, why) => `${server} war nicht zu erreichen: ${why}.`,
    couldNotReachWithin: (server, time) => `${server} war in ${time} nicht zu erreichen.`,
    stoppedResponding: (server, what, why) => `${server} hat bei ${what} aufgehört zu antworten: ${why}.`,
    noAnswerWithin: (what, server, time) =>
      `${what} von ${server} hat in ${time} nicht geantwortet; vielleicht läuft es noch.`,
    notEndedWithin: (what, server, time) =>
      `${what} von ${server} war in ${time} nicht fertig; vielleicht läuft es noch.`,
    wasStopped: (what) => `${what} wurde gestoppt.`,
    didNotAnswerCheck: (server) => `${server} hat nicht geantwortet, als noch einmal nachgesehen wurde`,
    notPossible: () => "es ist nicht mehr möglich",
    connectionClosed: () => "die Verbindung wurde geschlossen",
    endedAfterSend: () =>
      "der Prozess endete, nachdem der Aufruf gesendet und bevor sein Ergebnis notiert war",
    settledHappened: (who) => `von ${who} geklärt: ist passiert`,
    settledDidNot: (who) => `von ${who} geklärt: ist nicht passiert`,
  },
};
