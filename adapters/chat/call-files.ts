import type { Core } from "#contract/core.ts";
import type { TurnView } from "#contract/present.ts";

/** A file to be uploaded. */
export interface CallUpload {
  filename: string;
  file: Buffer;
  title: string;
}

/** How much of what a turn's calls brought a platform takes. */
export interface FileLimits {
  most: number;
  /** Of one file. */
  bytes: number;
  /** Of all of them. */
  allBytes: number;
}

interface Brought {
  filename: string;
  bytes: number;
  /** Absent where the store did not keep it. */
  id?: string;
}

/**
 * The files that the calls of a turn brought, as they are uploaded: a name that repeats gets its call's tool.
 * `left`: what the platform does not take.
 */
export function callFiles(
  view: Pick<TurnView, "results">,
  limits: FileLimits,
): { attached: { id: string; filename: string }[]; left: Brought[] } {
  const attached: { id: string; filename: string }[] = [];
  const left: Brought[] = [];
  let bytes = limits.allBytes;
  for (const file of namedFiles(view)) {
    const { id, filename } = file;
    const fits = attached.length < limits.most && file.bytes <= Math.min(bytes, limits.bytes);
    if (id === undefined || !fits) left.push(file);
    else {
      attached.push({ id, filename });
      bytes -= file.bytes;
    }
  }
  return { attached, left };
}

function namedFiles({ results }: Pick<TurnView, "results">): Brought[] {
  const taken = new Set<string>();
  return results
    .flatMap(({ files = [], toolId }) => files.map((file) => ({ ...file, toolId })))
    .map(({ id, name, bytes, toolId }, index) => {
      const filename = taken.has(name) ? `${toolId}-${index + 1}-${name}` : name;
      taken.add(filename);
      return { filename, bytes, ...(id === undefined ? {} : { id }) };
    });
}

/** So many are named; the others are counted. */
const NAMED = 5;

/** What to say of files that are not attached; undefined where all are. */
export function leftWords(left: readonly Brought[]): string | undefined {
  if (left.length === 0) return undefined;
  const named = left.slice(0, NAMED).map(({ filename, bytes }) => `${filename} (${sizeText(bytes)})`);
  const more = left.length > NAMED ? ` and ${left.length - NAMED} more` : "";
  return `Not attached, as too large or too many: ${named.join(", ")}${more}. The playground has what was kept.`;
}

function sizeText(bytes: number): string {
  if (bytes < 1_000) return `${bytes} bytes`;
  return bytes < 1_000_000 ? `${Math.round(bytes / 1_000)} kB` : `${Math.round(bytes / 100_000) / 10} MB`;
}

/** The bytes of those files; what the store does not have any more is left out. */
export async function readCallFiles(
  names: readonly { id: string; filename: string }[],
  core: Pick<Core, "file">,
): Promise<CallUpload[]> {
  const read = await Promise.all(
    names.map(async ({ id, filename }): Promise<CallUpload[]> => {
      const stored = await core.file(id);
      return stored === undefined ? [] : [{ filename, file: Buffer.from(stored.data), title: filename }];
    }),
  );
  return read.flat();
}
