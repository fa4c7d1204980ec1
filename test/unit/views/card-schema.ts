import { z } from "zod";

import type { Card, CardElement } from "#contract/card.ts";
import type { JsonValue } from "#contract/json.ts";

/** The contract's Card as a strict schema: unknown keys, empty tables rows and unsafe links do not pass. */
const href = z.string().regex(/^https?:\/\//i);
const tone = z.enum(["neutral", "info", "good", "warn", "bad"]);
const inline = z.strictObject({ text: z.string(), href: href.optional(), tone: tone.optional() });
const cell = z.union([z.string(), z.number(), z.boolean(), z.null(), inline]);
const json = z.json() as z.ZodType<JsonValue>;

const element: z.ZodType<CardElement> = z.lazy(() =>
  z.discriminatedUnion("type", [
    z.strictObject({
      type: z.literal("header"),
      text: z.string().min(1),
      href: href.optional(),
      eyebrow: z.string().optional(),
      badges: z.array(inline).optional(),
    }),
    z.strictObject({
      type: z.literal("fields"),
      items: z.array(z.strictObject({ label: z.string().min(1), value: cell })).min(1),
    }),
    z.strictObject({
      type: z.literal("text"),
      text: z.string().min(1),
      format: z.enum(["plain", "markdown"]).optional(),
      folded: z.boolean().optional(),
      graph: z
        .array(
          z.strictObject({
            text: z.string(),
            sign: z.string().optional(),
            tone: tone.optional(),
            after: z.array(z.int().min(0)),
          }),
        )
        .max(40)
        .optional(),
    }),
    z
      .strictObject({
        type: z.literal("table"),
        caption: z.string().optional(),
        columns: z
          .array(z.strictObject({ label: z.string().min(1), align: z.enum(["left", "right"]).optional() }))
          .min(1),
        rows: z.array(z.array(cell)).min(1),
        total: z.number().optional(),
      })
      .refine((table) => table.rows.every((row) => row.length === table.columns.length)),
    z.strictObject({
      type: z.literal("list"),
      ordered: z.boolean().optional(),
      items: z
        .array(
          z.strictObject({
            text: z.string().min(1),
            href: href.optional(),
            detail: z.string().optional(),
            badges: z.array(inline).optional(),
          }),
        )
        .min(1),
    }),
    z.strictObject({
      type: z.literal("code"),
      text: z.string(),
      language: z.string().optional(),
      folded: z.boolean().optional(),
    }),
    z.strictObject({
      type: z.literal("links"),
      items: z.array(z.strictObject({ label: z.string().min(1), href })).min(1),
    }),
    z.strictObject({
      type: z.literal("progress"),
      label: z.string().min(1),
      value: z.number(),
      total: z.number().optional(),
    }),
    z.strictObject({
      type: z.literal("changes"),
      items: z.array(
        z.strictObject({ label: z.string().min(1), before: json.optional(), after: json.optional() }),
      ),
    }),
    z.strictObject({
      type: z.literal("section"),
      title: z.string().min(1),
      href: href.optional(),
      role: z.enum(["details", "item"]).optional(),
      folded: z.boolean().optional(),
      elements: z.array(element).min(1),
    }),
    z.strictObject({
      type: z.literal("actions"),
      items: z.array(
        z.strictObject({
          id: z.enum([
            "approve",
            "approve_all",
            "deny",
            "deny_all",
            "stop",
            "settle_happened",
            "settle_did_not",
            "prompt",
          ]),
          label: z.string().min(1),
          style: z.enum(["primary", "danger"]).optional(),
          value: z.string().min(1),
        }),
      ),
    }),
    z.strictObject({ type: z.literal("footer"), text: z.string().min(1) }),
    z.strictObject({ type: z.literal("error"), message: z.string().min(1), detail: z.string().optional() }),
  ]),
) as z.ZodType<CardElement>;

export const cardSchema: z.ZodType<Card> = z.strictObject({
  kind: z.enum(["result", "answer", "question", "approval", "status", "error"]),
  title: z
    .string()
    .min(1)
    .regex(/^[^\n\r]*$/),
  elements: z.array(element).min(1),
});
