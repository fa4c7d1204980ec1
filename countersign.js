#!/usr/bin/env node
import { launch } from "./launch.js";

await launch("countersign", () => import("#app/main.ts"));
