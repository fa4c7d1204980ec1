// @ts-check
import { actorName } from "./actor.js";
import { request } from "./api.js";
import { announce, part } from "./dom.js";

const box = /** @type {HTMLTextAreaElement} */ (part(document, "#message"));
const list = part(document, "#completion");

/** @typedef {{ text: string, about: string, args: { name: string, required: boolean }[] }} Command */

/**
 * The message box: Enter sends, `/` completes commands, the arrow up brings what was said before.
 * @param {(text: string) => Promise<void>} send
 */
export function watchComposer(send) {
  const form = /** @type {HTMLFormElement} */ (part(document, "#composer"));
  const completion = createCompletion();
  /** How many messages back the box shows; 0: what is being written. */
  let back = 0;
  let draft = "";

  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const text = box.value;
    if (text.trim() === "") return;
    back = 0;
    set("");
    void send(text);
  });

  box.addEventListener("keydown", (event) => {
    if (event.isComposing) return;
    if (completion.take(event)) return;
    if (event.key === "Enter" && !event.shiftKey) {
      event.preventDefault();
      form.requestSubmit();
    } else if (event.key === "ArrowUp" || event.key === "ArrowDown") recall(event);
  });
  box.addEventListener("input", () => {
    back = 0;
    fit();
    void completion.show();
  });
  box.addEventListener("blur", () => completion.close());

  document.addEventListener("keydown", (event) => {
    const isTyping = event.target instanceof Element && event.target.matches("input, textarea, select");
    if (event.key !== "/" || isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
    if (document.querySelector("dialog[open]") !== null) return;
    event.preventDefault();
    box.focus();
    if (box.value !== "") return;
    set("/");
    void completion.show();
  });

  /** Only from the first or last line, where the arrow would move nothing. @param {KeyboardEvent} event */
  function recall(event) {
    const isUp = event.key === "ArrowUp";
    if (event.shiftKey || event.altKey || event.ctrlKey || event.metaKey) return;
    if (back === 0 && (!isUp || box.value !== "")) return;
    const rest = isUp ? box.value.slice(0, box.selectionStart) : box.value.slice(box.selectionEnd);
    if (rest.includes("\n")) return;
    const said = ownMessages();
    const next = back + (isUp ? 1 : -1);
    if (next > said.length) return;
    event.preventDefault();
    if (back === 0) draft = box.value;
    back = next;
    set(back === 0 ? draft : (said.at(-back) ?? ""));
    box.setSelectionRange(box.value.length, box.value.length);
  }

  /** @param {string} text */
  function set(text) {
    box.value = text;
    fit();
    completion.close();
  }

  return {
    focus: () => box.focus({ preventScroll: true }),
    /** Words that were not accepted go back to where they can be sent again. @param {string} text */
    giveBack(text) {
      if (box.value === "") set(text);
    },
    close() {
      form.hidden = true;
    },
  };
}

function fit() {
  box.style.height = "auto";
  box.style.height = `${Math.min(box.scrollHeight, 220)}px`;
}

/** What the person said in this conversation, oldest first, the same once in a row. */
function ownMessages() {
  const own = [...document.querySelectorAll(".turn .ask")].filter(
    (ask) => ask.querySelector(".ask-who span")?.textContent === actorName(),
  );
  const texts = own.map((ask) => ask.querySelector(".ask-text")?.textContent ?? "");
  return texts.filter((text, at) => text !== texts[at - 1]);
}

/** Commands that begin as what is typed does, and the arguments of the one that is typed. */
function createCompletion() {
  /** @type {Promise<Command[]> | undefined} */
  let loading;
  /** @type {Command[]} */
  let offered = [];
  let active = -1;

  /** Loaded with the first slash, and anew after it failed. */
  function load() {
    loading ??= request("/playground/commands")
      .then(async (response) => /** @type {{ commands: Command[] }} */ (await response.json()).commands)
      .catch(() => {
        loading = undefined;
        return [];
      });
    return loading;
  }

  function close() {
    offered = [];
    active = -1;
    list.hidden = true;
    list.replaceChildren();
    box.removeAttribute("aria-activedescendant");
  }

  async function show() {
    const typed = box.value;
    if (!/^\/[^\n]*$/.test(typed)) return close();
    const commands = await load();
    // More was typed meanwhile.
    if (box.value !== typed || document.activeElement !== box) return;
    const start = typed.toLowerCase();
    close();
    offered = commands.filter(({ text }) => text.toLowerCase().startsWith(start) && text !== typed);
    const begun = commands.filter(({ text }) => `${start} `.startsWith(`${text.toLowerCase()} `));
    const longest = Math.max(...begun.map(({ text }) => text.length));
    const current = begun.find(({ text }) => text.length === longest);
    if (offered.length === 0 && current === undefined) return;
    // A command that is typed says what it takes; it is nothing to choose.
    if (current !== undefined) list.append(row(current, "hint"));
    for (const [at, command] of offered.entries()) list.append(row(command, "option", at));
    list.hidden = false;
    if (offered.length > 0)
      announce(`${offered.length} ${offered.length === 1 ? "command" : "commands"} to choose from`);
  }

  /** @param {Command} command @param {"hint" | "option"} kind @param {number} [at] */
  function row({ text, about, args }, kind, at) {
    const root = document.createElement("div");
    root.className = `completion-row completion-row--${kind}`;
    const name = document.createElement("span");
    name.className = "completion-name";
    name.textContent = text;
    const takes = document.createElement("span");
    takes.className = "completion-args";
    takes.textContent = args.map((arg) => (arg.required ? arg.name : `[${arg.name}]`)).join(" ");
    const says = document.createElement("span");
    says.className = "completion-about";
    says.textContent = about;
    root.append(name, takes, says);
    if (at === undefined) {
      root.setAttribute("role", "presentation");
      return root;
    }
    root.id = `completion-${at}`;
    root.setAttribute("role", "option");
    root.setAttribute("aria-selected", "false");
    // Before the box loses the focus.
    root.addEventListener("pointerdown", (event) => {
      event.preventDefault();
      accept(at);
    });
    return root;
  }

  /** @param {number} at */
  function accept(at) {
    const chosen = offered[at];
    if (chosen === undefined) return;
    box.value = `${chosen.text} `;
    fit();
    void show();
  }

  /** @param {number} at */
  function select(at) {
    active = at;
    for (const option of list.querySelectorAll("[role=option]")) {
      const isActive = option.id === `completion-${at}`;
      option.setAttribute("aria-selected", String(isActive));
      if (isActive) option.scrollIntoView({ block: "nearest" });
    }
    box.setAttribute("aria-activedescendant", `completion-${at}`);
  }

  return {
    show,
    close,
    /** Whether the key was for the list. @param {KeyboardEvent} event */
    take(event) {
      if (list.hidden) return false;
      const { key } = event;
      if (key === "Escape") close();
      else if (offered.length === 0) return false;
      else if (key === "ArrowDown") select((active + 1) % offered.length);
      else if (key === "ArrowUp") select((active <= 0 ? offered.length : active) - 1);
      else if (key === "Tab" && !event.shiftKey) accept(Math.max(active, 0));
      else if (key === "Enter" && !event.shiftKey && active >= 0) accept(active);
      else return false;
      event.preventDefault();
      event.stopPropagation();
      return true;
    },
  };
}
