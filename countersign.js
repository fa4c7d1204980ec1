#!/usr/bin/env node
// An older Node would say only that launch.js cannot be read.
if (Number.parseInt(process.version.slice(1)) < 24) {
  process.stderr.write(
    `Countersign needs Node 24 or newer, and this is ${process.version}. In a checkout npm brings its own: npm run -s countersign -- COMMAND\n`,
  );
  process.exit(1);
}
const { launch } = await import("./launch.js");

await launch("countersign", () => import("#app/main.ts"));
