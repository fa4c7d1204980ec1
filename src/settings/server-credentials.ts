import { z } from "zod";

/** How people, or channels, are authorised with a server by OAuth 2.1. */
export interface OAuthSettings {
  per: "person" | "channel";
  /** What is asked for where the server does not say. */
  scope?: string;
  /** As the authorisation server `issuer` knows the product; without it the product registers itself. */
  client_id?: string;
  client_secret?: string;
  issuer?: string;
}

const names = ["tenant", "source", "target"].flatMap((site) =>
  ["domain", "token", "ssl"].map((part) => `${site}.${part}`),
);
const expected = `one of ${names.join(", ")}, or text with them in braces such as Bearer {tenant.token}`;

/** A name alone, or text in which every brace holds one, and at least one does. */
function isTemplate(text: string): boolean {
  if (names.includes(text)) return true;
  const found = [...text.matchAll(/\{([^{}]*)\}/g)].map(([, name = ""]) => name);
  return found.length > 0 && found.every((name) => names.includes(name));
}

const template = z.string().refine(isTemplate, { error: expected });

const place = z.string().regex(/^(header:[A-Za-z0-9!#$%&'*+.^_`|~-]+|meta:\S+|(?!(header|meta):).+)$/, {
  error: "the name of an argument, header:NAME or meta:NAME",
});

/** Where a call gets which credential of its turn. */
export const credentialsSchema: z.ZodType<Record<string, string>> = z.record(place, template);

const actor = z.string().regex(/^[a-z]+:\S+$/, { error: "a person as SURFACE:NAME, such as http:ana" });

/** Headers of their own for some people; `headers` are those for everybody. */
export function personHeadersSchema<Headers extends z.ZodType<Record<string, string>>>(
  headers: Headers,
): z.ZodType<Record<string, Record<string, string>>> {
  return z.record(actor, headers);
}

export const oauthSchema: z.ZodType<OAuthSettings> = z
  .strictObject({
    per: z
      .enum(["person", "channel"])
      .default("person")
      .describe("person: everybody connects an account of theirs; channel: one account for a channel."),
    scope: z.string().min(1).exactOptional().describe("Asked for where the server names no scopes."),
    client_id: z
      .string()
      .min(1)
      .exactOptional()
      .describe("As the authorisation server knows the product; without it the product registers itself."),
    client_secret: z.string().min(1).exactOptional(),
    issuer: z
      .url({ protocol: /^https?$/, error: "the address of the authorisation server" })
      .exactOptional()
      .describe("The authorisation server that knows client_id; no other is told of it."),
  })
  .refine((one) => (one.client_id === undefined) === (one.issuer === undefined), {
    path: ["issuer"],
    error: "given together with client_id",
  })
  .refine((one) => one.client_secret === undefined || one.client_id !== undefined, {
    path: ["client_secret"],
    error: "given together with client_id",
  });
