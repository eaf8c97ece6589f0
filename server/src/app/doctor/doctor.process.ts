import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { examine, type Outcome, run } from './doctor.ts';
import { type ExaminedNode, findingsOf, healthyMachine, openExaminedNode } from './fixture/examined-node.ts';

let node: ExaminedNode;

beforeAll(async () => {
  node = await openExaminedNode();
});

afterAll(() => node.close());

const skippedOf = (outcomes: readonly Outcome[]) =>
  outcomes.filter(({ skipped }) => skipped !== undefined).map(({ check }) => check);

test('what is not checked is never called fine', async () => {
  const ofArchive = 'the embedded PostgreSQL can be restored to any second';
  const ofProfile = 'no account has a usual name in the strict profile';
  expect(skippedOf(await examine(node.clusterNode(), healthyMachine))).toEqual([ofArchive, ofProfile]);
  expect(skippedOf(await examine(node.production(), healthyMachine))).toEqual([ofArchive, ofProfile]);
  const here = await examine(node.settingsOf(), { ...healthyMachine, openFileLimit: async () => undefined });
  expect(skippedOf(here)).toEqual([
    'a process may open enough files',
    'the public address is an https address',
    'no payment can be made with the sandbox in production',
    'mail can be sent',
    ofArchive,
    'platform administrators have a second factor in production',
    ofProfile,
  ]);
  const empty = await examine(node.settingsOf({ APP_DATA_DIR: join(node.folder, 'none') }), healthyMachine);
  expect(skippedOf(empty)).toEqual(
    expect.arrayContaining(['this account alone can use the data folder', 'the disk of the data folder has room']),
  );
  const lines: string[] = [];
  await run([], { settings: node.settingsOf(), print: (line) => lines.push(line) });
  expect(lines).toContainEqual(expect.stringMatching(/^skipped {2}mail can be sent: not checked, because only this/));
});

test('a single machine that others reach is in production too', async () => {
  await node.db.query('update app_user set has_second_factor = false');
  try {
    const settings = node.settingsOf({ APP_PUBLIC_URL: 'http://pay.example.com' });
    expect(findingsOf(await examine(settings, healthyMachine)).map(({ check }) => check)).toEqual([
      'the public address is an https address',
      'no payment can be made with the sandbox in production',
      'mail can be sent',
      'platform administrators have a second factor in production',
    ]);
  } finally {
    await node.db.query('update app_user set has_second_factor = true');
  }
});

test.each(['http://localhost:8080', 'http://pay.localhost', 'http://127.0.0.2/florin', 'http://[::1]:8080'])(
  '%s is an address of this machine alone',
  async (url) => {
    const outcomes = await examine(node.settingsOf({ APP_PUBLIC_URL: url }), healthyMachine);
    expect(skippedOf(outcomes)).toContain('the public address is an https address');
  },
);

test('on a healthy node nothing is found', async () => {
  for (const settings of [node.settingsOf(), node.production(), node.clusterNode()]) {
    const outcomes = await examine(settings, healthyMachine);
    expect(findingsOf(outcomes)).toEqual([]);
    expect(new Set(outcomes.map(({ check }) => check)).size).toBe(outcomes.length);
  }
});

test('the command ends with 1 when something is wrong, and prints it as lines or as JSON', async () => {
  const lines: string[] = [];
  const print = (line: string) => lines.push(line);
  const settings = node.clusterNode({ APP_SANDBOX_ENABLED: 'true' });
  expect(await run([], { settings, print })).toBe(1);
  expect(lines.join('\n')).toMatch(/^WRONG {4}no payment can be made with the sandbox.*\ncure {5}set/m);
  expect(await run(['--json'], { settings, print })).toBe(1);
  expect(JSON.parse(lines.at(-1) as string)).toMatchObject({ isHealthy: false });
});
