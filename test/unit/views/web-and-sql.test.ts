import { describe, expect, it } from "vitest";

import { all, show, textsOf } from "./help.ts";

describe("SqlQueryView", () => {
  const answer = {
    columns: ["zeta", "alpha", "2"],
    rows: [
      { "2": 5, zeta: null, alpha: "x" },
      { "2": 6, zeta: "b", alpha: "y" },
    ],
    row_count: 2,
    truncated: false,
  };

  it("[tools.sql] is a table in the order that the query has, with the query below it", () => {
    const card = show("SqlQueryView", answer, { args: { sql: "SELECT zeta, alpha, 2 FROM t" } });
    expect(card.title).toBe("2 rows");
    expect(all(card, "table")[0]).toMatchObject({
      columns: [{ label: "Zeta" }, { label: "Alpha" }, { label: "2" }],
      rows: [
        [null, "x", 5],
        ["b", "y", 6],
      ],
    });
    expect(all(card, "code")).toMatchObject([{ text: "SELECT zeta, alpha, 2 FROM t", folded: true }]);
  });

  it("[tools.sql] says when there are more rows, and when there are none", () => {
    const some = show("SqlQueryView", { ...answer, truncated: true });
    expect(some.title).toBe("The first 2 rows");
    expect(textsOf(some)).toContain("There are more rows: ask for a higher limit, or for less.");
    expect(show("SqlQueryView", { ...answer, rows: [] }).title).toBe("0 rows");
    expect(show("SqlQueryView", answer, { language: "German" }).title).toBe("2 Zeilen");
  });
});

describe("SqlTablesView and SqlTableView", () => {
  it("[tools.sql] name what there is, and say of columns what one of them has", () => {
    const tables = [
      { name: "orders", kind: "table", columns: ["id", "day"] },
      { name: "monthly", kind: "view", columns: ["month"] },
    ];
    const list = show("SqlTablesView", { tables });
    expect(list.title).toBe("2 tables");
    expect(show("SqlTablesView", { tables }, { language: "de" }).title).toBe("2 Tabellen");
    expect(all(list, "table")[0]?.rows).toEqual([
      ["orders", "table", "id, day"],
      ["monthly", "view", "month"],
    ]);
    const plain = { type: "INTEGER", primary_key: false, references: null, nullable: false, default: null };
    const columns = [
      { name: "id", ...plain, primary_key: true },
      { name: "customer", ...plain, references: "customers.id" },
    ];
    const card = show("SqlTableView", { table: "orders", columns });
    expect(card.title).toBe("orders: 2 columns");
    expect(all(card, "table")[0]).toMatchObject({
      columns: ["Name", "Type", "Primary key", "References"].map((label) => ({ label })),
      rows: [
        ["id", "INTEGER", true, null],
        ["customer", "INTEGER", false, "customers.id"],
      ],
    });
  });
});

describe("WebPageView", () => {
  const page = {
    url: "https://ducks.example/a?b",
    title: "Ducks",
    text: "# All\n\nof them",
    next_start: null,
  };

  it("[tools.web] is the page's text, with its source above and below", () => {
    const card = show("WebPageView", page);
    expect(card.elements).toEqual([
      { type: "header", text: "Ducks", href: page.url, eyebrow: "ducks.example" },
      { type: "text", text: page.text, format: "markdown", folded: true },
      { type: "links", items: [{ label: "Open the page", href: page.url }] },
    ]);
    expect(textsOf(show("WebPageView", { ...page, next_start: 20_000 })).join("\n")).toContain(
      "part of the page",
    );
  });
});

describe("WebSearchView", () => {
  it("[tools.web] is a list of links with host, date and excerpt", () => {
    const results = [
      { title: "Ducks", url: "https://ducks.example/a", excerpt: "All of them.", published: "2 days ago" },
      { title: "Trap", url: "javascript:alert(1)", excerpt: "", published: null },
    ];
    const card = show("WebSearchView", { results }, { args: { query: "ducks", limit: 5 } });
    expect(card.title).toBe("2 pages for “ducks”");
    expect(all(card, "list")[0]?.items).toEqual([
      { text: "Ducks", href: "https://ducks.example/a", detail: "ducks.example, 2 days ago\nAll of them." },
      { text: "Trap", detail: "" },
    ]);
    const none = show("WebSearchView", { results: [] }, { args: { query: "unicorns" } });
    expect(textsOf(none)).toContain("No page matches “unicorns”.");
  });
});
