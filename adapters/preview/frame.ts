import { type Child, Fragment, jsx as el } from "hono/jsx";

/** Drawn nodes as HTML, with every text escaped. */
export function toHtml(...drawn: Child[]): string {
  // Nothing here waits, so that a string comes back and no promise.
  return String(el(Fragment, null, ...drawn));
}

/** A `div` of a class. */
export function box(name: string, ...content: Child[]): Child {
  return el("div", { class: name }, ...content);
}

/** A `span` of a class. */
export function span(name: string, ...content: Child[]): Child {
  return el("span", { class: name }, ...content);
}

/** Attributes of an element, such as those that make a control work. */
export type Attributes = Readonly<Record<string, string>>;

/** What begins the names of a platform's classes. */
export type Prefix = "sl" | "dc";

/** An address that may be opened; undefined for every scheme but http and https. */
export function addressOf(value: unknown): string | undefined {
  return typeof value === "string" && /^https?:\/\//i.test(value) ? value : undefined;
}

/** A link; where its address may not be opened, its label alone, as on the platforms. */
export function drawLink(prefix: Prefix, url: unknown, ...label: Child[]): Child {
  const href = addressOf(url);
  if (href === undefined) return label;
  return el("a", { class: `${prefix}-link`, href, target: "_blank", rel: "noreferrer noopener" }, ...label);
}

/** A file below a message, led by a sign of its kind; without an address it cannot be opened. */
export function frameFile(prefix: Prefix, href: string | undefined, kind: Child, name: Child): Child {
  return el(href === undefined ? "div" : "a", { class: `${prefix}-file`, href }, kind, name);
}

/** The runs of lines that `read` reads, drawn by `drawRun`, and of all others, drawn by `drawPlain`. */
export function drawRuns<Line>(
  text: string,
  read: (line: string) => Line | undefined,
  drawRun: (lines: Line[]) => Child,
  drawPlain: (text: string) => Child[],
): Child[] {
  const drawn: Child[] = [];
  let run: Line[] = [];
  let plain: string[] = [];
  const close = (): void => {
    if (run.length > 0) drawn.push(drawRun(run));
    if (plain.length > 0) drawn.push(...drawPlain(plain.join("\n")));
    run = [];
    plain = [];
  };
  for (const line of text.split("\n")) {
    const found = read(line);
    if ((found === undefined) !== (run.length === 0)) close();
    if (found === undefined) plain.push(line);
    else run.push(found);
  }
  close();
  return drawn;
}

/** What has no drawing is shown as it came. */
export function drawPlainly(prefix: Prefix, value: object): Child {
  return el("pre", { class: `${prefix}-pre` }, JSON.stringify(value, null, 2));
}

export interface MessageFrame {
  author: string;
  isApp: boolean;
  /** Beside the name: the time, and what else there is to say of the message. */
  note: string;
  /** Above the message: what it answers. */
  before?: Child;
  /** Below it: files, reactions, threads. */
  after?: Child[];
}

/** A message with the one who wrote it. */
export function frameMessage(
  prefix: Prefix,
  { author, isApp, note, before = null, after = [] }: MessageFrame,
  content: Child[],
): Child {
  const head = box(
    `${prefix}-author`,
    el("strong", null, author),
    isApp ? span(`${prefix}-badge`, "APP") : null,
    span(`${prefix}-note`, note),
  );
  const avatar = drawAvatar(`${prefix}-avatar`, author, isApp);
  return box(`${prefix}-message`, before, avatar, box(`${prefix}-content`, head, ...content, ...after));
}

export interface WindowFrame {
  title: string;
  /** What stands on the button that leaves it. */
  leave: string;
  /** What stands on the button that sends it; empty without one. */
  send: string;
  /** The attributes that make the buttons work; without those of `submit` it is drawn and does nothing. */
  close: Attributes;
  submit?: Attributes | undefined;
}

/** A window over the page. */
export function frameWindow(
  prefix: Prefix,
  { title, leave, send, close, submit }: WindowFrame,
  body: Child[],
): Child {
  const button = (props: object, kind: string, label: string): Child =>
    el("button", { ...props, type: "button", class: `${prefix}-button ${prefix}-${kind}` }, label);
  return box(
    `${prefix}-window`,
    box(
      `${prefix}-window-head`,
      drawAvatar(`${prefix}-avatar`, "", true),
      el("strong", null, title),
      el("button", { ...close, type: "button", class: `${prefix}-window-close`, "aria-label": "Close" }, "×"),
    ),
    box(`${prefix}-window-body`, ...body),
    box(
      `${prefix}-window-foot`,
      button(close, "secondary", leave),
      send === "" ? null : button({ ...submit, disabled: submit === undefined }, "primary", send),
    ),
  );
}

/** People by their first letter in one of five colours, the app by its seal; `name` is the class. */
function drawAvatar(name: string, author: string, isApp: boolean): Child {
  if (!isApp) {
    const letters = Array.from(author);
    const sum = letters.reduce((all, letter) => all + (letter.codePointAt(0) ?? 0), 0);
    const first = letters[0]?.toUpperCase() ?? "";
    return el("span", { class: `${name} ${name}-${sum % 5}`, "aria-hidden": "true" }, first);
  }
  const tick = el("path", {
    d: "M5 12.5l4.5 4.5L19 7.5",
    fill: "none",
    stroke: "currentColor",
    "stroke-width": "3",
    "stroke-linecap": "round",
    "stroke-linejoin": "round",
  });
  const seal = el("svg", { viewBox: "0 0 24 24", width: "20", height: "20" }, tick);
  return el("span", { class: `${name} ${name}-app`, "aria-hidden": "true" }, seal);
}

/** Something to choose: what is sent, and what a person reads. */
export type Choice = readonly [value: string, label: string];

export type Props = Readonly<Record<string, string | boolean>>;

/** A menu; `none` stands for no choice. */
export function drawSelect(props: Props, all: readonly Choice[], chosen: string, none: string): Child {
  return el(
    "select",
    props,
    el("option", { value: "" }, none),
    ...all.map(([value, label]) => el("option", { value, selected: value === chosen }, label)),
  );
}

/** A line of text, or an area; the first line break of an area is not part of its text, so there is one more. */
export function drawTextInput(props: Props, value: string, placeholder: string, isLong: boolean): Child {
  const all = { ...props, ...(placeholder === "" ? {} : { placeholder }) };
  return isLong ? el("textarea", { rows: "4", ...all }, `\n${value}`) : el("input", { ...all, value });
}
