import { fromAdf, toAdf } from "../kit/adf.ts";
import { adfToStorage } from "./adf-to-storage.ts";
import { storageToAdf } from "./storage-to-adf.ts";

/** Markdown to Confluence's storage format, always well-formed XML. Never throws. */
export function toStorage(markdown: string): string {
  return adfToStorage(toAdf(markdown));
}

/** Confluence's storage format, or a wreck of it, to markdown. Never throws. */
export function fromStorage(storage: string): string {
  return fromAdf(storageToAdf(storage));
}
