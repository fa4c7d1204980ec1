import { open, realpath, rename, rm, stat } from "node:fs/promises";
import { dirname } from "node:path";

import { codeOf } from "#src/base/errors.ts";
import { syncFolder } from "#src/base/private-files.ts";

/**
 * Writes the whole file or nothing, so that it is there after a power cut as well; a link stays a link. `mode` is what
 * it gets, and without it what it has.
 */
export async function writeWhole(file: string, text: string, mode?: number): Promise<void> {
  const real = await realpath(file).catch((error: unknown) => {
    if (codeOf(error) === "ENOENT") return file;
    throw error;
  });
  const rights = mode ?? (await stat(real)).mode;
  const temporary = `${real}.${process.pid}.tmp`;
  const handle = await open(temporary, "w", rights);
  try {
    // What the umask took away.
    await handle.chmod(rights & 0o777);
    await handle.writeFile(text);
    await handle.sync();
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  } finally {
    await handle.close();
  }
  await rename(temporary, real);
  syncFolder(dirname(real));
}
