import { messageOf } from "#src/base/errors.ts";
import { type OllamaState, pullModel, readOllama, withTag } from "#src/model/ollama.ts";

import { sizeText } from "../../checks/finding.ts";
import { askModel, fits, isOnThisMachine } from "../../checks/model.ts";
import type { Setup, Step } from "../step.ts";
import type { SetupOption as Option } from "#contract/setup.ts";

/** Models that plan well, with the size of what is fetched; docs/models.md has more on them. */
const KNOWN: readonly { name: string; bytes: number; about: string }[] = [
  { name: "qwen3:4b-instruct", bytes: 2.6e9, about: "the usual choice, also without a graphics card" },
  { name: "qwen3:8b", bytes: 5.2e9, about: "understands more, slower" },
  { name: "qwen3:14b", bytes: 9.3e9, about: "for a machine with a graphics card" },
  { name: "qwen3:30b-instruct", bytes: 18.6e9, about: "for a large graphics card" },
];

const BUILTIN: Option = {
  value: "builtin",
  label: "No model",
  hint: "answers at once and makes nothing up; reads English, and does not summarise",
};

export const model: Step = {
  id: "model",
  title: "The model: what understands requests",
  async run(setup) {
    const { surface, draft } = setup;
    const { settings } = draft;
    const { provider } = settings.model;
    if (provider === "gemini" || provider === "openai") {
      const label = `Keep ${provider === "gemini" ? "Gemini" : "the OpenAI-compatible server"}`;
      const options = [
        { value: "keep", label },
        { value: "ollama", label: "A model on a machine of ours, by Ollama" },
        BUILTIN,
      ];
      const chosen = await surface.choice({
        id: "model.provider",
        title: "What shall plan?",
        options,
        initial: "keep",
      });
      if (chosen === "keep") return;
      if (chosen === "builtin") return draft.set(["model", "provider"], "builtin");
    }
    const found = await findOllama(setup, settings.model.ollama.base_url);
    if (found === undefined) {
      // With auto the model plans as soon as it is there.
      if (provider !== "auto") draft.set(["model", "provider"], "builtin");
      return;
    }
    const name = await chooseModel(setup, found);
    if (name === undefined) return draft.set(["model", "provider"], "builtin");
    if (provider !== "auto" && provider !== "ollama") draft.set(["model", "provider"], "auto");
    draft.set(["model", "ollama", "model"], name);
    if (found.host !== settings.model.ollama.base_url) {
      draft.bind(["model", "ollama", "base_url"], "OLLAMA_HOST");
      draft.setVariables({ OLLAMA_HOST: found.host });
    }
  },
};

interface Found {
  host: string;
  state: OllamaState;
}

/** Undefined: no model is wanted. */
async function findOllama({ surface }: Setup, first: string): Promise<Found | undefined> {
  for (let host = first; ;) {
    const state = await surface.work(`Looking for Ollama at ${host}`, () =>
      readOllama(host).catch(() => undefined),
    );
    if (state !== undefined) {
      surface.tell("good", `Ollama ${state.version} answers at ${host}.`);
      return { host, state };
    }
    const chosen = await surface.choice({
      id: "model.ollama",
      title: `Ollama does not answer at ${host}.`,
      help: "Ollama runs models on a machine of your own, so that nothing you ask leaves it. Get it from https://ollama.com/download, start it, then look again.",
      options: [
        { value: "again", label: "Look again" },
        { value: "address", label: "It runs on another machine" },
        { ...BUILTIN, label: "Go on without a model for now" },
      ],
      initial: "builtin",
    });
    if (chosen === "builtin") return undefined;
    if (chosen !== "address") continue;
    const typed = await surface.text({
      id: "model.address",
      title: "Where does Ollama answer?",
      placeholder: "http://192.168.1.20:11434",
      check: (answer) =>
        URL.canParse(withScheme(answer)) ? undefined : "An address such as http://192.168.1.20:11434",
    });
    host = withScheme(typed);
  }
}

function withScheme(address: string): string {
  const whole = /^https?:\/\//.test(address) ? address : `http://${address}`;
  return whole.replace(/\/+$/, "");
}

/** A model that answers; undefined: none is wanted. */
async function chooseModel(
  { surface, draft, machine }: Setup,
  { host, state }: Found,
): Promise<string | undefined> {
  const isHere = isOnThisMachine(host);
  const today = draft.settings.model.ollama.model;
  const names = new Set([...KNOWN.map(({ name }) => withTag(name)), withTag(today)]);
  const there = new Map(state.models.map(({ name, bytes }) => [name, bytes]));
  const others = state.models.filter(({ name }) => !names.has(name) && !/embed/.test(name));
  const candidates = [...KNOWN, ...others.map((one) => ({ ...one, about: "" }))].filter(
    ({ bytes }) => !isHere || fits(bytes, machine),
  );
  const options = candidates.map(({ name, bytes, about }): Option => {
    const how = there.has(withTag(name)) ? "is there" : `fetches ${sizeText(bytes)}`;
    return { value: name, label: name, hint: about === "" ? how : `${about}; ${how}` };
  });
  const initial =
    [today, KNOWN[0]?.name ?? ""].find((name) => options.some(({ value }) => value === name)) ?? "builtin";
  for (;;) {
    const memory = isHere
      ? `This machine has ${sizeText(machine.memoryBytes)} of memory; larger models are left out.`
      : "";
    const name = await surface.choice({
      id: "model.name",
      title: "Which model shall plan?",
      help: `It chooses which tool to use for what somebody asks. ${memory}`.trim(),
      options: [...options, BUILTIN],
      initial,
    });
    if (name === "builtin") return undefined;
    try {
      if (!there.has(withTag(name)))
        await surface.work(`Fetching ${name}`, (tell) =>
          pullModel(
            host,
            name,
            ({ status, completed, total }) =>
              tell(
                completed === undefined || !total
                  ? status
                  : `${Math.floor((completed / total) * 100)} % of ${sizeText(total)}`,
              ),
            new AbortController().signal,
          ),
        );
      there.set(withTag(name), 0);
    } catch (error) {
      surface.tell("bad", messageOf(error));
      continue;
    }
    const { ollama, ...rest } = draft.settings.model;
    const tried = await surface.work(`Asking ${name} for a word, which loads it`, () =>
      askModel({ ...rest, ollama: { ...ollama, base_url: host, model: name } }, "ollama"),
    );
    surface.tell(tried.status === "ok" ? "good" : "bad", tried.message);
    if (tried.status === "ok") return name;
  }
}
