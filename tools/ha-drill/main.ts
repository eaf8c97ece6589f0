import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { answerHelp } from '../usage.ts';
import { Cluster } from './cluster.ts';
import { type Fault, faults } from './faults.ts';
import { buildFolder, missing, requireImage } from './image.ts';
import { reckon } from './reckoning.ts';

/**
 * `npm run ha-drill`: sets up deploy/ha on three machines, each in namespaces of its own, and breaks them while callers
 * create payments.
 */
const list = faults.map(({ name, what }) => `  ${name.padEnd(18)}${what}`).join('\n');
answerHelp(
  `Usage: npm run ha-drill -- [FAULT...] [--rounds N] [--same-florin] [--only-start]

Sets up the recipe of deploy/ha on three machines in network namespaces and breaks them while callers create payments
through the one address. Needs Linux and root; installs the rest into build/ha. Nothing of it is left running.

  --rounds N        of each fault; 5 without it
  --same-florin     runs the package in build/ha/florin instead of packing the sources again
  --only-start      sets the machines up, says how to enter them, and waits for Ctrl-C

${list}
`,
  { takesWords: true },
);

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    rounds: { type: 'string', default: '5' },
    'same-florin': { type: 'boolean', default: false },
    'only-start': { type: 'boolean', default: false },
  },
});
const unknown = positionals.filter((name) => !faults.some((fault) => fault.name === name));
if (unknown.length > 0) {
  console.error(`There is no fault ${unknown.join(', ')}: see npm run ha-drill -- --help`);
  process.exit(2);
}
const chosen = faults.filter(({ name }) => positionals.length === 0 || positionals.includes(name));
const rounds = Number(values.rounds);

const reason = missing();
if (reason !== undefined) {
  console.log(`ha-drill: left out, because ${reason}`);
  process.exit(0);
}
const image = requireImage({ isFlorinKept: values['same-florin'] });
const cluster = new Cluster(image, join(buildFolder, 'run'));
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    const exit = () => process.exit(130);
    cluster.end().then(exit, exit);
  });
}
let broken = 0;
try {
  console.log('Starting three machines …');
  await cluster.start();
  await cluster.untilHealthy(300_000);
  await cluster.startCallers();
  if (values['only-start']) await wait();
  for (const fault of chosen) {
    for (let round = 1; round <= rounds; round++) if (!(await run(fault, round))) broken++;
  }
  const found = cluster.verify();
  console.log(found === undefined ? 'verify: clean' : `verify:\n${found}`);
  if (found !== undefined) broken++;
} finally {
  await cluster.end();
}
console.log(broken === 0 ? 'ha-drill: every goal was met' : `ha-drill: ${broken} runs missed a goal`);
process.exit(broken === 0 ? 0 : 1);

/** One round under load; true if it met its goals. */
async function run(fault: Fault, round: number): Promise<boolean> {
  const florins = new Map(cluster.machines.map((machine) => [machine, machine.pidOf('florin')]));
  const boots = new Map(cluster.machines.map((machine) => [machine, machine.boots]));
  const isFlorinRestarted = ['rolling-restart', 'upgrade'].includes(fault.name);
  await cluster.callers({ do: 'start', name: `${fault.name}-${round}-${Date.now()}` });
  await untilAcknowledged(100);
  const heal = await fault.inject(cluster, round);
  await untilAcknowledged(100);
  await heal?.();
  let trouble = await cluster.untilHealthy().then(
    () => '',
    (error: Error) => ` ${error.message}`,
  );
  const { result } = await cluster.callers({ do: 'stop' });
  if (result === undefined) throw new Error('The callers have no result.');
  const restarted = cluster.machines.filter(
    (machine) => boots.get(machine) === machine.boots && florins.get(machine) !== machine.pidOf('florin'),
  );
  if (restarted.length > 0 && !isFlorinRestarted)
    trouble += ` Florin was restarted on ${restarted.map(({ name }) => name)}`;
  const { lost, doubled, missing: events, differing } = await reckon(cluster, result);
  const fiveHundreds = result.errors['500'] ?? 0;
  const seconds = (ms: number) => `${(ms / 1_000).toFixed(1)} s`;
  const gap = seconds(result.longestGapMs);
  const isMet =
    lost + doubled + events + differing + fiveHundreds === 0 &&
    result.longestGapMs <= (fault.goalMs ?? Number.POSITIVE_INFINITY) &&
    result.longestSilenceMs <= (fault.answerGoalMs ?? Number.POSITIVE_INFINITY) &&
    trouble === '';
  const goal = fault.goalMs === undefined ? 'without a goal' : `goal ${fault.goalMs / 1_000} s`;
  const answerGoal = fault.answerGoalMs === undefined ? '' : ` (goal ${fault.answerGoalMs / 1_000} s)`;
  console.log(
    `${fault.name} ${round}: ${result.acknowledged.length} of ${result.sent} acknowledged, ${lost} lost, ` +
      `${doubled} doubled, ${events} events missing, ${differing} differing, ${fiveHundreds} × 500, ` +
      `longest gap ${gap} (${goal}), longest without an answer ${seconds(result.longestSilenceMs)}${answerGoal} ` +
      `${JSON.stringify(result.errors)}${isMet ? '' : ` MISSED${trouble}`}`,
  );
  return isMet;
}

/** Waits for that many more payments; a machine may need a minute to take over. */
async function untilAcknowledged(count: number): Promise<void> {
  const { acknowledged: before = 0 } = await cluster.callers({ do: 'progress' });
  const end = performance.now() + 180_000;
  for (;;) {
    const { acknowledged = 0 } = await cluster.callers({ do: 'progress' });
    if (acknowledged >= before + count) return;
    if (performance.now() > end) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

/** Until Ctrl-C, for experiments by hand. */
async function wait(): Promise<void> {
  for (const { name, root } of cluster.machines) {
    console.log(`${name}: nsenter --target ${root.split('/')[2]} --mount --net --pid --uts --ipc --root --wd bash`);
  }
  console.log(`The network of the callers: nsenter ${cluster.network.enter.join(' ')} bash`);
  console.log(
    `The service: https://${cluster.value('SERVICE_ADDRESS')}, the administrator's password: see secrets.env`,
  );
  await new Promise(() => setInterval(() => {}, 60_000));
}
