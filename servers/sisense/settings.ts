import { ToolFailure } from "#servers/kit/tool.ts";

/** An address with what opens it, from the environment or with a call. */
export interface Site {
  domain: string;
  token: string;
  /** false: plain http, which only leads to this machine and private networks; undefined: as the domain has it. */
  ssl: boolean | undefined;
}

export type Role = "tenant" | "source" | "target";

export interface Settings {
  sites: Partial<Record<Role, Site>>;
  /** Names of modules; undefined: all. */
  modules: string[] | undefined;
  mayChange: boolean;
  readsAtOnce: number;
  migrationsAtOnce: number;
  /** Of one request to a deployment, in milliseconds. */
  timeoutMs: number;
  /** How long the demo takes for a change, in milliseconds. */
  demoDelayMs: number;
}

const PREFIXES: Readonly<Record<Role, string>> = {
  tenant: "SISENSE_",
  source: "SISENSE_SOURCE_",
  target: "SISENSE_TARGET_",
};

/** Throws a ToolFailure (`bad_setting`) that names the variable, what was expected and what came. */
export function readSettings(env: NodeJS.ProcessEnv): Settings {
  const sites: Settings["sites"] = {};
  for (const role of ["tenant", "source", "target"] as const) {
    const site = siteOf(env, PREFIXES[role]);
    if (site !== undefined) sites[role] = site;
  }
  const modules = textOf(env, "SISENSE_MODULES");
  return {
    sites,
    modules: modules === "" ? undefined : modules.split(/[\s,]+/).filter((name) => name !== ""),
    mayChange: switchOf(env, "SISENSE_ALLOW_CHANGES", true),
    readsAtOnce: numberOf(env, "SISENSE_READS_AT_ONCE", 5, 1, 50),
    migrationsAtOnce: numberOf(env, "SISENSE_MIGRATIONS_AT_ONCE", 1, 1, 5),
    timeoutMs: numberOf(env, "SISENSE_TIMEOUT_MS", 60_000, 100, 600_000),
    demoDelayMs: numberOf(env, "SISENSE_DEMO_DELAY_MS", 0, 0, 60_000),
  };
}

function siteOf(env: NodeJS.ProcessEnv, prefix: string): Site | undefined {
  const [domain, token] = [textOf(env, `${prefix}DOMAIN`), textOf(env, `${prefix}TOKEN`)];
  if (domain === "" && token === "") return undefined;
  if (domain === "" || token === "") {
    const [missing, given] = domain === "" ? ["DOMAIN", "TOKEN"] : ["TOKEN", "DOMAIN"];
    throw badSetting(`${prefix}${given} is set: expected ${prefix}${missing} beside it`);
  }
  const ssl = textOf(env, `${prefix}SSL`) === "" ? undefined : switchOf(env, `${prefix}SSL`, true);
  return { domain, token, ssl };
}

function textOf(env: NodeJS.ProcessEnv, name: string): string {
  return env[name]?.trim() ?? "";
}

function switchOf(env: NodeJS.ProcessEnv, name: string, usual: boolean): boolean {
  const text = textOf(env, name).toLowerCase();
  if (text === "") return usual;
  if (["true", "1", "yes", "on"].includes(text)) return true;
  if (["false", "0", "no", "off"].includes(text)) return false;
  throw badSetting(`${name}: expected true or false, got "${text}"`);
}

function numberOf(env: NodeJS.ProcessEnv, name: string, usual: number, least: number, most: number): number {
  const text = textOf(env, name);
  if (text === "") return usual;
  const value = /^\d{1,7}$/.test(text) ? Number(text) : Number.NaN;
  if (value >= least && value <= most) return value;
  throw badSetting(`${name}: expected a number from ${least} to ${most}, got "${text}"`);
}

function badSetting(message: string): ToolFailure {
  return new ToolFailure("bad_setting", message);
}
