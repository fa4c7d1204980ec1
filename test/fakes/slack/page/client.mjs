// The page of the fake: shows what the server drew and sends back what a person does.

const byId = (id) => document.getElementById(id);
const params = new URLSearchParams(location.hash.slice(1));
const now = {
  as: params.get("as") ?? "ana",
  place: params.get("place") ?? "",
  thread: params.get("thread") ?? "",
};
let shownModal = "";
let looking = false;
let again = false;

async function look() {
  // One look at a time; a change meanwhile leads to one more.
  again = true;
  if (looking) return;
  looking = true;
  while (again) {
    again = false;
    const query = new URLSearchParams({ as: now.as, place: now.place || "dm" });
    if (now.thread !== "") query.set("thread", now.thread);
    const response = await fetch(`/page/state?${query}`);
    show(await response.json());
  }
  looking = false;
}

function show(state) {
  if (now.place === "") {
    now.place = state.channels[0]?.id ?? "dm";
    void look();
    return;
  }
  const options = state.people.map(({ name, label }) => new Option(label, name, false, name === now.as));
  byId("as").replaceChildren(...options);
  const places = [
    ...state.channels.map(({ id, name, sign, bot }) => [
      id,
      `${sign} ${name}${bot ? "" : " (without the app)"}`,
    ]),
    ["dm", "Countersign (direct message)"],
    ["home", "Countersign (home)"],
  ];
  byId("places").replaceChildren(...places.map(([place, label]) => placeButton(place, label)));
  byId("title").textContent = state.title;
  fill(byId("messages"), state.messages);
  byId("prompts").innerHTML = state.prompts;
  byId("side").hidden = now.thread === "";
  fill(byId("thread"), state.thread);
  showModal(state.modal);
  location.replace(`#${new URLSearchParams(now)}`);
}

function placeButton(place, label) {
  const item = document.createElement("li");
  const button = document.createElement("button");
  button.textContent = label;
  button.dataset.place = place;
  button.setAttribute("aria-current", String(place === now.place));
  item.append(button);
  return item;
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
  const mark = modal === null ? "" : `${modal.id} ${modal.hash}`;
  if (mark === shownModal) return;
  shownModal = mark;
  if (modal === null) {
    dialog.close();
    return;
  }
  dialog.querySelector("h2").innerHTML = modal.title;
  dialog.querySelector(".body").innerHTML = modal.body;
  dialog.querySelector(".problem").textContent = "";
  const [close, submit] = dialog.querySelectorAll("footer button");
  close.innerHTML = modal.close;
  submit.innerHTML = modal.submit;
  submit.hidden = modal.submit === "";
  if (!dialog.open) dialog.showModal();
}

async function act(deed) {
  const response = await fetch("/page/act", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ as: now.as, place: now.place, ...deed }),
  });
  const { problem = "" } = await response.json();
  byId("modal").querySelector(".problem").textContent = problem;
  byId("problem").textContent = byId("modal").open ? "" : problem;
  await look();
  return problem === "";
}

/** What stands in the form: several values of a multiple choice or of ticks as a list. */
function valuesOf(dialog) {
  const values = {};
  for (const field of dialog.querySelectorAll(".body [data-control]")) {
    const { control } = field.dataset;
    if (field.tagName === "BUTTON") continue;
    if (field.type === "checkbox")
      values[control] = [...(values[control] ?? []), ...(field.checked ? [field.value] : [])];
    else if (field.type === "radio")
      values[control] = field.checked ? field.value : (values[control] ?? null);
    else if (field.multiple) values[control] = [...field.selectedOptions].map(({ value }) => value);
    else values[control] = field.value === "" ? null : field.value;
  }
  return values;
}

function go(change) {
  Object.assign(now, change);
  byId("problem").textContent = "";
  return look();
}

document.addEventListener("click", (event) => {
  const button = event.target.closest("button");
  if (button === null) return;
  const { place, thread, prompt, control, target, stop, shortcut, ts } = button.dataset;
  if (place !== undefined) {
    void go({ place, thread: "" });
    if (place === "dm" || place === "home") void act({ do: "open" });
  } else if (thread !== undefined) void go({ thread });
  else if (prompt !== undefined) void act({ do: "say", text: prompt });
  else if (stop !== undefined) void act({ do: "stop", thread: stop });
  else if (shortcut !== undefined) void act({ do: "shortcut", callback: shortcut, ts });
  else if (control !== undefined) {
    event.preventDefault();
    void act({ do: "click", target, control, value: button.value });
  } else if (button.id === "shut") void go({ thread: "" });
  else if (button.value === "close") void act({ do: "close" });
  else if (button.value === "submit") {
    event.preventDefault();
    void act({ do: "submit", values: valuesOf(byId("modal")) });
  }
});

document.addEventListener("change", (event) => {
  const field = event.target;
  if (field.id === "as") {
    void go({ as: field.value, thread: "" });
    return;
  }
  const { control, target } = field.dataset;
  // In a modal a choice is sent with the form.
  if (control === undefined || field.value === "" || field.closest("dialog") !== null) return;
  const same = [
    ...document.querySelectorAll(
      `[data-control="${CSS.escape(control)}"][data-target="${CSS.escape(target)}"]`,
    ),
  ];
  const many = field.multiple
    ? [...field.selectedOptions].map(({ value }) => value)
    : same.filter(({ checked }) => checked).map(({ value }) => value);
  const value = field.multiple || field.type === "checkbox" ? many : field.value;
  void act({ do: "click", target, control, value });
});

for (const form of document.querySelectorAll("[data-composer]")) {
  const box = form.querySelector("textarea");
  const send = async () => {
    const thread = form.dataset.composer === "thread" ? now.thread : undefined;
    if (await act({ do: "say", text: box.value, thread })) box.value = "";
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

// Escape closes a dialog by itself; the app wants to know.
byId("modal").addEventListener("cancel", (event) => {
  event.preventDefault();
  void act({ do: "close" });
});

new EventSource("/page/events").addEventListener("message", () => void look());
