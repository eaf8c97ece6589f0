import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { faultOf, send } from '@florin/server/tests/faults/fuzz/exchange.ts';
import { exchangeRaw, faultOfRaw, rawExchanges } from '@florin/server/tests/faults/fuzz/raw.ts';
import { prepare } from '@florin/server/tests/faults/fuzz/records.ts';
import { operationsOf, requestTo } from '@florin/server/tests/faults/fuzz/requests.ts';
import { validValues } from '@florin/server/tests/faults/fuzz/valid-values.ts';
import { administratorPassword } from '@florin/server/tests/service/florin.ts';
import { startService } from '@florin/server/tests/service/service-process.ts';
import fc from 'fast-check';

/** `npm run fuzz`: sends generated requests to a service of its own and reports answers that it must never give. */
const usage = `Usage: npm run fuzz -- [--requests number] [--seed number] [--raw percent]

Starts a service in a temporary folder and sends requests to it over the loopback interface: most are generated from
its OpenAPI document, some are raw bytes that no HTTP client would send. Prints each request whose answer is a 5xx or
lacks the envelope, with the seed and the number of its batch, and ends with 1 if there was one. The same seed sends
the same requests.

  --requests  how many, 20000 by default
  --seed      where the generator begins, 1 by default
  --raw       how many of a hundred are raw bytes, 20 by default
`;

const { values } = parseArgs({
  options: {
    requests: { type: 'string', default: '20000' },
    seed: { type: 'string', default: '1' },
    raw: { type: 'string', default: '20' },
    help: { type: 'boolean', short: 'h', default: false },
  },
});
const [requests, seed, rawPercent] = [values.requests, values.seed, values.raw].map(Number) as [number, number, number];
if (values.help || ![requests, seed, rawPercent].every(Number.isSafeInteger)) {
  process.stdout.write(usage);
  process.exit(values.help ? 0 : 2);
}

/** Requests that are generated from one seed. */
const batchSize = 500;
/** Requests in flight at once. */
const inFlight = 25;
const reportEvery = 10_000;

const dataDir = mkdtempSync(join(tmpdir(), 'florin-fuzz-'));
const service = await startService({
  environment: {
    PORT: '0',
    APP_DATA_DIR: dataDir,
    APP_ADMIN_PASSWORD: administratorPassword,
    APP_LOG_LEVEL: 'error',
    // Longer than a campaign.
    APP_JWT_ACCESS_TOKEN_EXPIRE: '30d',
    APP_JWT_REFRESH_TOKEN_EXPIRE: '30d',
  },
});
const counts = new Map<string, number>();
let faults = 0;
let sent = 0;
let hasEnded = false;
service.ended.then(
  () => {
    hasEnded = true;
  },
  () => {},
);

try {
  const prepared = await prepare(service);
  const { body } = await service.get('/openapi.json');
  const structured = requestTo(operationsOf(body, validValues(prepared.records)), prepared.credentials.length).map(
    (request) => async () => {
      const response = await send(request, service, prepared);
      const fault = faultOf(response, await response.text());
      const { method, path } = request.operation;
      return { status: String(response.status), fault, request: () => `${method} ${path} ${JSON.stringify(request)}` };
    },
  );
  const raw = rawExchanges(prepared.credentials[0] as string).map((exchange) => async () => {
    const answer = await exchangeRaw(exchange, service.address);
    const status = `raw ${/^HTTP\/1\.1 (\d{3})/.exec(answer)?.[1] ?? (exchange.cut ? 'cut off' : 'unanswered')}`;
    const { name, bytes } = exchange;
    return { status, fault: faultOfRaw(answer), request: () => `${name}: ${JSON.stringify(bytes.slice(0, 2_000))}` };
  });
  const exchanges = fc.oneof(
    { weight: 100 - rawPercent, arbitrary: structured },
    { weight: rawPercent, arbitrary: raw },
  );

  const startedAt = performance.now();
  for (let batch = 0; sent < requests && !hasEnded; batch++) {
    await prepared.renew();
    const queue = fc.sample(exchanges, { seed: seed + batch, numRuns: Math.min(batchSize, requests - sent) });
    const worker = async () => {
      for (let exchange = queue.pop(); exchange !== undefined; exchange = queue.pop()) await count(exchange, batch);
    };
    await Promise.all(Array.from({ length: inFlight }, worker));
    if (sent % reportEvery < batchSize) report(startedAt);
  }
  report(startedAt);
  const ready = hasEnded ? undefined : (await service.get('/health/ready')).status;
  if (ready !== 200) fail(`The service is not ready afterwards: ${ready ?? 'its process has ended'}.`);
  if (/"level":(50|60)|A defect/.test(service.stdout + service.stderr)) {
    fail(`The service logged errors:\n${(service.stdout + service.stderr).slice(-4_000)}`);
  }
} finally {
  await service.end('SIGTERM');
  rmSync(dataDir, { recursive: true, force: true });
}
process.exit(faults === 0 ? 0 : 1);

interface Outcome {
  status: string;
  fault: string | undefined;
  request: () => string;
}

async function count(exchange: () => Promise<Outcome>, batch: number): Promise<void> {
  const { status, fault, request } = await exchange().catch((error: Error) => ({
    status: 'failed',
    fault: `no answer: ${error.message} ${String(error.cause ?? '')}`,
    request: () => 'a request whose connection broke',
  }));
  sent++;
  counts.set(status, (counts.get(status) ?? 0) + 1);
  if (fault !== undefined) fail(`seed ${seed}, batch ${batch}: ${fault}\n  ${request()}`);
}

function fail(message: string): void {
  faults++;
  if (faults <= 50) process.stdout.write(`FAULT ${message}\n`);
}

function report(startedAt: number): void {
  const seconds = (performance.now() - startedAt) / 1000;
  const byStatus = [...counts].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([status, times]) => `${status}: ${times}`);
  process.stdout.write(
    `${sent} requests in ${seconds.toFixed(0)} s (${(sent / seconds).toFixed(0)}/s), ${faults} faults. ` +
      `${byStatus.join(', ')}\n`,
  );
}
