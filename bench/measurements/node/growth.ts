import { mkdtempSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Bench, Line } from '../../bench.ts';
import { removeFolder, temporaryFolder } from '../../processes/children.ts';
import type { Service } from '../../service.ts';
import { closeFlowShop, type FlowShop, openFlowShop } from '../flow/offered.ts';

const usualPayments = 100_000;
const connections = 64;
const loadSeconds = 10;
const pauseMs = 1_000;

/** A third of what they took with 415,000 payments (2.7 GB) on two cores, per payment. */
const goals = { verify: 99, backup: 289 };

/**
 * What it takes to verify, to back up with proof, to restore and to export a payment: with 100,000 payments or
 * `--payments`, which the service itself makes, charges at the sandbox and posts to an endpoint. The service runs, and
 * nobody calls it meanwhile.
 */
export async function growth(bench: Bench): Promise<Line[]> {
  const shop = await openFlowShop(bench, { answering: 1 });
  const { service } = shop;
  const backups = temporaryFolder();
  try {
    const payments = await makePayments(bench, shop, bench.payments ?? usualPayments);
    await service.query('vacuum analyze');
    await service.query('checkpoint');
    await service.waitUntilIdle();
    const size = await sizeOf(service);
    const timed = async (what: string, run: () => Promise<unknown>): Promise<number> => {
      const startedAt = performance.now();
      await run();
      const elapsedMs = performance.now() - startedAt;
      bench.log(`growth: ${what} of ${payments} payments (${size}): ${(elapsedMs / 1000).toFixed(1)} s`);
      return (elapsedMs * 1000) / payments;
    };
    const lineOf = (what: string, figure: number, atMost?: number): Line => ({
      measurement: 'growth',
      what: `µs a payment, ${what}`,
      ours: `${figure.toFixed(0)} µs`,
      against: atMost === undefined ? '' : `${atMost} µs`,
      figure,
      ...(atMost !== undefined && { goal: { atMost } }),
      comment: `${payments} payments, ${size}`,
    });
    const into = mkdtempSync(join(backups, 'made-'));
    const verify = await timed('verify', () => service.runCommand('verify.ts'));
    const backup = await timed('a proven backup', () => service.runCommand('backup.ts', into));
    const [made = ''] = readdirSync(into);
    const restore = await timed('a restore with its check', () =>
      service.runCommand('restore.ts', join(into, made), '--data-dir', join(backups, 'restored')),
    );
    const exported = await timed('the export', () => exportPayments(shop, payments));
    return [
      lineOf('verify', verify, goals.verify),
      lineOf('a proven backup', backup, goals.backup),
      lineOf('a restore with its check', restore),
      lineOf('the export as CSV', exported),
    ];
  } finally {
    removeFolder(backups);
    await closeFlowShop(shop);
  }
}

/** Until as many are charged, settled and posted; returns their number. */
async function makePayments(bench: Bench, { service, requests }: FlowShop, least: number): Promise<number> {
  for (let made = 0; made < least; ) {
    const { served, refused } = await bench.load({
      port: service.port,
      requests,
      connections,
      seconds: loadSeconds,
      warmUpSeconds: 0,
    });
    made += served - refused;
    bench.log(`growth: ${made} of ${least} payments made`);
  }
  while (await hasOpenWork(service)) await new Promise((resolve) => setTimeout(resolve, pauseMs));
  const [row] = await service.query<{ count: number }>('select count(*)::int as count from transaction');
  return row?.count ?? 0;
}

async function hasOpenWork(service: Service): Promise<boolean> {
  const [row] = await service.query<{ open: boolean }>(
    `select exists (select from provider_operation where finished_at is null)
            or exists (select from delivery where state = 'OPEN') as open`,
  );
  return row?.open === true;
}

async function sizeOf(service: Service): Promise<string> {
  const [row] = await service.query<{ size: string }>(
    'select pg_size_pretty(pg_database_size(current_database())) as size',
  );
  return row?.size ?? '';
}

async function exportPayments({ service, key }: FlowShop, payments: number): Promise<void> {
  const response = await fetch(`http://127.0.0.1:${service.port}/api/transaction/list`, {
    headers: { authorization: `ApiKey ${key}`, accept: 'text/csv' },
  });
  let lines = 0;
  for await (const chunk of response.body ?? []) for (const byte of chunk) if (byte === newline) lines++;
  if (lines !== payments + 1) throw new Error(`The export has ${lines - 1} rows of ${payments}.`);
}

const newline = 0x0a;
