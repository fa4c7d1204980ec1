import type { Hono } from "hono";

import type { ToolCallResult } from "#contract/turn.ts";

import { chartSvg } from "../../document/chart.ts";
import { ApiError, badField, notFound } from "../errors.ts";
import { type HttpEnv, offerOf } from "../identity.ts";
import { tableOf } from "../page/results.ts";
import { csvHeaders, toCsv, toTsv } from "./csv.ts";
import { findTurn } from "./turn-routes.ts";

/** What a call brought, as a file for spreadsheets. */
export function addResultRoutes(app: Hono<HttpEnv>): void {
  /** `n` counts from 0, as in `tool_results`; `format=tsv` is for the clipboard. */
  app.get("/agent/turns/:id/results/:n/table", async (c) => {
    const turn = await findTurn(offerOf(c).core, c.req.param("id"));
    const call = turn.result?.toolResults[Number(c.req.param("n"))];
    if (call === undefined) throw notFound("result", c.req.param("n"));
    if (!call.ok)
      throw new ApiError(409, "no_table", "This call failed, so there is no table of what it brought.");
    const format = c.req.query("format") ?? "csv";
    if (format !== "csv" && format !== "tsv")
      throw badField("format", `expected csv or tsv, got ${JSON.stringify(format.slice(0, 40))}`);
    const table = tableOf(call.data, Infinity);
    if (format === "tsv") return c.text(toTsv(table), 200, { "cache-control": "no-store" });
    return c.body(toCsv(table), 200, csvHeaders(fileName(call)));
  });

  /** The picture of its chart. */
  app.get("/agent/turns/:id/results/:n/chart.svg", async (c) => {
    const turn = await findTurn(offerOf(c).core, c.req.param("id"));
    const call = turn.result?.toolResults[Number(c.req.param("n"))];
    const chart = call?.card.elements.find((element) => element.type === "chart");
    if (chart === undefined) throw notFound("result", c.req.param("n"));
    const svg = await chartSvg(chart);
    return c.body(svg, 200, { "content-type": "image/svg+xml", "cache-control": "private, max-age=600" });
  });
}

function fileName({ toolId }: ToolCallResult): string {
  return `${toolId.replaceAll(/[^\w.-]+/g, "-").slice(0, 80)}.csv`;
}
