import type { CardElement, Cell } from "#contract/card.ts";
import type { ViewInput } from "#contract/core.ts";
import type { JsonObject } from "#contract/json.ts";

import { commentSections } from "../comments.ts";
import { humanDate } from "../dates.ts";
import { createBudget } from "../generic/budget.ts";
import { fromObject } from "../generic/elements.ts";
import { leftOut } from "../generic/table.ts";
import { unpack } from "../json.ts";
import { count, hrefOf, oneLine } from "../text.ts";
import type { ViewResult } from "../view.ts";
import { lastChange } from "./changed.ts";
import { PAGE_KEYS, pageSchema } from "./shapes.ts";
import type { Page } from "./shapes.ts";

const MAX_CHILDREN = 100;

/** ConfluencePageView: one page with its place, last change, body, children and comments. */
export function confluencePageView(input: ViewInput): ViewResult {
  const data = unpack(input.data);
  const page = pageSchema.parse(data);
  const extras = Object.fromEntries(
    Object.entries(data as JsonObject).filter(([key]) => !PAGE_KEYS.includes(key)),
  );
  const { href } = hrefOf(page.url);
  return {
    card: {
      kind: "result",
      title: oneLine(page.space === null ? page.title : `${page.title} (${page.space.name})`),
      elements: [
        {
          type: "header",
          text: page.title,
          ...hrefOf(page.url),
          ...(page.space === null ? {} : { eyebrow: page.space.name }),
        },
        { type: "fields", items: fields(page) },
        page.body.trim() === ""
          ? { type: "text", text: "The page is empty." }
          : { type: "text", text: page.body, format: "markdown", folded: true },
        ...children(page),
        ...commentSections(page.comments),
        ...(Object.keys(extras).length === 0
          ? []
          : [
              {
                type: "section" as const,
                title: "Other fields",
                folded: true,
                elements: fromObject(extras, createBudget(), 1),
              },
            ]),
        ...(href === undefined
          ? []
          : [{ type: "links" as const, items: [{ label: "Open the page", href }] }]),
      ],
    },
  };
}

function fields(page: Page): { label: string; value: Cell }[] {
  const { space, parent, version } = page;
  const path = [space?.name, parent?.title, page.title].filter((part) => part !== undefined);
  const change = lastChange(page).replace(/^Changed /, "");
  const created = [
    page.created === null ? "" : humanDate(page.created),
    page.created_by === null ? "" : `by ${page.created_by.name}`,
  ].filter((part) => part !== "");
  const all: [label: string, value: Cell | undefined][] = [
    ["Space", space === null ? undefined : `${space.name} (${space.key})`],
    ["Path", path.length > 1 ? path.join(" › ") : undefined],
    ["Last change", change === "" ? undefined : change],
    ["Version", version ?? undefined],
    ["Created", created.length === 0 ? undefined : created.join(" ")],
    ["Labels", page.labels.length === 0 ? undefined : page.labels.join(", ")],
    ["Page ID", page.id],
  ];
  return all.flatMap(([label, value]) => (value === undefined ? [] : [{ label, value }]));
}

function children(page: Page): CardElement[] {
  if (page.children.length === 0) return [];
  const items = page.children
    .slice(0, MAX_CHILDREN)
    .map((child) => ({ text: child.title, ...hrefOf(child.url) }));
  const more = page.children.length - items.length;
  return [
    {
      type: "section",
      title: `Pages below (${page.children.length})`,
      elements: [{ type: "list", items }, ...(more > 0 ? [leftOut(count(more, "page"))] : [])],
    },
  ];
}
