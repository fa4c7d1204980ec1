import { describe, expect, it } from "vitest";

import { all, fieldsOf, show, textsOf } from "./help.ts";
import { page, wholePage } from "./samples.ts";

describe("ConfluenceSearchView", () => {
  it("[view.confluence] lists pages with link, space, excerpt and last change", () => {
    const card = show(
      "ConfluenceSearchView",
      { results: [page], total: 7, next_cursor: "c2" },
      { args: { query: "deploying" } },
    );
    expect(card.title).toBe("1 of 7 pages for “deploying”");
    expect(all(card, "list")[0]?.items).toEqual([
      {
        text: "Deploying the shop",
        href: "https://wiki.example.com/spaces/ENG/pages/1001",
        badges: [{ text: "Engineering Handbook", tone: "neutral" }],
        detail: "How we deploy every day.\nChanged 2 Oct 2026, 12:00 UTC by Chloé Martin",
      },
    ]);
    expect(JSON.stringify(card)).not.toContain("c2");
  });

  it("[view.confluence] says what was searched when nothing was found", () => {
    const card = show("ConfluenceSearchView", { results: [] }, { args: { query: "unicorns", space: "ENG" } });
    expect(textsOf(card)).toContain("No page matches “unicorns”, space ENG.");
  });
});

describe("ConfluencePageView", () => {
  it("[view.confluence] shows title, space, path, last change, body, pages below, comments and link", () => {
    const card = show("ConfluencePageView", wholePage);
    expect(card.elements[0]).toEqual({
      type: "header",
      text: "Deploying the shop",
      href: "https://wiki.example.com/spaces/ENG/pages/1001",
      eyebrow: "Engineering Handbook",
    });
    expect(fieldsOf(card)).toEqual({
      Space: "Engineering Handbook (ENG)",
      Path: "Engineering Handbook › Handbook › Deploying the shop",
      "Last change": "2 Oct 2026, 12:00 UTC by Chloé Martin",
      Version: 4,
      Created: "2 Jan 2026, 12:00 UTC by Dmitri Sokolov",
      Labels: "release",
      "Page ID": "1001",
    });
    expect(card.elements).toContainEqual({
      type: "text",
      text: "# Deploying\n\nPush the button.",
      format: "markdown",
      folded: true,
    });
    expect(all(card, "list")[0]?.items).toEqual([
      { text: "Rolling back", href: "https://wiki.example.com/spaces/ENG/pages/1002" },
    ]);
    expect(all(card, "section").map((section) => section.title)).toEqual([
      "Pages below (1)",
      "Comments (1)",
      "Unknown author, 3 Oct 2026, 08:00 UTC",
    ]);
    expect(all(card, "links")[0]?.items[0]?.href).toBe("https://wiki.example.com/spaces/ENG/pages/1001");
  });
});
