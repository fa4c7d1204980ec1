/** What `npm run build` has made, as `dist/current.json` says it. */
export interface Bundle {
  /** Below `dist`, with one file for each program. */
  folder: string;
  /** The files that it was made of, by path from the project's root. */
  sources: Record<string, [bytes: number, modifiedMs: number]>;
}

export function launch(program: string, sources: () => Promise<unknown>): Promise<void>;
export function bundleOf(root: string, program: string): string | undefined;
