import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

import { expect, it, vi } from "vitest";

import { scoreKnowledge } from "../../../bench/knowledge/questions.ts";

vi.setConfig({ testTimeout: 240_000 });

/** A part of this repository as it was once: what is found must not depend on what else was written since. */
function frozenRepository(): string {
  const folder = mkdtempSync(join(tmpdir(), "repository-"));
  const text = readFileSync(join(import.meta.dirname, "../../fixtures/knowledge/repository.txt"), "utf8");
  for (const file of text.split(/^=== /m).slice(1)) {
    const [path = "", ...lines] = file.split("\n");
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), lines.join("\n"));
  }
  return folder;
}

it("[knowledge.quality] finds what answers a question among the first five, by words alone", async () => {
  const { questions, recall_at_5: recall, mrr, wrong } = await scoreKnowledge({}, frozenRepository());
  expect(questions).toBeGreaterThanOrEqual(80);
  expect(recall >= 0.94 ? [] : wrong).toEqual([]);
  expect(mrr).toBeGreaterThanOrEqual(0.85);
});
