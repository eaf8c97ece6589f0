import { chmod, rename, stat } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { examine } from './doctor.ts';
import {
  type Defect,
  type ExaminedNode,
  findingsOf,
  healthyMachine,
  openExaminedNode,
} from './fixture/examined-node.ts';

/** What the doctor says of the machine and the settings. */
let node: ExaminedNode;

beforeAll(async () => {
  node = await openExaminedNode();
});

afterAll(() => node.close());

const defects: Record<string, Defect> = {
  'a data folder that others may write into': {
    check: 'this account alone can use the data folder',
    what: /other accounts may write into .* \(mode 777\)/,
    cure: /chmod 700/,
    plant: async () => {
      const { mode } = await stat(node.dataDir);
      await chmod(node.dataDir, 0o777);
      return () => chmod(node.dataDir, mode);
    },
  },
  'a database that others may enter': {
    check: 'this account alone can use the data folder',
    what: /mode 777.*refuses to start/,
    cure: /chmod 700/,
    plant: async () => {
      const cluster = join(node.dataDir, 'postgres', 'cluster');
      await chmod(cluster, 0o777);
      return () => chmod(cluster, 0o700);
    },
  },
  'keys that others may read': {
    check: 'only their owner can read the keys and the first password',
    what: /encryption-keys can be read by other accounts \(mode 644\)/,
    cure: /chmod 600/,
    plant: async () => {
      await chmod(node.keyFile(), 0o644);
      return () => chmod(node.keyFile(), 0o600);
    },
  },
  'a disk that is nearly full': {
    check: 'the disk of the data folder has room',
    what: /has 953 MB left of 95367 MB/,
    cure: /make room/,
    machine: { freeSpace: async () => ({ free: 1e9, total: 100e9 }) },
  },
  'a low limit of open files': {
    check: 'a process may open enough files',
    what: /may open 1024 files/,
    cure: /LimitNOFILE/,
    machine: { openFileLimit: async () => 1_024 },
  },
  'an address without TLS in a cluster': {
    check: 'the public address is an https address',
    what: /http:\/\/pay.example.com/,
    cure: /APP_PUBLIC_URL/,
    settings: () => node.clusterNode({ APP_PUBLIC_URL: 'http://pay.example.com' }),
  },
  'the sandbox in a cluster': {
    check: 'no payment can be made with the sandbox in production',
    what: /moves no money/,
    cure: /APP_SANDBOX_ENABLED/,
    settings: () => node.clusterNode({ APP_SANDBOX_ENABLED: 'true' }),
  },
  'a mail server that is away': {
    check: 'mail can be sent',
    what: /127\.0\.0\.1:1 does not accept.*ECONNREFUSED/,
    cure: /app\.mail\.url/,
    settings: () => node.clusterNode({ APP_MAIL_URL: 'smtp://user:secret@127.0.0.1:1' }),
  },
  'a cluster that sends no mail': {
    check: 'mail can be sent',
    what: /is not set/,
    cure: /APP_MAIL_URL/,
    settings: () => node.clusterNode({ APP_MAIL_URL: '' }),
  },
};

test.each(Object.entries(defects))('%s is named with its cure, and nothing else', (_name, defect) =>
  node.expectOnly(defect),
);

test('a port that another program uses', async () => {
  const other = createServer();
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
  try {
    const { port } = other.address() as { port: number };
    // A connection that says nothing: the check must not wait for it.
    other.on('connection', (socket) => socket.destroy());
    const findings = findingsOf(await examine(node.settingsOf({ PORT: String(port) }), healthyMachine));
    expect(findings).toMatchObject([{ check: 'the port is free, or Florin listens on it', cure: /ss -ltnp/ }]);
  } finally {
    await new Promise((resolve) => other.close(resolve));
  }
});

test('missing keys are named, also while the database is stopped', async () => {
  await rename(node.keyFile(), join(node.folder, 'keys'));
  try {
    const findings = findingsOf(await examine(node.settingsOf(), healthyMachine));
    expect(findings[0]).toMatchObject({ check: 'the keys are there' });
    expect(findings[0]?.what).toMatch(/encryption-keys is missing/);
  } finally {
    await rename(join(node.folder, 'keys'), node.keyFile());
  }
});
