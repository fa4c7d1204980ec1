import type { Core } from "#contract/core.ts";
import type { TurnView } from "#contract/present.ts";

/** A file to be uploaded. */
export interface CallUpload {
  filename: string;
  file: Buffer;
  title: string;
}

/** Of one turn. */
const MOST_FILES = 10;

/** Names of the files that the calls of a turn brought, as they are uploaded: a name that repeats gets its call's tool. */
export function callFileNames({ results }: TurnView): { id: string; filename: string }[] {
  const taken = new Set<string>();
  return results
    .flatMap(({ files = [], toolId }) => files.map((file) => ({ ...file, toolId })))
    .flatMap(({ id, name, toolId }, index) => {
      if (id === undefined) return [];
      const filename = taken.has(name) ? `${toolId}-${index + 1}-${name}` : name;
      taken.add(filename);
      return [{ id, filename }];
    })
    .slice(0, MOST_FILES);
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
