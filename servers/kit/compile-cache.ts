import { enableCompileCache } from "node:module";
import { fileURLToPath } from "node:url";

/**
 * Most of a server's start is compiling, and it may be started for every call: what one process compiled,
 * the next one reads. Imports are compiled first, so the program itself is imported after this.
 */
export function useCompileCache(): void {
  enableCompileCache(fileURLToPath(new URL("../../node_modules/.cache/compile", import.meta.url)));
}
