import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { styleText } from "node:util";

import {
  autocomplete,
  autocompleteMultiselect,
  isCancel,
  log,
  multiselect,
  password,
  select,
  spinner,
  text,
} from "@clack/prompts";

import type { SetupOption as Option, SetupTelling as Telling } from "#contract/setup.ts";
import { wrap } from "#adapters/console/render/layout.ts";
import { plainLine, plainText } from "#src/base/text.ts";

import { SetupLeft, type Surface } from "./surface.ts";

/** More options than that are searched by typing. */
const MOST_LISTED = 10;

/** Asks in a terminal. What comes from files, servers and platforms is shown without what a terminal obeys. */
export function createTerminalSurface(): Surface & { close(): void } {
  const links = createShortLinks();

  function help(about: string | undefined): void {
    if (about !== undefined) log.message(lines(about), { symbol: " " });
  }

  return {
    next: "Start it with: npm start",
    close: () => links.close(),
    async text({ title, help: about, initial, placeholder, check }) {
      help(about);
      const answer = await text({
        message: plainLine(title),
        ...(placeholder === undefined ? {} : { placeholder }),
        ...(initial === undefined ? {} : { initialValue: initial }),
        validate: (value) => {
          const given = (value ?? "").trim();
          if (given === "" && initial === undefined) return "Something has to stand here; Ctrl+C leaves.";
          return check?.(given);
        },
      });
      return taken(answer).trim();
    },
    async secret({ title, help: about, isSet, check }) {
      help(about);
      const answer = taken(
        await password({
          message: `${plainLine(title)}${isSet ? " (Enter keeps the one that is there)" : ""}`,
          validate: (value) => {
            const given = (value ?? "").trim();
            if (given === "") return isSet ? undefined : "Something has to stand here; Ctrl+C leaves.";
            return check?.(given);
          },
        }),
      );
      // Enter alone gives nothing at all.
      const given = ((answer as string | undefined) ?? "").trim();
      return given === "" ? undefined : given;
    },
    async choice({ title, help: about, options, initial }) {
      help(about);
      const common = { message: plainLine(title), options: options.map(plain), initialValue: initial };
      return taken(
        options.length > MOST_LISTED
          ? await autocomplete({ ...common, placeholder: "type a name", maxItems: MOST_LISTED })
          : await select(common),
      );
    },
    async choices({ title, help: about, options, initial }) {
      help(about);
      const common = {
        message: `${plainLine(title)} (${options.length > MOST_LISTED ? "Tab" : "Space"} chooses, Enter goes on)`,
        options: options.map(plain),
        initialValues: [...initial],
        required: false,
      };
      return taken(
        options.length > MOST_LISTED
          ? await autocompleteMultiselect({ ...common, placeholder: "type a name", maxItems: MOST_LISTED })
          : await multiselect(common),
      );
    },
    tell: (kind, said) => tell(kind, kind === "change" ? plainText(said) : lines(said)),
    async link(title, url) {
      log.message(`${lines(title)}\n${await links.shorten(url)}`, { symbol: " " });
    },
    async work(title, work) {
      const turning = spinner({ withGuide: true });
      turning.start(plainLine(title));
      try {
        const result = await work((how) => turning.message(`${plainLine(title)}: ${plainLine(how)}`));
        turning.stop(plainLine(title));
        return result;
      } catch (error) {
        turning.error(plainLine(title));
        throw error;
      }
    },
  };
}

/** What clack puts before a line. */
const MARGIN = 4;

function lines(said: string): string {
  return wrap(plainLine(said), (process.stdout.columns || 80) - MARGIN).join("\n");
}

function taken<Answer>(answer: Answer): Exclude<Answer, symbol> {
  if (isCancel(answer)) throw new SetupLeft();
  return answer as Exclude<Answer, symbol>;
}

function plain({ value, label, hint }: Option): { value: string; label: string; hint?: string } {
  return { value, label: plainLine(label), ...(hint === undefined ? {} : { hint: plainLine(hint) }) };
}

function tell(kind: Telling, said: string): void {
  switch (kind) {
    case "step":
      return log.step(styleText("bold", said));
    case "good":
      return log.success(said);
    case "bad":
      return log.warn(said);
    case "change":
    case "guide":
    case "info":
    default:
      return log.message(said, { symbol: " ", spacing: 0 });
  }
}

/** An address of thousands of characters cannot be clicked in a terminal: one of this machine leads there. */
function createShortLinks(): { shorten(url: string): Promise<string>; close(): void } {
  const MOST_SHOWN = 200;
  const urls: string[] = [];
  const server = createServer((request, response) => {
    const url = urls[Number(request.url?.slice(1))];
    if (url === undefined) response.writeHead(404).end();
    else response.writeHead(302, { location: url }).end();
  });
  server.unref();
  return {
    async shorten(url) {
      if (url.length <= MOST_SHOWN) return url;
      const at = urls.push(url) - 1;
      if (!server.listening) await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
      return `http://127.0.0.1:${(server.address() as AddressInfo).port}/${at}`;
    },
    close: () => void server.close(),
  };
}
