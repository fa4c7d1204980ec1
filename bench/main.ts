// npm run bench            all of them
// npm run bench ledger     one of those below
import { benchAudit } from "./audit.ts";
import { benchCharts } from "./charts.ts";
import { benchDiscordTurn } from "./discord-turn.ts";
import { benchEnsembles } from "./ensembles.ts";
import { benchFair } from "./fair.ts";
import { benchFollowers } from "./followers.ts";
import { benchGrowth } from "./growth.ts";
import { benchHostile } from "./hostile.ts";
import { benchHostileText } from "./hostile-text.ts";
import { benchJobs } from "./jobs.ts";
import { benchLedger } from "./ledger.ts";
import { benchMcpCall } from "./mcp-call.ts";
import { benchMcpFaults } from "./mcp-faults.ts";
import { benchMemory } from "./memory.ts";
import { benchPlan } from "./plan.ts";
import { createPlaces, type Places } from "./places.ts";
import { benchRecovery } from "./recovery.ts";
import { benchReplicas } from "./replicas.ts";
import { benchKnowledge } from "./knowledge/growth.ts";
import { benchScrape } from "./scrape.ts";
import { machine, printBench, type Row } from "./table.ts";
import { benchSlackTurn } from "./slack-turn.ts";
import { benchTurn } from "./turn.ts";

const benches: Record<string, (places: Places) => Promise<Row[]>> = {
  ledger: benchLedger,
  turn: benchTurn,
  jobs: benchJobs,
  fair: benchFair,
  growth: benchGrowth,
  recovery: benchRecovery,
  replicas: benchReplicas,
  followers: benchFollowers,
  audit: benchAudit,
  memory: benchMemory,
  scrape: benchScrape,
  plan: benchPlan,
  "slack-turn": benchSlackTurn,
  "discord-turn": benchDiscordTurn,
  "mcp-call": benchMcpCall,
  "mcp-faults": benchMcpFaults,
  ensembles: benchEnsembles,
  charts: benchCharts,
  hostile: benchHostile,
  "hostile-text": benchHostileText,
  knowledge: benchKnowledge,
};

const [, , ...wanted] = process.argv;
const unknown = wanted.filter((name) => !Object.hasOwn(benches, name));
if (unknown.length > 0) {
  console.error(`expected names among ${Object.keys(benches).join(", ")}, got ${unknown.join(", ")}`);
  process.exit(2);
}
const { cores, cpu, memory_gb: memory, node } = machine();
console.log(`${cores} cores (${cpu}), ${memory} GB, Node ${node}\n`);
const places = createPlaces();
try {
  for (const [name, bench] of Object.entries(benches)) {
    if (wanted.length > 0 && !wanted.includes(name)) continue;
    printBench(name, await bench(places));
    console.log();
  }
} finally {
  await places.close();
}
