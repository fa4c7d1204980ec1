// The page of the fake: shows what the server drew and sends back what a person does.

const byId = (id) => document.getElementById(id);
const params = new URLSearchParams(location.hash.slice(1));
const now = {
  as: params.get("as") ?? "ana",
  place: params.get("place") ?? "",
  thread: params.get("thread") ?? "",
};
let shownModal = "";
let commands = [];
let looking = false;
let again = false;

async function look() {
  // One look at a time; a change meanwhile leads to one more.
  again = true;
  if (looking) return;
  looking = true;
  while (again) {
    again = false;
    const response = await fetch(`/page/state?${new URLSearchParams({ ...now, place: now.place || "dm" })}`);
    show(await response.json());
  }
  looking = false;
}

function show(state) {
  if (now.place === "") {
    now.place = state.places.find(({ id }) => id !== undefined)?.id ?? "dm";
    void look();
    return;
  }
  commands = state.commands;
  const options = state.people.map(({ name, label }) => new Option(label, name, false, name === now.as));
  byId("as").replaceChildren(...options);
  byId("places").replaceChildren(...state.places.map(placeItem));
  byId("commands").replaceChildren(...commands.map(commandButton));
  byId("title").textContent = state.title;
  byId("thread-title").textContent = state.threadTitle;
  fill(byId("messages"), state.messages);
  byId("side").hidden = now.thread === "";
  fill(byId("thread"), state.thread);
  const [here, there] = document.querySelectorAll(".typing");
  here.textContent = state.typing;
  there.textContent = state.threadTyping;
  showModal(state.modal);
  location.replace(`#${new URLSearchParams(now)}`);
}

function placeItem({ id, thread, label }) {
  const item = document.createElement("li");
  if (id === undefined && thread === undefined) {
    item.className = "server";
    item.textContent = label;
    return item;
  }
  const button = document.createElement("button");
  button.textContent = label;
  if (thread === undefined) button.dataset.place = id;
  else {
    item.className = "thread";
    button.dataset.thread = thread;
  }
  button.setAttribute(
    "aria-current",
    String((thread ?? id) === (thread === undefined ? now.place : now.thread)),
  );
  item.append(button);
  return item;
}

function commandButton({ name, description }) {
  const button = document.createElement("button");
  button.textContent = `/${name}`;
  button.title = description;
  button.dataset.command = name;
  return button;
}

/** Puts drawn messages in place, and stays at the end if one was there. */
function fill(log, html) {
  if (log.dataset.html === html) return;
  const atEnd = log.scrollHeight - log.scrollTop - log.clientHeight < 60;
  log.dataset.html = html;
  log.innerHTML = html;
  if (atEnd) log.scrollTop = log.scrollHeight;
}

function showModal(modal) {
  const dialog = byId("modal");
  const mark = modal?.id ?? "";
  if (mark === shownModal) return;
  shownModal = mark;
  if (modal === null) {
    dialog.close();
    return;
  }
  dialog.querySelector(".body").innerHTML = modal.body;
  dialog.querySelector(".problem").textContent = "";
  if (!dialog.open) dialog.showModal();
  dialog.querySelector("[data-control]")?.focus();
}

async function ask(deed) {
  const response = await fetch("/page/act", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ as: now.as, place: now.place, ...deed }),
  });
  return response.json();
}

async function act(deed) {
  const { problem = "" } = await ask(deed);
  const dialog = document.querySelector("dialog[open]");
  (dialog?.querySelector(".problem") ?? byId("problem")).textContent = problem;
  if (problem === "") byId("problem").textContent = "";
  await look();
  return problem === "";
}

/** A form with a field for each option of a command. */
function openCommand(name, thread) {
  const command = commands.find((candidate) => candidate.name === name);
  const dialog = byId("command");
  dialog.dataset.name = name;
  dialog.dataset.thread = thread ?? "";
  dialog.querySelector("h2").textContent = `/${name}`;
  dialog.querySelector(".body").replaceChildren(...command.options.map(optionField));
  dialog.querySelector(".problem").textContent = "";
  if (command.options.length === 0) void runCommand();
  else dialog.showModal();
}

function optionField({ name, description, required, autocomplete, choices }) {
  const label = document.createElement("label");
  label.append(`${name}${required ? " *" : ""}`);
  const note = document.createElement("small");
  note.textContent = description;
  const field = document.createElement(choices.length > 0 ? "select" : "input");
  field.name = name;
  field.required = required;
  if (choices.length > 0) field.append(new Option("", ""), ...choices.map((choice) => new Option(choice)));
  label.append(note, field);
  if (autocomplete) {
    const list = document.createElement("datalist");
    list.id = `choices-${name}`;
    field.setAttribute("list", list.id);
    field.autocomplete = "off";
    field.addEventListener("input", () => void complete(field, list));
    field.addEventListener("focus", () => void complete(field, list));
    label.append(list);
  }
  return label;
}

async function complete(field, list) {
  const { name, thread } = byId("command").dataset;
  const typed = field.value;
  const { choices = [] } = await ask({
    do: "complete",
    command: name,
    thread,
    option: field.name,
    typed,
    values: optionValues(),
  });
  if (field.value !== typed) return;
  list.replaceChildren(...choices.map((choice) => new Option(choice.name, choice.value)));
}

function optionValues() {
  const fields = [...byId("command").querySelectorAll("[name]")];
  return Object.fromEntries(
    fields.filter(({ value }) => value !== "").map(({ name, value }) => [name, value]),
  );
}

async function runCommand() {
  const dialog = byId("command");
  const { name, thread } = dialog.dataset;
  if (await act({ do: "slash", command: name, thread, values: optionValues() })) dialog.close();
}

/** What stands in the form: several values of a multiple choice or of ticks as a list, files with their content. */
async function valuesOf(dialog) {
  const values = {};
  for (const field of dialog.querySelectorAll(".body [data-control]")) {
    const { control } = field.dataset;
    if (field.tagName === "BUTTON") continue;
    if (field.type === "file") values[control] = await Promise.all([...field.files].map(fileOf));
    else if (field.type === "checkbox")
      values[control] = [...(values[control] ?? []), ...(field.checked ? [field.value] : [])];
    else if (field.type === "radio")
      values[control] = field.checked ? field.value : (values[control] ?? null);
    else if (field.multiple) values[control] = [...field.selectedOptions].map(({ value }) => value);
    else values[control] = field.tagName === "SELECT" && field.value === "" ? [] : field.value;
  }
  return values;
}

async function fileOf(file) {
  const reader = new FileReader();
  const read = new Promise((resolve) => reader.addEventListener("load", resolve));
  reader.readAsDataURL(file);
  await read;
  return { name: file.name, type: file.type, base64: reader.result.split(",")[1] };
}

function go(change) {
  Object.assign(now, change);
  byId("problem").textContent = "";
  return look();
}

document.addEventListener("click", (event) => {
  const button = event.target.closest("button");
  if (button === null) return;
  const { place, thread, control, target, menu, message, command, deed } = button.dataset;
  if (place !== undefined) void go({ place, thread: "" });
  else if (thread !== undefined) void go({ thread });
  else if (menu !== undefined) void act({ do: "menu", command: menu, message });
  else if (command !== undefined) openCommand(command);
  else if (control !== undefined) void act({ do: "click", target, control });
  else if (deed === "close") void act({ do: "close" });
  else if (deed === "submit") {
    void valuesOf(byId("modal")).then((values) => act({ do: "submit", values }));
  } else if (button.id === "shut") void go({ thread: "" });
  else if (button.value === "cancel") byId("command").close();
});

document.addEventListener("change", (event) => {
  const field = event.target;
  if (field.id === "as") {
    void go({ as: field.value, thread: "" });
    return;
  }
  const { control, target } = field.dataset;
  // In a modal a choice is sent with the form.
  if (control === undefined || field.closest("dialog") !== null) return;
  const value = [...field.selectedOptions].map(({ value }) => value).filter((chosen) => chosen !== "");
  if (value.length > 0) void act({ do: "click", target, control, value });
});

byId("command")
  .querySelector("form")
  .addEventListener("submit", (event) => {
    event.preventDefault();
    void runCommand();
  });

for (const form of document.querySelectorAll("[data-composer]")) {
  const box = form.querySelector("textarea");
  const send = async () => {
    const thread = form.dataset.composer === "thread" ? now.thread : undefined;
    const text = box.value.trim();
    const command = commands.find(({ name }) => text === `/${name}`);
    if (command !== undefined) openCommand(command.name, thread);
    else if (!(await act({ do: "say", text, thread }))) return;
    box.value = "";
  };
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    if (box.value.trim() !== "") void send();
  });
  box.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || event.shiftKey) return;
    event.preventDefault();
    form.requestSubmit();
  });
}

// Escape closes a dialog by itself; the fake keeps the modal until it knows.
byId("modal").addEventListener("cancel", (event) => {
  event.preventDefault();
  void act({ do: "close" });
});

new EventSource("/page/events").addEventListener("message", () => void look());
