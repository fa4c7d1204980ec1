import type { Keyv } from "keyv";
import type { Logger } from "pino";

import type { Surface } from "#contract/actor.ts";
import type { AuditReader } from "#contract/audit.ts";
import type { Connections } from "#contract/connections.ts";
import type { Core, Suggest, SurfaceStatus, Viewer } from "#contract/core.ts";
import type { People } from "#contract/people.ts";
import type { Metrics } from "#contract/metrics.ts";
import type { MessagePort, MessageRef, Presenter, TurnView } from "#contract/present.ts";

/** A chat platform that the product talks to. */
export interface ConnectedPlatform {
  status(): SurfaceStatus;
  /** Says one plain line in a channel, as `slack:T1:C1`; rejects when it could not. */
  announce(channel: string, text: string): Promise<void>;
}

/** The running product without its surfaces. */
export interface Product {
  core: Core;
  /** The accounts that people connect with servers. */
  connections: Connections;
  /** What happened, for operators. */
  audit: AuditReader;
  /** Who people are in the servers. */
  people: People;
  /** The same as one person may see and use it. */
  visibleTo(viewer: Viewer): Pick<Product, "core" | "connections" | "people" | "view">;
  /** Tells where browsers reach the HTTP surface. */
  reachedAt(url: string): void;
  /** What is counted, for operators. */
  metrics: Metrics;
  /** A chat platform's limit held a call back for so long. */
  waited(surface: Surface, ms: number): void;
  log: Logger;
  version: string;
  /** Shows turns on a chat platform; stopped by `close`, once running turns have ended. */
  present(port: MessagePort): Presenter;
  /** A turn as its message shows it; undefined when there is none. */
  view(turnId: string): Promise<TurnView | undefined>;
  /** The message that shows a turn on a chat platform; undefined while there is none. */
  messageOf(turnId: string): Promise<MessageRef | undefined>;
  /** Values for an argument that is being typed. */
  suggest: Suggest;
  /** Plain state of one kind that outlives the process. */
  state<Value>(namespace: string): Keyv<Value>;
  /** The same, encrypted in the store: for tokens and other secrets. Names of keys are not encrypted. */
  sealed<Value>(namespace: string): Keyv<Value>;
  /** Adds a platform to what `Core.health` tells, and to where the product itself says something. */
  addPlatform(surface: Surface, platform: ConnectedPlatform): void;
  /** Connects to the servers, looks for the model and takes up unfinished turns. */
  ready(): Promise<void>;
  /**
   * Reads the configuration and its prompts anew, and takes over what can be; where something is wrong all stays as it
   * was, and the log and `Core.health` say why. Never rejects.
   */
  reload(why: string): Promise<void>;
  close(): Promise<void>;
}
