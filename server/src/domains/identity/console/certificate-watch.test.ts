import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:tls';
import { expect, test } from 'vitest';
import { selfSigned } from '../../../../tests/support/self-signed.ts';
import { CertificateWatch } from './certificate-watch.ts';

test('the end of the certificate at the public address is read, also of one that nobody has signed', async () => {
  const server = createServer(selfSigned, (socket) => socket.end()).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const watch = new CertificateWatch(`https://127.0.0.1:${port}/florin`);
  expect(watch.endTime).toBeNull();
  await watch.read();
  expect(watch.endTime).toBe('2126-10-28T11:06:03.000Z');
  server.close();
  await once(server, 'close');
  await expect(watch.read()).rejects.toThrow('ECONNREFUSED');
  expect(watch.endTime).toBe('2126-10-28T11:06:03.000Z');
  watch.stop();
});

test('an address without a certificate has no end', () => {
  expect(new CertificateWatch('http://127.0.0.1:8080').endTime).toBeNull();
});
