export type Surface = "slack" | "discord" | "console" | "http";

/** A person on a surface: `slack:T1:U1`, `discord:G1:U1`, `http:ana`, `console:ana`. */
export type ActorId = `${Surface}:${string}`;
