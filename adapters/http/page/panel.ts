import type { Health, SurfaceStatus, ToolListing } from "#contract/core.ts";
import type { JsonValue } from "#contract/json.ts";
import type { ServerStatus } from "#contract/tool.ts";

import { count, html, type Html } from "./html.ts";

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
    if (up < all) return ["warn", `${up} of ${count(all, "server")} up`];
    if (!health.model.reachable) return ["warn", "The model does not answer"];
    return ["good", all === 0 ? "Ready, no servers" : "All systems ready"];
  })();
  return html`<span class="light light--${light}" aria-hidden="true"></span><span>${text}</span>`;
}

const SURFACE_LIGHT: Record<SurfaceStatus["status"], Light> = { up: "good", connecting: "warn", down: "bad" };

function nameOf(surface: string): string {
  return surface.charAt(0).toUpperCase() + surface.slice(1);
}

const SERVER_LIGHT: Record<ServerStatus["status"], Light> = {
  up: "good",
  waiting: "warn",
  connecting: "warn",
  retrying: "bad",
  stopped: "bad",
};

/** Model, store, chat platforms and servers with what is wrong with them, and every tool with what policy says. */
export function panelBody(health: Health, tools: ToolListing[]): Html {
  const names = [
    ...new Set([...health.servers.map(({ name }) => name), ...tools.map(({ tool }) => tool.server)]),
  ];
  return html`<dl class="facts">
      <div>
        <dt>Planner</dt>
        <dd>
          <span class="light light--${health.model.reachable ? "good" : "warn"}" aria-hidden="true"></span>
          ${health.model.provider === "builtin" ? "Built-in planner" : `${health.model.model} on ${health.model.provider}`}
          ${health.model.reason === undefined ? "" : html`<p class="why">${health.model.reason}</p>`}
        </dd>
      </div>
      <div>
        <dt>Store</dt>
        <dd>
          <span
            class="light light--${health.store.ok && health.store.damage === undefined ? "good" : "bad"}"
            aria-hidden="true"
          ></span>
          ${health.store.kind === "sqlite" ? "SQLite in the data folder" : "Postgres"}
          ${health.store.error === undefined ? "" : html`<p class="why">${health.store.error}</p>`}
          ${(health.store.damage ?? []).map((fault) => html`<p class="why">Damaged: ${fault}</p>`)}
        </dd>
      </div>
      ${Object.entries(health.surfaces ?? {}).map(
        ([name, { status, error }]) =>
          html`<div>
            <dt>${nameOf(name)}</dt>
            <dd>
              <span class="light light--${SURFACE_LIGHT[status]}" aria-hidden="true"></span>
              ${status === "up" ? "Connected" : status === "down" ? "Not connected" : "Connecting"}
              ${error === undefined ? "" : html`<p class="why">${error}</p>`}
            </dd>
          </div>`,
      )}
    </dl>
    ${names.map((name) =>
      serverBlock(
        name,
        health.servers.find((server) => server.name === name),
        tools.filter(({ tool }) => tool.server === name),
      ),
    )}
    <p class="legend">
      <span class="cs-badge cs-tone-good">allow</span> runs at once,
      <span class="cs-badge cs-tone-warn">ask</span> waits for a countersignature,
      <span class="cs-badge cs-tone-bad">deny</span> is refused.
    </p>`;
}

function serverBlock(name: string, status: ServerStatus | undefined, tools: ToolListing[]): Html {
  return html`<section class="server">
    <h3>
      <span
        class="light light--${status === undefined ? "good" : SERVER_LIGHT[status.status]}"
        aria-hidden="true"
      ></span>
      ${name}
      <span class="server-status"
        >${status === undefined ? "built in" : (status.note ?? status.status)},
        ${count(tools.length, "tool")}</span
      >
    </h3>
    ${status?.error === undefined ? "" : html`<p class="why">${status.error}</p>`}
    ${
      tools.length === 0
        ? ""
        : html`<ul class="tools">
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
          ({ name, type, required, description }) =>
            html`<li>
              <code>${name}</code> <span class="argument-type">${type}${required ? ", required" : ""}</span>
              ${description === "" ? "" : html`<p>${description}</p>`}
            </li>`,
        )}
      </ul>
    </details>
  </li>`;
}

interface Argument {
  name: string;
  type: string;
  required: boolean;
  description: string;
}

/** The top-level properties of an input schema, as far as a person wants to know. */
function argumentsOf(schema: ToolListing["tool"]["inputSchema"]): Argument[] {
  const properties = schema["properties"];
  if (!isObject(properties)) return [];
  const required = Array.isArray(schema["required"]) ? schema["required"] : [];
  return Object.entries(properties).map(([name, property]) => ({
    name,
    type: typeOf(property),
    required: required.includes(name),
    description:
      isObject(property) && typeof property["description"] === "string" ? property["description"] : "",
  }));
}

function typeOf(property: JsonValue): string {
  if (!isObject(property)) return "any";
  if (Array.isArray(property["enum"])) return property["enum"].map(String).join(" | ");
  const type = property["type"];
  if (typeof type === "string") return type;
  return Array.isArray(type) ? type.map(String).join(" | ") : "any";
}

function isObject(value: JsonValue | undefined): value is { [key: string]: JsonValue } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
