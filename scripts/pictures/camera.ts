import { mkdir, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

import { type Browser, type BrowserContextOptions, type Locator, type Page } from "playwright-core";

export const root: string = fileURLToPath(new URL("../../", import.meta.url));

/** A picture that is larger makes the README slow to open. */
const MAX_BYTES = 300_000;
/** Of a sheet of many pictures, which is opened alone. */
const MAX_SHEET_BYTES = 900_000;

export async function openPage(browser: Browser, options: BrowserContextOptions): Promise<Page> {
  const context = await browser.newContext({ reducedMotion: "reduce", locale: "en-GB", ...options });
  return context.newPage();
}

export interface Clip {
  x: number;
  y: number;
  width: number;
  height: number;
}

/** Writes what a page shows, or a part of it, to `docs/FILE`. */
export async function take(page: Page, file: string, clip?: Clip): Promise<void> {
  const path = join(root, "docs", file);
  await mkdir(dirname(path), { recursive: true });
  const part = clip === undefined ? {} : { clip };
  const isSheet = path.endsWith(".jpg");
  const format = isSheet ? ({ type: "jpeg", quality: 65 } as const) : {};
  await page.screenshot({ path, animations: "disabled", caret: "hide", ...part, ...format });
  const { size } = await stat(path);
  const most = isSheet ? MAX_SHEET_BYTES : MAX_BYTES;
  if (size > most)
    throw new Error(`docs/${file}: expected at most ${most} bytes, got ${size}; make the view smaller`);
  console.log(`docs/${file}: ${Math.round(size / 1000)} KB`);
}

const MOST_LOOKS = 5;

/** What a list shows, from its first entry to its last, where all of it fits the window. */
export async function clipOf(list: Locator): Promise<Clip> {
  let [first, last]: (Clip | null | undefined)[] = [];
  // Between two looks the list may be drawn anew, and what was found is gone.
  for (let look = 0; look < MOST_LOOKS && (first == null || last == null); look += 1) {
    const entries = await list.locator(":scope > *").all();
    const boxes = await Promise.all(entries.map((entry) => entry.boundingBox()));
    [first, last] = [boxes[0], boxes.at(-1)];
  }
  if (first == null || last == null) throw new Error("expected something to be shown, found nothing");
  return { x: first.x, y: first.y, width: first.width, height: last.y + last.height - first.y };
}
