import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { declaredOpenApi } from '@florin/server/app/openapi/document.ts';
import { administratorOf, dataOf } from '@florin/server/tests/factories.ts';
import { administratorPassword, type FlorinClient } from '@florin/server/tests/service/florin.ts';
import { startService } from '@florin/server/tests/service/service-process.ts';
import { built, type Generator, type Stage, source, type Toolchain } from './generators/generator.ts';
import { goToolchain } from './generators/go.ts';
import { openapiGeneratorToolchain } from './generators/openapi-generator.ts';
import { pythonToolchain } from './generators/python.ts';
import { checkTypes } from './generators/typescript-types.ts';
import { installApart } from './packaging/install-apart.ts';
import { answerHelp } from './usage.ts';

/**
 * `npm run generators`: makes types and clients from the OpenAPI document with third-party generators, compiles them,
 * and makes a payment with each client. Generators and what their clients need are installed into build/generators, in
 * the versions of the lock files in tools/generators. Those of a language that the machine lacks are left out. Nothing
 * is done when neither the document nor the files of tools/generators have changed since everything passed.
 */
answerHelp(`Usage: npm run generators

Makes types and clients from the OpenAPI document with third-party generators, compiles them,
    and makes a payment with each client at
a temporary service. They are installed into build/generators. Languages that this machine lacks are left out.
`);

const toolchains = [pythonToolchain, goToolchain, openapiGeneratorToolchain];
const document = built('openapi.json');
const passedStamp = built('passed.txt');

installApart('generators');
writeFileSync(document, JSON.stringify(declaredOpenApi()));
const inputs = digestOfInputs();
if (existsSync(passedStamp) && readFileSync(passedStamp, 'utf8') === inputs) {
  console.log('Neither the document nor the generators have changed since all of them passed.');
} else {
  const outcomes = await checkAll();
  for (const { name, failure, leftOut } of outcomes) {
    console.log(
      `${name}: ${leftOut === undefined ? (failure === undefined ? 'passed' : 'FAILED') : `left out, ${leftOut}`}`,
    );
    if (failure !== undefined) console.error(failure);
  }
  const count = (is: (outcome: Outcome) => boolean) => outcomes.filter(is).length;
  const failed = count(({ failure }) => failure !== undefined);
  const skipped = count(({ leftOut }) => leftOut !== undefined);
  console.log(`${outcomes.length - failed - skipped} passed, ${failed} failed, ${skipped} skipped`);
  if (failed + skipped === 0) writeFileSync(passedStamp, inputs);
  process.exitCode = failed === 0 ? 0 : 1;
}

interface Outcome {
  name: string;
  failure?: string;
  /** Why it was not tried. */
  leftOut?: string;
}

async function checkAll(): Promise<Outcome[]> {
  const dataDir = mkdtempSync(join(tmpdir(), 'florin-generators-'));
  const environment = { PORT: '0', APP_DATA_DIR: dataDir, APP_ADMIN_PASSWORD: administratorPassword };
  const service = await startService({ environment });
  try {
    const stage = { document, payAt: await payAt(service) };
    const types = outcomeOf('openapi-typescript and @hey-api/openapi-ts', checkTypes);
    const checks = toolchains.map((toolchain) => checkToolchain(toolchain, stage, service));
    return [await types, ...(await Promise.all(checks)).flat()];
  } finally {
    await service.end('SIGTERM');
    rmSync(dataDir, { recursive: true, force: true });
  }
}

/** What the programs pay with: address of the service, key, channel. */
async function payAt(service: FlorinClient): Promise<string[]> {
  const session = await administratorOf(service);
  const channel = { code: 'bank', name: 'Bank', type: 'OFFLINE', currency: 'USD', country: 'US', state: true };
  const { id } = dataOf(await service.post('/api/channel/modify', { ...channel, livemode: false }, session));
  const { sk } = dataOf(await service.post('/api/developer/mine/generate', { scope: '*', livemode: false }, session));
  return [service.address, sk, String(id)];
}

async function checkToolchain(
  { programs, install, generators }: Toolchain,
  stage: Stage,
  service: FlorinClient,
): Promise<Outcome[]> {
  const missing = programs.filter((program) => spawnSync('which', [program]).status !== 0);
  const leaveOut = (leftOut: string) => generators.map(({ name }) => ({ name, leftOut }));
  if (missing.length > 0) return leaveOut(`because this machine has no ${missing.join(' and no ')}`);
  try {
    await install();
  } catch (error) {
    return leaveOut(`because it cannot be installed: ${(error as Error).message}`);
  }
  const outcomes: Outcome[] = [];
  for (const generator of generators) {
    outcomes.push(await outcomeOf(generator.name, () => checkPayment(generator, stage, service)));
  }
  return outcomes;
}

async function checkPayment({ check }: Generator, stage: Stage, service: FlorinClient): Promise<void> {
  const id = (await check(stage)).trim();
  const key = `ApiKey ${stage.payAt[1]}`;
  const { amount } = dataOf(await service.get(`/api/transaction/detail?id=${encodeURIComponent(id)}`, key));
  if (amount !== 1099) throw new Error(`The payment ${id} is of ${amount}, not of 1099.`);
}

async function outcomeOf(name: string, check: () => Promise<void>): Promise<Outcome> {
  try {
    await check();
    return { name };
  } catch (error) {
    return { name, failure: (error as Error).message };
  }
}

/** What the outcome depends on: the document, and everything in tools/generators. */
function digestOfInputs(): string {
  const hash = createHash('sha256').update(readFileSync(document));
  const paths = readdirSync(source(), { recursive: true, encoding: 'utf8' }).sort();
  for (const path of paths.filter((one) => statSync(source(one)).isFile())) {
    hash.update(path).update(readFileSync(source(path)));
  }
  return hash.digest('hex');
}
