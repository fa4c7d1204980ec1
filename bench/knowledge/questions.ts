// npm run eval knowledge            how well the knowledge server finds what answers a question, by words alone
// KNOWLEDGE_DATABASE_URL=postgres://… has it indexed in an empty Postgres database
// npm run eval knowledge -- --wrong prints what was not found among the first five
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { parse } from "yaml";

import { runJob } from "#servers/knowledge/ingest/run-job.ts";
import type { SourceDefinition } from "#servers/knowledge/ingest/sources.ts";
import { openIndex } from "#servers/knowledge/service/index-store.ts";
import { createService, type KnowledgeService } from "#servers/knowledge/service/service.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const ORGANISATION = "demo";

export interface Score {
  questions: number;
  /** Of all questions, how many have a source among the first five. */
  recall_at_5: number;
  /** Mean reciprocal rank of the first source among ten. */
  mrr: number;
  wrong: string[];
}

type Question = [question: string, sources: string | string[]];

/**
 * Indexes the demo and this repository, or what else is given as `repository`, as the demo configuration says, and asks
 * every question.
 */
export async function scoreKnowledge(env: NodeJS.ProcessEnv = {}, repository = root): Promise<Score> {
  const folder = mkdtempSync(join(tmpdir(), "knowledge-eval-"));
  const index = await openIndex({ ...env, COUNTERSIGN_DATA: folder });
  try {
    const config = parse(readFileSync(join(root, "config/countersign.yaml"), "utf8")) as {
      knowledge: { sources: (Partial<SourceDefinition> & { organisations: string[] })[] };
    };
    for (const { organisations: _, ...given } of config.knowledge.sources) {
      const base = { type: "git" as const, include: [], exclude: [], spaces: [], channels: [], ...given };
      const source = given.path === undefined ? base : { ...base, path: join(repository, given.path) };
      await runJob({
        index,
        embedder: undefined,
        env: { COUNTERSIGN_DATA: folder },
        organisation: ORGANISATION,
        source,
        mode: "incremental",
        signal: new AbortController().signal,
      });
    }
    const text = readFileSync(join(root, "test/fixtures/knowledge/questions.yaml"), "utf8");
    return await ask(createService(index, undefined), parse(text) as Question[]);
  } finally {
    await index.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function ask(service: KnowledgeService, questions: Question[]): Promise<Score> {
  const wrong: string[] = [];
  let [found, reciprocal] = [0, 0];
  for (const [query, sources] of questions) {
    const { results } = await service.query({ query, org_id: ORGANISATION });
    const wanted = [sources].flat();
    const rank = results.findIndex(({ source_id: id }) =>
      wanted.some((source) => id === source || (source.includes("/") && id.startsWith(source))),
    );
    if (rank !== -1) reciprocal += 1 / (rank + 1);
    if (rank !== -1 && rank < 5) found += 1;
    else
      wrong.push(
        `${query}\n    wanted ${wanted.join(", ")}\n    got ${results
          .slice(0, 5)
          .map((hit) => hit.source_id)
          .join(", ")}`,
      );
  }
  const { length } = questions;
  return { questions: length, recall_at_5: found / length, mrr: reciprocal / length, wrong };
}

/** Prints the score, and with `isWrong` what was not found among the first five. */
export async function printKnowledge(isWrong: boolean): Promise<void> {
  const { questions, recall_at_5: recall, mrr, wrong } = await scoreKnowledge(process.env);
  console.log(`${questions} questions, by words alone: recall@5 ${recall.toFixed(3)}, MRR ${mrr.toFixed(3)}`);
  if (isWrong) console.log(wrong.join("\n"));
}
