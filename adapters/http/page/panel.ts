import type { Health, SurfaceStatus, ToolListing } from "#contract/core.ts";
import type { JsonValue } from "#contract/json.ts";
import type { ServerStatus } from "#contract/tool.ts";
import { isObject } from "#src/base/json.ts";
import { plural } from "#src/base/text.ts";

import { definitions, html, type Html } from "./html.ts";

type Light = "good" | "warn" | "bad";

/** The one line at the foot of the sidebar. */
export function healthLine(health: Health): Html {
  // What waits for an account is not down.
  const up = health.servers.filter(({ status }) => status === "up" || status === "waiting").length;
  const all = health.servers.length;
  const [light, text] = ((): [Light, string] => {
    if (!health.store.ok) return ["bad", "The store does not work"];
    if (health.store.damage !== undefined) return ["bad", "The store is damaged"];
    if (health.status === "starting") return ["warn", "Starting"];
    const down = Object.entries(health.surfaces ?? {}).filter(([, { status }]) => status === "down");
    if (down.length > 0) return ["warn", `${down.map(([name]) => nameOf(name)).join(", ")} not connected`];
    if (up < all) return ["warn", `${up} of ${plural(all, "server")} up`];
    if (!health.model.reachable) return ["warn", "The model does not answer"];
    if (health.model.reason !== undefined) return ["warn", "Ready, without the model"];
    return ["good", all === 0 ? "Ready, no servers" : "All systems ready"];
  })();
  return html`${lamp(light)}<span>${text}</span>`;
}

/**
 * What does not work and what to do about it, a line each, where the person would wonder; empty while all is well.
 * That there is no model is no trouble where the built-in planner was chosen.
 */
export function troubles(health: Health): Html | string {
  const lines = troubleLines(health);
  if (lines.length === 0) return "";
  return html`<ul>
    ${lines.map(
      ({ light, what, remedy }) =>
        html`<li>
          ${lamp(light)}<span><strong>${what}</strong> ${remedy}</span>
        </li>`,
    )}
  </ul>`;
}

interface Trouble {
  light: Light;
  what: string;
  remedy: string;
}

function troubleLines({ store, model, servers, surfaces = {}, status }: Health): Trouble[] {
  const lines: Trouble[] = [];
  if (!store.ok) {
    const remedy = store.error ?? "What is said now may be lost. Whoever runs Countersign has to look at it.";
    lines.push({ light: "bad", what: "Nothing can be stored.", remedy });
  }
  if (status === "starting") return lines;
  if (!model.reachable) {
    const what = `The model ${model.model} does not answer.`;
    lines.push({ light: "warn", what, remedy: [model.reason ?? "", modelRemedy(model)].join(" ").trim() });
  }
  for (const { name, status: how } of servers) {
    if (how === "up" || how === "waiting" || how === "connecting" || how === "starting") continue;
    const remedy =
      how === "stopped"
        ? "Countersign is shutting down."
        : "It is started again by itself; until then its tools cannot be used. Tools & health says why.";
    lines.push({ light: "bad", what: `${name} is not running.`, remedy });
  }
  for (const [name, { status: how }] of Object.entries(surfaces)) {
    if (how === "down")
      lines.push({
        light: "warn",
        what: `${nameOf(name)} is not connected.`,
        remedy: "It is tried again by itself. Tools & health says why.",
      });
  }
  return lines;
}

/** What to do where the model is missing. */
function modelRemedy({ reachable, reason }: Health["model"]): string | undefined {
  if (!reachable)
    return "Start its server, or set model.provider to builtin. It is tried again by itself; commands such as /jira work without it.";
  if (reason === undefined) return undefined;
  return "Until it answers, plain requests are understood without it, vague ones may not be. Start its server, which is noticed by itself, or set model.provider to builtin.";
}

function lamp(light: Light): Html {
  return html`<span class="light light--${light}" aria-hidden="true"></span>`;
}

function why(text: string | undefined): Html | undefined {
  return text === undefined ? undefined : html`<p class="why">${text}</p>`;
}

const SURFACE_LIGHT: Record<SurfaceStatus["status"], Light> = { up: "good", connecting: "warn", down: "bad" };

function nameOf(surface: string): string {
  return surface.charAt(0).toUpperCase() + surface.slice(1);
}

const SERVER_LIGHT: Record<ServerStatus["status"], Light> = {
  up: "good",
  waiting: "warn",
  starting: "warn",
  connecting: "warn",
  retrying: "bad",
  stopped: "bad",
};

const SERVER_WORDS: Record<ServerStatus["status"], string> = {
  up: "running",
  waiting: "waiting",
  starting: "starting",
  connecting: "starting",
  retrying: "not running",
  stopped: "stopped",
};

const SURFACE_WORDS: Record<SurfaceStatus["status"], string> = {
  up: "Connected",
  connecting: "Connecting",
  down: "Not connected",
};

/** Model, store, chat platforms and servers with what is wrong with them, and every tool with what policy says. */
export function panelBody(health: Health, tools: ToolListing[]): Html {
  const { model, store, servers, surfaces = {}, notices = [] } = health;
  const names = new Set([...servers.map(({ name }) => name), ...tools.map(({ tool }) => tool.server)]);
  return html`<dl class="facts">
      ${definitions([
        [
          "Planner",
          html`${lamp(model.reachable && model.reason === undefined ? "good" : "warn")}
          ${model.provider === "builtin" ? "Built-in planner" : `${model.model} on ${model.provider}`}
          ${why(model.reason)} ${why(modelRemedy(model))}`,
        ],
        [
          "Store",
          html`${lamp(store.ok && store.damage === undefined ? "good" : "bad")}
          ${store.kind === "sqlite" ? "SQLite in the data folder" : "Postgres"} ${why(store.error)}
          ${store.damage?.map((fault) => why(`Damaged: ${fault}`))}`,
        ],
        ...(notices.length === 0
          ? []
          : [["To look at", html`${lamp("warn")} ${notices.map((notice) => why(notice))}`] as const]),
        ...Object.entries(surfaces).map(
          ([name, { status, error }]) =>
            [
              nameOf(name),
              html`${lamp(SURFACE_LIGHT[status])} ${SURFACE_WORDS[status]} ${why(error)}`,
            ] as const,
        ),
      ])}
    </dl>
    <p class="legend">
      <span class="cs-badge cs-tone-good">allow</span> runs at once,
      <span class="cs-badge cs-tone-warn">ask</span> needs approval,
      <span class="cs-badge cs-tone-bad">deny</span> is refused.
    </p>
    ${[...names].map((name) =>
      serverBlock(
        name,
        servers.find((server) => server.name === name),
        tools.filter(({ tool }) => tool.server === name),
      ),
    )}`;
}

function serverBlock(name: string, server: ServerStatus | undefined, tools: ToolListing[]): Html {
  return html`<section class="server">
    <h3>
      ${lamp(server === undefined ? "good" : SERVER_LIGHT[server.status])} ${name}
      <span class="server-status"
        >${server === undefined ? "built in" : (server.note ?? SERVER_WORDS[server.status])},
        ${plural(tools.length, "tool")}</span
      >
    </h3>
    ${why(server?.error)} ${why(server?.doing)}
    ${
      server?.status === "retrying" &&
      why("It is tried again by itself. Until then its tools cannot be used; the log says more.")
    }
    ${
      tools.length > 0 &&
      html`<ul class="tools">
        ${tools.map(toolItem)}
      </ul>`
    }
  </section>`;
}

const DECISION_TONE: Record<ToolListing["decision"], string> = { allow: "good", ask: "warn", deny: "bad" };

function toolItem({ tool, decision }: ToolListing): Html {
  return html`<li>
    <details class="tool">
      <summary>
        <code>${tool.name}</code>
        <span class="cs-badge cs-tone-${DECISION_TONE[decision]}">${decision}</span>
      </summary>
      <p>${tool.description}</p>
      <ul class="arguments">
        ${argumentsOf(tool.inputSchema).map(
          ({ name, type, isRequired, description }) =>
            html`<li>
              <code>${name}</code> <span class="argument-type">${type}${isRequired && ", required"}</span>
              ${description !== "" && html`<p>${description}</p>`}
            </li>`,
        )}
      </ul>
    </details>
  </li>`;
}

/** The top-level properties of an input schema, as far as a person wants to know. */
function argumentsOf({ properties, required }: ToolListing["tool"]["inputSchema"]): {
  name: string;
  type: string;
  isRequired: boolean;
  description: string;
}[] {
  if (!isObject(properties)) return [];
  return Object.entries(properties).map(([name, property]) => {
    const { description } = isObject(property) ? property : {};
    return {
      name,
      type: typeOf(property),
      isRequired: Array.isArray(required) && required.includes(name),
      description: typeof description === "string" ? description : "",
    };
  });
}

function typeOf(property: JsonValue): string {
  if (!isObject(property)) return "any";
  const { enum: choices, type } = property;
  if (Array.isArray(choices)) return choices.map(String).join(" | ");
  if (typeof type === "string") return type;
  return Array.isArray(type) ? type.map(String).join(" | ") : "any";
}
