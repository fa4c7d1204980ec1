import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

import { onTestFinished } from "vitest";

import { runJob } from "#servers/knowledge/ingest/run-job.ts";
import type { SourceDefinition } from "#servers/knowledge/ingest/sources.ts";
import type { Embedder } from "#servers/knowledge/service/embeddings.ts";
import { type Index, openIndex } from "#servers/knowledge/service/index-store.ts";
import type { Job, JobMode } from "#servers/knowledge/service/jobs.ts";
import { createService, type KnowledgeService } from "#servers/knowledge/service/service.ts";

/** A folder with these files that goes with the test. */
export function folderOf(files: Record<string, string | Uint8Array> = {}): string {
  const folder = mkdtempSync(join(tmpdir(), "knowledge-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  writeFiles(folder, files);
  return folder;
}

export function writeFiles(folder: string, files: Record<string, string | Uint8Array>): void {
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content);
  }
}

export interface Library {
  /** The data folder. */
  folder: string;
  index: Index;
  service: KnowledgeService;
  ingest: (source: Partial<SourceDefinition> & Pick<SourceDefinition, "type">, more?: Ingest) => Promise<Job>;
}

export interface Opened {
  embedder?: Embedder | undefined;
  /** Of a Postgres. */
  url?: string;
  env?: NodeJS.ProcessEnv;
}

interface Ingest {
  organisation?: string;
  mode?: JobMode;
  isConfigured?: boolean;
}

/** An empty index in a folder of its own, or in an empty Postgres database. */
export async function openLibrary({ embedder, url = "", env = {} }: Opened = {}): Promise<Library> {
  const folder = env.COUNTERSIGN_DATA ?? folderOf();
  const index = await openIndex({ COUNTERSIGN_DATA: folder, KNOWLEDGE_DATABASE_URL: url });
  onTestFinished(() => index.close());
  return {
    folder,
    index,
    service: createService(index, embedder),
    ingest: (source, { organisation = "acme", mode = "incremental", isConfigured = false } = {}) =>
      runJob({
        index,
        embedder,
        env: { ...env, COUNTERSIGN_DATA: folder },
        organisation,
        source: { include: [], exclude: [], spaces: [], channels: [], ...source },
        mode,
        isConfigured,
        signal: new AbortController().signal,
      }),
  };
}

/** A PDF of one page that says this. */
export function pdfOf(text: string): Uint8Array {
  const stream = `BT /F1 24 Tf 72 720 Td (${text}) Tj ET`;
  const objects = [
    "<< /Type /Catalog /Pages 2 0 R >>",
    "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
    "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>",
    `<< /Length ${stream.length} >>\nstream\n${stream}\nendstream`,
    "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
  ];
  let file = "%PDF-1.4\n";
  const offsets = objects.map((body, at) => {
    const offset = file.length;
    file += `${at + 1} 0 obj\n${body}\nendobj\n`;
    return offset;
  });
  const table = offsets.map((offset) => `${String(offset).padStart(10, "0")} 00000 n \n`).join("");
  file += `xref\n0 6\n0000000000 65535 f \n${table}trailer\n<< /Size 6 /Root 1 0 R >>\nstartxref\n${file.length}\n%%EOF\n`;
  return Buffer.from(file, "latin1");
}
