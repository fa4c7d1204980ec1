import { execFile } from "node:child_process";
import { cp, mkdir, mkdtemp, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

import { z } from "zod";

export const root: string = fileURLToPath(new URL("../../../", import.meta.url));

const Report = z.object({ diagnostics: z.array(z.object({ code: z.string(), filename: z.string() })) });

/**
 * Lints files (path to text) in a fresh folder under this project's rules. Gives the codes reported
 * for each file that has any, such as `eslint(no-restricted-imports)`.
 */
export async function lint(
  files: Readonly<Record<string, string>>,
  ...options: string[]
): Promise<Map<string, Set<string>>> {
  const folder = await mkdtemp(join(tmpdir(), "lint-"));
  for (const name of ["oxlint.config.ts", "tsconfig.json", "package.json"]) {
    await cp(join(root, name), join(folder, name));
  }
  // The type-aware rules are a package of their own, looked for from the linted folder.
  await symlink(join(root, "node_modules"), join(folder, "node_modules"));
  for (const [file, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, file)), { recursive: true });
    await writeFile(join(folder, file), text);
  }
  const found = new Map<string, Set<string>>();
  for (const { code, filename } of Report.parse(JSON.parse(await oxlint(folder, options))).diagnostics) {
    found.set(filename, (found.get(filename) ?? new Set()).add(code));
  }
  return found;
}

/** What oxlint prints; it exits with 1 when it finds something. */
async function oxlint(cwd: string, options: string[]): Promise<string> {
  const args = [join(root, "node_modules/oxlint/bin/oxlint"), "--format=json", ...options];
  return new Promise((resolve, reject) => {
    execFile(process.execPath, args, { cwd, maxBuffer: 64 * 1024 * 1024 }, (error, stdout, stderr) => {
      if (error !== null && error.code !== 1)
        reject(new Error(`oxlint: ${stderr || stdout}`, { cause: error }));
      else resolve(stdout);
    });
  });
}
