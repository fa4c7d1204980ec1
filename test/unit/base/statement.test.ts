import { describe, expect, it } from "vitest";

import type { Statement } from "#contract/statement.ts";
import { askText, buttonText, doneText, groupText } from "#src/base/statement.ts";

const move: Statement = {
  verb: "Move",
  past: "Moved",
  object: { kind: "issue", label: "DEMO-4", title: "Search is slow" },
  rest: "to Done",
  changes: [{ label: "Status", before: "To Do", after: "Done" }],
  isDestructive: false,
};

describe("sentences of a statement", () => {
  it("[card.statement] say what will be done to what, and what was", () => {
    expect(askText(move)).toBe("Move DEMO-4 “Search is slow” to Done");
    expect(doneText(move)).toBe("Moved DEMO-4 “Search is slow” to Done");
    expect(buttonText(move)).toBe("Move DEMO-4");
  });

  it("[card.statement] have room for a button's words, and keep a title to one line", () => {
    const long = { ...move, object: { label: "a/very/long/path/to/some/file.md", title: "two\nlines" } };
    expect(buttonText(long)).toBe("Move");
    expect(askText(long)).toBe("Move a/very/long/path/to/some/file.md “two lines” to Done");
  });

  it("[card.statement] name what does the same, and tell the rest apart", () => {
    expect(groupText([move, { ...move, object: { kind: "issue", label: "DEMO-5" } }])).toBe(
      "Move DEMO-4 and DEMO-5 to Done",
    );
    expect(groupText([move, move, move, move])).toBe("Move DEMO-4, DEMO-4 and 2 more issues to Done");
    expect(groupText([move, { ...move, rest: "to Open" }])).toBe(
      "Move DEMO-4 to Done and move DEMO-4 to Open",
    );
    const long = { ...move, rest: `to ${"a very long state ".repeat(8)}` };
    expect(groupText([move, long])).toBe("Move DEMO-4 “Search is slow” to Done, and 1 more");
    expect(groupText([move])).toBe(askText(move));
  });
});
