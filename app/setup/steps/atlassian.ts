import { messageOf } from "#src/base/errors.ts";
import { isObject } from "#src/base/json.ts";
import { plural } from "#src/base/text.ts";
import { serverSchema, type ServerSettings } from "#src/settings/server-schema.ts";

import { readKnownServers } from "../../known-servers.ts";
import { withToolBox } from "../../tool-box.ts";
import type { Draft } from "../draft.ts";
import { again, agrees, type Setup, type Step } from "../step.ts";
import { removeServer } from "./demo.ts";

/** One of the two products, which are connected alike. */
interface Product {
  /** Of its server. */
  name: "jira" | "confluence";
  title: string;
  /** Of its variables. */
  prefix: "JIRA" | "CONFLUENCE";
  /** The read that shows what an account sees, and where its rows stand. */
  listing: string;
  row: "project" | "space";
  /** Of its server in a configuration that has none. */
  more: object;
}

const JIRA: Product = {
  name: "jira",
  title: "Jira",
  prefix: "JIRA",
  listing: "list_projects",
  row: "project",
  more: {
    views: {
      get_jira_issue: "JiraIssueView",
      search_issues: "JiraSearchView",
      count_issues: "JiraCountView",
      get_epic: "JiraEpicView",
    },
    commands: {
      jira: {
        server: "jira",
        default: "get_jira_issue",
        subcommands: { search: "search_issues", epic: "get_epic", create: "create_issue" },
      },
    },
  },
};

const CONFLUENCE: Product = {
  name: "confluence",
  title: "Confluence",
  prefix: "CONFLUENCE",
  listing: "list_spaces",
  row: "space",
  more: {
    views: { search_confluence: "ConfluenceSearchView", get_page: "ConfluencePageView" },
    commands: { confluence: { server: "confluence", default: "search_confluence" } },
  },
};

export const jira: Step = {
  id: "jira",
  title: "Jira: your team's issues",
  run: (setup) => connect(setup, JIRA),
};

export const confluence: Step = {
  id: "confluence",
  title: "Confluence: your team's pages",
  run: (setup) => connect(setup, CONFLUENCE),
};

/** Cloud: e-mail and API token. Data Center: a personal access token alone. */
interface Account {
  url: string;
  email: string;
  apiToken: string;
  token: string;
}

async function connect(setup: Setup, product: Product): Promise<void> {
  const { surface, draft } = setup;
  const { name, title, prefix } = product;
  if (isPersonal(draft)) {
    surface.tell("info", `People connect their own accounts of ${title}: it stays as it is.`);
    return;
  }
  const server = draft.settings.servers.find((one) => one.name === name);
  if (server !== undefined && !isBundled(server, name)) {
    surface.tell("info", `${draft.named.config} has a server ${name} of its own: it stays as it is.`);
    return;
  }
  const today = accountOf((variable) => server?.env[variable], prefix);
  const demo = server === undefined ? "Not now" : "Not now: go on with the demo's";
  const keep = { value: "keep", label: today.url === "" ? demo : `Keep ${today.url}` };
  const own = {
    value: "personal",
    label: "Each person with their own account",
    hint: "Jira and Confluence Cloud, by OAuth",
  };
  const personal = name === "jira" ? [own] : [];
  const use = await surface.choice({
    id: `${name}.use`,
    title: `Shall Countersign work with your ${title}?`,
    options:
      today.url === ""
        ? [
            { value: "connect", label: `Connect our ${title}`, hint: "with one account for all" },
            ...personal,
            keep,
          ]
        : [keep, { value: "connect", label: "Connect another one, or with another account" }],
    initial: today.url === "" ? "connect" : "keep",
  });
  if (use === "keep") return;
  if (use === "personal") return connectPersonal(setup);
  const found = await tryAccounts(setup, product, today);
  if (found === undefined) return;
  const { account, rows } = found;
  surface.tell("good", `It works. Found ${plural(rows.length, product.row)}: ${listed(rows)}`);
  const values = variablesOf(account, prefix);
  draft.setVariables(values);
  bindServer(draft, product, Object.keys(values));
  await chooseIndex(setup, product);
  if (name === "jira")
    renameExamples(
      draft,
      rows.map(({ key }) => key),
    );
}

function isBundled({ command = [] }: ServerSettings, name: string): boolean {
  return command.some((part) => part.endsWith(`servers/${name}/main.ts`));
}

function accountOf(variable: (name: string) => string | undefined, prefix: string): Account {
  const of = (name: string): string => variable(`${prefix}_${name}`)?.trim() ?? "";
  return { url: of("URL"), email: of("EMAIL"), apiToken: of("API_TOKEN"), token: of("TOKEN") };
}

function variablesOf({ url, email, apiToken, token }: Account, prefix: string): Record<string, string> {
  return {
    [`${prefix}_URL`]: url,
    [`${prefix}_EMAIL`]: email,
    [`${prefix}_API_TOKEN`]: apiToken,
    [`${prefix}_TOKEN`]: token,
  };
}

interface Row {
  key: string;
  name: string;
}

/** Asks until an account works; undefined: everything stays as it was. */
async function tryAccounts(
  setup: Setup,
  product: Product,
  today: Account,
): Promise<{ account: Account; rows: Row[] } | undefined> {
  const { surface } = setup;
  const { name, title } = product;
  for (let last = today; ;) {
    const account = await askAccount(setup, product, last);
    try {
      const rows = await surface.work(`Trying it at ${account.url}`, () => list(setup, product, account));
      return { account, rows };
    } catch (error) {
      surface.tell("bad", messageOf(error));
      last = { ...account, apiToken: "", token: "" };
    }
    if (!(await again(setup, `${name}.again`, title))) return undefined;
  }
}

async function askAccount(
  { surface, draft }: Setup,
  { name, title, prefix }: Product,
  last: Account,
): Promise<Account> {
  const jiras = { ...accountOf((variable) => draft.variable(variable), "JIRA"), token: "" };
  if (prefix === "CONFLUENCE" && last.url === "" && jiras.apiToken !== "") {
    const title = `Is Confluence at ${jiras.url} too, with the same account?`;
    if (await agrees({ surface }, { id: `${name}.same`, title, initial: "yes" })) return jiras;
  }
  const typed = await surface.text({
    id: `${name}.url`,
    title: `What is the address of your ${title}?`,
    help: `What stands in the browser when you use ${title}, such as https://acme.atlassian.net. The first word is enough.`,
    placeholder: "https://acme.atlassian.net",
    ...(last.url === "" ? {} : { initial: last.url }),
    check: (answer) =>
      siteOf(answer) === undefined ? "An address such as https://acme.atlassian.net" : undefined,
  });
  const url = siteOf(typed) ?? typed;
  // A token is for the site that it was typed for, and goes to no other.
  const known = url === last.url ? last : { ...last, apiToken: "", token: "" };
  const isCloud =
    new URL(url).hostname.endsWith(".atlassian.net") ||
    (await surface.choice({
      id: `${name}.kind`,
      title: `Which ${title} is that?`,
      options: [
        { value: "cloud", label: "Cloud: Atlassian runs it", hint: "e-mail and API token" },
        { value: "data-center", label: "Data Center: we run it ourselves", hint: "personal access token" },
      ],
      initial: last.token === "" ? "cloud" : "data-center",
    })) === "cloud";
  if (!isCloud) {
    const token = await surface.secret({
      id: `${name}.token`,
      title: "A personal access token",
      help: `In ${title}: your picture, then Profile, Personal Access Tokens, Create token. Whatever people ask for runs with the rights of that account.`,
      isSet: known.token !== "",
      check: oneWord,
    });
    return { url, email: "", apiToken: "", token: token ?? known.token };
  }
  const email = await surface.text({
    id: `${name}.email`,
    title: "The e-mail address of the account",
    help: "Whatever people ask for runs with the rights of that account; one of its own for Countersign is best.",
    ...(last.email === "" ? {} : { initial: last.email }),
    check: (answer) => (/^\S+@\S+$/.test(answer) ? undefined : "An address such as countersign@acme.com"),
  });
  const apiToken = await surface.secret({
    id: `${name}.token`,
    title: "An API token of that account",
    help: "Signed in as that account, open https://id.atlassian.com/manage-profile/security/api-tokens and press Create API token.",
    isSet: known.apiToken !== "",
    check: oneWord,
  });
  return { url, email, apiToken: apiToken ?? known.apiToken, token: "" };
}

function oneWord(answer: string): string | undefined {
  return /^[\x21-\x7e]+$/.test(answer) ? undefined : "A token has no spaces: copy it anew";
}

/** `acme` is the site of that name at Atlassian; of a page there the site is taken. */
function siteOf(typed: string): string | undefined {
  const text = typed.trim();
  if (/^[a-z0-9-]+$/i.test(text) && text !== "localhost")
    return `https://${text.toLowerCase()}.atlassian.net`;
  const url = URL.parse(text.includes("://") ? text : `https://${text}`);
  if (url === null || !/^https?:$/.test(url.protocol) || url.username !== "") return undefined;
  // A context path is part of the address of a Data Center.
  const path = url.hostname.endsWith(".atlassian.net") ? "" : url.pathname.replace(/\/+$/, "");
  return `${url.origin}${path}`;
}

/** What the account sees, through the server that works with it later. */
async function list({ draft }: Setup, product: Product, account: Account): Promise<Row[]> {
  const { name, prefix, listing } = product;
  const { settings } = draft;
  const env = variablesOf(account, prefix);
  const server = settings.servers.find((one) => one.name === name) ?? serverSchema.parse(bundledServer(name));
  let rows: Row[] = [];
  const trial = { ...settings, servers: [{ ...server, env: { ...server.env, ...env } }] };
  await withToolBox(trial, { actor: undefined, channel: "" }, async (box) => {
    const tool = box.find(`${name}.${listing}`);
    if (tool === undefined) throw new Error(box.servers()[0]?.error ?? `${name} did not start`);
    const outcome = await box.call({
      tool,
      args: {},
      channel: "",
      repeatable: true,
      signal: AbortSignal.timeout(TRY_MS),
    });
    if (!outcome.ok) throw new Error(outcome.error?.message ?? "it failed");
    rows = rowsOf(outcome.data, `${product.row}s`);
    return 0;
  });
  return rows;
}

const TRY_MS = 30_000;

function rowsOf(data: unknown, member: string): Row[] {
  const found = isObject(data) ? data[member] : undefined;
  if (!Array.isArray(found)) return [];
  return (found as unknown[]).flatMap((row) =>
    isObject(row) && typeof row.key === "string" ? [{ key: row.key, name: String(row.name) }] : [],
  );
}

function listed(rows: readonly Row[]): string {
  const shown = rows.slice(0, 8).map(({ key, name }) => `${key} (${name})`);
  const more = rows.length - shown.length;
  return `${shown.join(", ")}${more > 0 ? ` and ${more} more` : ""}.`;
}

function bundledServer(name: string): object {
  const command = ["node", `servers/${name}/main.ts`];
  return { name, command, use_persistent_session: true, trust_annotations: true };
}

/** The server of the configuration reads these variables. */
function bindServer(draft: Draft, { name, more }: Product, variables: readonly string[]): void {
  const servers = draft.at(["servers"]);
  const index = Array.isArray(servers)
    ? servers.findIndex((one: unknown) => isObject(one) && one.name === name)
    : -1;
  const env = Object.fromEntries(variables.map((variable) => [variable, `\${${variable}:-}`]));
  if (index === -1) {
    return draft.merge({ servers: [{ ...bundledServer(name), env }], ...more });
  }
  const there = draft.at(["servers", index, "env"]);
  if (!isObject(there) || Object.keys(there).length === 0) return draft.set(["servers", index, "env"], env);
  for (const variable of variables) draft.bind(["servers", index, "env", variable], variable);
}

/** The demo indexes all there is, which of a real site nobody asked for. */
async function chooseIndex({ surface, draft }: Setup, { name, title, row }: Product): Promise<void> {
  const sources = draft.at(["knowledge", "sources"]);
  const index = Array.isArray(sources)
    ? sources.findIndex((one: unknown) => isObject(one) && one.type === name)
    : -1;
  if (index === -1) return;
  const answer = await surface.choice({
    id: `${name}.index`,
    title: `Shall Countersign build a search index of your ${title}?`,
    help: `Without one it looks things up in ${title} when somebody asks. With one it answers from tickets and pages at once: it reads every ${row} that the account sees, in the background, and each day what changed. Everybody who may ask Countersign finds what is in it.`,
    options: [
      { value: "no", label: "Not now" },
      { value: "yes", label: "Yes" },
    ],
    initial: "no",
  });
  if (answer === "no") draft.set(["knowledge", "sources", index], undefined);
}

const DEMO_KEY = /\b(?:DEMO|OPS|MOB)-\d+\b/g;

/** The demo's sentences speak of its own issues: they become ones about a project of the team's. */
function renameExamples(draft: Draft, keys: readonly string[]): void {
  const [key] = keys;
  const examples = draft.at(["examples"]);
  if (key === undefined || keys.includes("DEMO") || !Array.isArray(examples)) return;
  const renamed = (text: unknown): unknown =>
    typeof text === "string"
      ? text
          .replaceAll(DEMO_KEY, `${key}-1`)
          .replaceAll(/\bin DEMO\b|^DEMO$/g, (found) => found.replace("DEMO", key))
      : text;
  for (const [index, example] of (examples as unknown[]).entries()) {
    if (!isObject(example)) continue;
    draft.set(["examples", index, "message"], renamed(example.message));
    for (const [name, value] of Object.entries(isObject(example.args) ? example.args : {}))
      draft.set(["examples", index, "args", name], renamed(value));
  }
}

/** Atlassian's own server, as config/known-servers.yaml knows it. */
const NAME = "atlassian";
const ANSWER_MS = 10_000;

/** Whether people bring their own accounts of Jira and Confluence. */
function isPersonal({ settings }: Draft): boolean {
  return settings.servers.some(({ name, oauth }) => name === NAME && oauth !== undefined);
}

/**
 * Jira and Confluence Cloud through Atlassian's own server, with each person's account by OAuth instead of one token
 * for all. That the server asks for an account is tried; the account itself is whose it is, and is connected in the chat.
 */
async function connectPersonal({ surface, draft }: Setup): Promise<void> {
  const known = (await readKnownServers()).find(({ name }) => name === NAME);
  const [{ headers: _, ...server } = { name: NAME }] = known?.config.servers ?? [];
  for (;;) {
    const url = await surface.text({
      id: "jira.personal_url",
      title: "The address of Atlassian's server",
      help: "Enter takes the one that Atlassian runs for everybody.",
      initial: String(server.url),
      check: (answer) =>
        /^https?:\/\/\S+$/.test(answer) ? undefined : "An address such as https://mcp.atlassian.com/v1/mcp",
    });
    const fault = await surface.work(`Trying ${url}`, () => faultOf(url));
    if (fault === undefined) {
      draft.merge({ ...known?.config, servers: [{ ...server, url, oauth: { per: "person" } }] });
      break;
    }
    surface.tell("bad", fault);
    if (!(await again({ surface }, "jira.personal_again", "Jira"))) return;
  }
  // The demo's issues and pages would be found beside the team's.
  for (const name of ["jira", "confluence"] as const)
    if (!draft.settings.servers.some((one) => one.name === name && one.env[`${name.toUpperCase()}_URL`]))
      removeServer(draft, name);
  surface.tell(
    "good",
    "It asks who people are. Each person connects their account once, with /connect in the chat or under Tools & health on the page.",
  );
  if (draft.settings.http.public_url === "")
    surface.tell(
      "info",
      "Their browsers have to reach Countersign for that: set http.public_url to its address, unless all of them sit at this machine (docs/mcp.md).",
    );
}

/** Undefined where a stranger is asked for an account, as it should be. */
async function faultOf(url: string): Promise<string | undefined> {
  const initialize = {
    jsonrpc: "2.0",
    id: 1,
    method: "initialize",
    params: {
      protocolVersion: "2025-06-18",
      capabilities: {},
      clientInfo: { name: "countersign", version: "1" },
    },
  };
  try {
    const response = await fetch(url, {
      method: "POST",
      headers: { "content-type": "application/json", accept: "application/json, text/event-stream" },
      body: JSON.stringify(initialize),
      redirect: "manual",
      signal: AbortSignal.timeout(ANSWER_MS),
    });
    await response.body?.cancel();
    if (response.status === 401) return undefined;
    return `${url} answers ${response.status}, where a server that people connect accounts with answers 401.`;
  } catch (error) {
    return `${url} cannot be reached: ${messageOf(error)}.`;
  }
}
