import type { Approval, CallTarget } from "#contract/approval.ts";
import type { JsonObject } from "#contract/json.ts";
import type { Credentials, SiteCredentials } from "#contract/message.ts";
import type { Tool } from "#contract/tool.ts";

import { canonicalJson } from "./json.ts";

const SITES = ["tenant", "source", "target"] as const;
const PARTS = ["domain", "token", "ssl"] as const;

/** What a mapping may name. */
const CREDENTIALS: readonly string[] = SITES.flatMap((site) => PARTS.map((part) => `${site}.${part}`));

/** A credential within other text. */
export const CREDENTIAL: RegExp = /\{([a-z]+\.[a-z]+)\}/g;

/** Which credentials a value of a mapping is made of. */
export function credentialsIn(template: string): string[] {
  if (CREDENTIALS.includes(template)) return [template];
  return [...template.matchAll(CREDENTIAL)].map(([, name = ""]) => name);
}

/** What one server is given of them: what its person has connected for it, else what came with the message. */
export function credentialsFor(server: string, given: Credentials | undefined): SiteCredentials | undefined {
  return given?.sites?.[server] ?? given;
}

/** By their names in a mapping. */
export function credentialValues({ tenant, migration }: SiteCredentials = {}): Map<string, string | boolean> {
  const sites = { tenant, source: migration?.source, target: migration?.target };
  const values = new Map<string, string | boolean>();
  for (const site of SITES) {
    for (const part of PARTS) {
      const value = sites[site]?.[part];
      if (value !== undefined) values.set(`${site}.${part}`, value);
    }
  }
  return values;
}

/** Where a call of the tool would act with these credentials, without what is secret in them. */
export function targetsOf(
  { server, credentials: mapping = {} }: Pick<Tool, "credentials" | "server">,
  given: Credentials | undefined,
): CallTarget[] {
  const known = credentialValues(credentialsFor(server, given));
  const used = new Set(
    Object.values(mapping)
      .flatMap(credentialsIn)
      .map((name) => name.split(".", 1)[0]),
  );
  return [...known].flatMap(([name, value]): CallTarget[] => {
    if (name.endsWith(".token") || !used.has(name.split(".", 1)[0])) return [];
    const args = Object.entries(mapping).flatMap(([place, template]) =>
      template === name && !place.includes(":") ? place : [],
    );
    return [{ name, value, args }];
  });
}

/** The arguments that are filled in with what is no secret. */
export function targetArguments({ targets = [] }: Pick<Approval, "targets">): JsonObject {
  return Object.fromEntries(targets.flatMap(({ args, value }) => args.map((name) => [name, value])));
}

/** As the audit record tells them: `{targets: {"source.domain": …}}` to spread, or nothing. */
export function targetsData(targets: CallTarget[] = []): { targets?: JsonObject } {
  if (targets.length === 0) return {};
  return { targets: Object.fromEntries(targets.map(({ name, value }) => [name, value])) };
}

/** As the store has them, so that equal ones are equal texts. */
export function targetsText(targets: CallTarget[] = []): string | null {
  return targets.length === 0 ? null : canonicalJson(targets);
}
