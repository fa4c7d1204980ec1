// Preloaded into a public server that would listen on all interfaces: it gets 127.0.0.1 only.
import { Server } from "node:net";

const listen = Server.prototype.listen;
Server.prototype.listen = function (port, ...rest) {
  const host = typeof port === "number" || typeof port === "string" ? ["127.0.0.1"] : [];
  return listen.call(this, port, ...host, ...rest.filter((arg) => typeof arg === "function"));
};
