import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { administratorOf, dataOf } from '../../../../tests/support/factories.ts';
import { keptMails } from '../../../../tests/support/mail/kept-mails.ts';
import { eventually } from '../../../../tests/support/postgres/database.ts';
import { administratorPassword } from '../../../../tests/support/service/florin.ts';
import { startService } from '../../../../tests/support/service/service-process.ts';

test('kill -9 after the commit and before the mail is sent: the invitation is sent after the next start', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'florin-mails-'));
  // A mail server that accepts connections and never greets.
  const connected = Promise.withResolvers<Socket>();
  const silent = createServer(connected.resolve).listen(0, '127.0.0.1');
  await once(silent, 'listening');
  const environment = { PORT: '0', APP_DATA_DIR: dataDir, APP_ADMIN_PASSWORD: administratorPassword };
  const { port } = silent.address() as AddressInfo;
  let service = await startService({ environment: { ...environment, APP_MAIL_URL: `smtp://127.0.0.1:${port}` } });
  try {
    const admin = await administratorOf(service);
    const user = { userName: 'guest', email: 'guest@shop.example', userType: 'MERCHANT_USER', state: true };
    dataOf(await service.post('/api/user/modify', user, admin));
    const socket = await connected.promise;
    expect((await service.end('SIGKILL')).signal).toBe('SIGKILL');
    socket.destroy();
    service = await startService({ environment });
    const mail = await eventually('the invitation is sent', async () => (await keptMails(dataDir))[0]);
    expect(mail).toContain(`To: ${user.email}`);
    const [, token] = /token=([\w-]+)/.exec(mail) ?? [];
    const chosen = await service.post('/api/user/reset-password', { token, newPassword: 'seven green boats' });
    expect(chosen.status).toBe(200);
  } finally {
    await service.end('SIGTERM');
    silent.close();
    await rm(dataDir, { recursive: true, force: true });
  }
});
