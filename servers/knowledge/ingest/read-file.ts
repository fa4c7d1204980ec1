import { createHash } from "node:crypto";
import { open } from "node:fs/promises";
import { basename, join } from "node:path";
import { Worker } from "node:worker_threads";

import { messageOf } from "../../kit/tool.ts";
import { toMarkdown } from "../../web/to-markdown.ts";
import type { Chunk, Document } from "../service/index-store.ts";
import { chunkCode } from "./code-chunks.ts";
import { type CodeReaders, languageOf } from "./code-language.ts";
import { withoutSecrets } from "./secrets.ts";
import { chunkMarkdown, chunkText, type Piece } from "./text-chunks.ts";

/** The largest files that are read, in bytes. */
const MOST_BYTES = 1_000_000;
const MOST_PDF_BYTES = 20_000_000;
/** Data in JSON and YAML beyond this is no code that people read. */
const MOST_DATA_BYTES = 60_000;
/** Text with longer lines than that on average was made by a program. */
const MOST_LINE_CHARS = 400;
const PDF_MS = 30_000;

export type Reading =
  | { kind: "document"; document: Document; secrets: number }
  | { kind: "unchanged" }
  /** Why it is not indexed, as it is counted. */
  | { kind: "skipped"; reason: string };

const TEXT = /\.(?:md|mdx|markdown|rst|txt|adoc)$/i;
const HTML = /\.x?html?$/i;
const PDF = /\.pdf$/i;

/** Languages whose values need no quotes, or that hold settings alone. */
const SETTINGS = new Set([
  "yaml",
  "toml",
  "ini",
  "json",
  "bash",
  "powershell",
  "dockerfile",
  "makefile",
  "hcl",
]);

export interface FileReader {
  /** Name of the source. */
  repo: string;
  /** Written pages alone, or code as well. */
  isDocs: boolean;
  code: CodeReaders;
}

/** A file of a source. */
export interface SourceFile {
  path: string;
  /** Another one for another content, where that is known before it is read. */
  stamp?: string;
  /** Its content; undefined where that has more bytes. Rejects where it cannot be read. */
  read: (most: number) => Promise<Buffer | undefined>;
}

/** Whether a file of this name may be indexed at all. */
export function isReadable(path: string, isDocs: boolean): boolean {
  if (TEXT.test(path) || HTML.test(path) || PDF.test(path)) return true;
  return !isDocs && languageOf(path) !== undefined;
}

/** Reads one file into a document. Rejects where it cannot be read. */
export async function readDocument(
  { path, stamp, read }: SourceFile,
  knownHash: string | undefined,
  reader: FileReader,
  signal: AbortSignal,
): Promise<Reading> {
  const hashOf = (content: string | Buffer): string =>
    createHash("sha256").update(`${VERSION}\n${reader.repo}\n`).update(content).digest("base64url");
  if (stamp !== undefined && hashOf(stamp) === knownHash) return { kind: "unchanged" };
  const bytes = await read(PDF.test(path) ? MOST_PDF_BYTES : MOST_BYTES);
  if (bytes === undefined) return { kind: "skipped", reason: "too large" };
  const hash = hashOf(stamp ?? bytes);
  if (hash === knownHash) return { kind: "unchanged" };
  if (PDF.test(path)) {
    if (!bytes.subarray(0, 1024).includes("%PDF-")) return { kind: "skipped", reason: "binary" };
    const clean = withoutSecrets(await pdfText(bytes, signal), "prose");
    const pieces = chunkText(clean.text).map((text) => ({ headings: [], text }));
    return pages(path, hash, { pieces, secrets: clean.found }, reader);
  }
  const text = toText(bytes);
  if (text === undefined) return { kind: "skipped", reason: "binary" };
  if (text.trim() === "") return { kind: "skipped", reason: "empty" };
  if (HTML.test(path)) {
    // Before as well: Markdown has signs of its own within tokens.
    const clean = withoutSecrets(text, "prose");
    const page = await toMarkdown({ html: clean.text, url: "https://file.invalid/" }, signal);
    const [title, markdown] = [page.title, page.markdown].map((part) => withoutSecrets(part, "prose"));
    const secrets = clean.found + (title?.found ?? 0) + (markdown?.found ?? 0);
    return pages(path, hash, { pieces: chunkMarkdown(markdown?.text ?? ""), secrets }, reader, title?.text);
  }
  if (TEXT.test(path)) {
    const clean = withoutSecrets(text, "prose");
    return pages(path, hash, { pieces: chunkMarkdown(clean.text), secrets: clean.found }, reader);
  }
  return code(path, hash, text, reader);
}

/** Changes when files are read in another way, so that all are read anew. */
const VERSION = 3;

/** What is in a file; undefined where that has more bytes. */
export async function readBounded(path: string, most: number): Promise<Buffer | undefined> {
  const file = await open(path, "r");
  try {
    const { size } = await file.stat();
    return size > most ? undefined : await file.readFile();
  } finally {
    await file.close();
  }
}

/** UTF-8, or UTF-16 that says so; undefined for what is no text. */
function toText(bytes: Buffer): string | undefined {
  const isUtf16 = bytes.length > 1 && (bytes.readUInt16BE(0) === 0xfffe || bytes.readUInt16BE(0) === 0xfeff);
  if (!isUtf16 && bytes.subarray(0, 8192).includes(0)) return undefined;
  try {
    const encoding = isUtf16 ? (bytes[0] === 0xff ? "utf-16le" : "utf-16be") : "utf-8";
    return new TextDecoder(encoding, { fatal: true }).decode(bytes).replaceAll("\r\n", "\n");
  } catch {
    return undefined;
  }
}

/** A document of pieces that have no secrets any more: cut in two, one is not known by how it looks. */
function pages(
  path: string,
  hash: string,
  { pieces, secrets }: { pieces: Piece[]; secrets: number },
  { repo }: FileReader,
  named?: string,
): Reading {
  const title = named || pieces.find(({ headings }) => headings.length > 0)?.headings[0] || basename(path);
  const chunks = pieces.map(({ headings, text }, at): Chunk => {
    const section = headings.filter((heading) => heading !== title).join(" > ");
    return {
      type: "docs",
      source_id: `${repo}/${path}#${at}`,
      title: [title, section, path].filter((part) => part !== "").join(" "),
      content: text,
      metadata: {
        page_id: `${repo}/${path}`,
        page_title: title,
        section,
        space: repo,
        labels: [],
        version: null,
        last_modified: null,
        chunk_index: at,
        repo,
        file_path: path,
      },
      facets: [`space:${repo}`],
    };
  });
  if (chunks.length === 0) return { kind: "skipped", reason: "empty" };
  return { kind: "document", secrets, document: { path, hash, chunks, definitions: [], relations: [] } };
}

async function code(
  path: string,
  hash: string,
  text: string,
  { repo, code: readers }: FileReader,
): Promise<Reading> {
  const language = languageOf(path) ?? "text";
  const isData = ["json", "yaml", "toml"].includes(language);
  const lines = text.split("\n").length;
  if ((isData && text.length > MOST_DATA_BYTES) || text.length / lines > MOST_LINE_CHARS)
    return { kind: "skipped", reason: "made by a program" };
  const clean = withoutSecrets(text, SETTINGS.has(language) ? "settings" : "code");
  const { pieces, definitions, relations } = chunkCode(clean.text, path, await readers(language));
  const times = new Map<string, number>();
  const chunks = pieces.map(({ name, kind, start, end, text: content }): Chunk => {
    const part = name || kind;
    const time = (times.get(part) ?? 0) + 1;
    times.set(part, time);
    return {
      type: "code",
      // By its name and not by its line, which changes with what stands above it.
      source_id: `${repo}/${path}#${part}${time === 1 ? "" : `~${time}`}`,
      title: `${path} ${name}`.trim(),
      content,
      metadata: { repo, file_path: path, language, name, chunk_type: kind, line_start: start, line_end: end },
      facets: [`language:${language}`],
    };
  });
  return { kind: "document", secrets: clean.found, document: { path, hash, chunks, definitions, relations } };
}

/** The text of a PDF, read in a thread of its own: a hostile one can keep the reader busy for minutes. */
function pdfText(bytes: Buffer, signal: AbortSignal): Promise<string> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(join(import.meta.dirname, "pdf-worker.ts"), {
      workerData: new Uint8Array(bytes),
      resourceLimits: { maxOldGenerationSizeMb: 256 },
      stderr: true,
      stdout: true,
    });
    const limit = AbortSignal.any([signal, AbortSignal.timeout(PDF_MS)]);
    const stop = (): void => void worker.terminate();
    limit.addEventListener("abort", stop);
    if (limit.aborted) stop();
    worker.once("message", (text: string) => resolve(text));
    worker.once("error", (error) => reject(new Error(`the PDF cannot be read: ${messageOf(error)}`)));
    worker.once("exit", () => {
      limit.removeEventListener("abort", stop);
      reject(new Error(`the PDF took longer than ${PDF_MS / 1000} s, or more memory than any document does`));
    });
  });
}
