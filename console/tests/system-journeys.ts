import { dataOf, makeMember, makeTenant, memberPassword } from '@florin/server/tests/factories.ts';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { goTo, type OpenedConsole } from './opened-console.ts';

/** What operators see of nodes, database, work and backups, and what others see of it. */
export function systemJourneys(opened: () => OpenedConsole): void {
  let console: OpenedConsole;
  let page: Page;

  beforeAll(async () => {
    console = opened();
    page = console.guest;
    // As nodes leave it that were killed, or that run with an older version.
    await console.db.query(
      `insert into service_node (id, host, port, role, processes, version, runtime, migration, key_digest,
                                 clock_ahead_ms, disk_free_bytes, disk_total_bytes, started_at, seen_at)
       select gen_random_uuid(), name, 8080, 'all', 2, version, 'v24.11.1', migration, key_digest, ahead, free, 1e11,
              now() - interval '1 day', now() + later
         from (select migration, key_digest from service_node limit 1) as node
        cross join (values ('killed', '1.0.0', 2, 5e10, -interval '2 minutes'),
                           ('old', '0.9.9', -61000, 5e9, interval '1 hour'))
              as left_by (name, version, ahead, free, later)`,
    );
    await console.signIn(page, 'admin', console.password, '/system');
  });

  afterAll(async () => {
    await console.db.query(`delete from service_node where host in ('killed', 'old')`);
  });

  const row = (name: string) => page.getByRole('row', { name });

  test('an administrator of the platform sees which nodes run, and what is wrong with each', async () => {
    await row('killed:8080').getByText('gone').waitFor();
    await row('old:8080').getByText('1 minute behind').waitFor();
    await row('old:8080').getByText('5 GB of 100 GB').waitFor();
    await page.getByText('The nodes have different versions. Update all of them.').waitFor();
    const { nodes, database, versions } = dataOf(await console.florin.get('/api/system/health', console.admin));
    expect(nodes).toHaveLength(3);
    await row(new URL(console.florin.address).port).getByText('runs').waitFor();
    await page.getByText(`PostgreSQL ${database.version}`).waitFor();
    await page.getByText(versions.newestApplied).waitFor();
    await page.getByRole('row', { name: 'Webhook deliveries' }).waitFor();
  });

  test('a node that is gone for good disappears by itself', async () => {
    await console.db.query(`delete from service_node where host = 'killed'`);
    await row('killed:8080').waitFor({ state: 'detached' });
  });

  test('the page is in German too', async () => {
    await page.evaluate(`localStorage.setItem('florin.preferences', JSON.stringify({ language: 'de' }))`);
    await page.reload();
    await page.getByRole('heading', { name: 'Fällige Arbeit' }).waitFor();
    await row('old:8080').getByText('geht 1 Minute nach').waitFor();
    await page.evaluate(`localStorage.removeItem('florin.preferences')`);
  });

  test('a member of a tenant sees nothing of other nodes and of the database', async () => {
    const tenantId = await makeTenant(console.florin, console.admin);
    const { userName } = await makeMember(console.florin, console.admin, { userType: 'MERCHANT_ADMIN', tenantId });
    const asked: string[] = [];
    page.on('request', (request) => asked.push(request.url()));
    await console.signIn(page, userName, memberPassword, '/payments');
    await goTo(page, '/system');
    await page.getByText('This node serves requests').waitFor();
    await page.getByRole('heading', { name: 'More information' }).waitFor();
    expect(await page.getByRole('heading', { name: 'Nodes' }).count()).toBe(0);
    expect(asked.filter((url) => url.includes('/api/system/'))).toEqual([]);
  });
}
