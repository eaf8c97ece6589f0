import type { LookupAddress } from 'node:dns';
import { expect, test } from 'vitest';
import { AddressGuard } from '../address-guard.ts';

const cluster = new AddressGuard({ allowsPrivate: false, allowTargets: [] });
const standalone = new AddressGuard({ allowsPrivate: true, allowTargets: [] });
const hostOf = (url: string) => new URL(url).hostname;

const loopbackAndPrivate = [
  'http://127.0.0.1',
  'http://127.255.255.254',
  'http://2130706433',
  'http://0x7f.1',
  'http://0177.0.0.1',
  'http://127.1',
  'http://[::1]',
  'http://[::ffff:127.0.0.1]',
  'http://10.1.2.3',
  'http://172.16.0.1',
  'http://192.168.1.1',
  'http://[::ffff:10.0.0.1]',
  'http://[fd12:3456::1]',
];
const notPublic = [
  'http://0.0.0.0',
  'http://169.254.169.254',
  'http://[fe80::1]',
  'http://[fd00:ec2::254]',
  'http://100.64.0.1',
  'http://100.100.100.200',
  'http://192.0.2.1',
  'http://198.18.0.1',
  'http://224.0.0.1',
  'http://240.0.0.1',
  'http://255.255.255.255',
  'http://[::]',
  'http://[::127.0.0.1]',
  'http://[::ffff:169.254.169.254]',
  'http://[64:ff9b::7f00:1]',
  'http://[64:ff9b:1::7f00:1]',
  'http://[2002:7f00:1::]',
  'http://[2001::1]',
  'http://[2001:db8::1]',
  'http://[fec0::1]',
  'http://[ff02::1]',
];

test.each([...loopbackAndPrivate, ...notPublic])('%s is refused outside standalone mode', (url) => {
  expect(cluster.allowsHost(hostOf(url))).toBe(false);
});

test.each(loopbackAndPrivate)('%s is allowed in standalone mode', (url) => {
  expect(standalone.allowsHost(hostOf(url))).toBe(true);
});

test.each(notPublic)('%s is refused in standalone mode too', (url) => {
  expect(standalone.allowsHost(hostOf(url))).toBe(false);
});

test.each(['http://8.8.8.8', 'https://[2606:4700::1111]', 'https://example.com'])('%s is allowed everywhere', (url) => {
  expect([cluster.allowsHost(hostOf(url)), standalone.allowsHost(hostOf(url))]).toEqual([true, true]);
});

test('only addresses within the allowed targets are allowed', () => {
  const guard = new AddressGuard({ allowsPrivate: false, allowTargets: ['10.1.0.0/16', 'fd12::/16'] });
  const hosts = ['10.1.2.3', '[::ffff:10.1.2.3]', '[fd12::1]', '10.2.0.1', '[fd13::1]', '127.0.0.1'];
  expect(hosts.map((host) => guard.allowsHost(host))).toEqual([true, true, true, false, false, false]);
});

test('an allowed target that is not a CIDR is an error', () => {
  expect(() => new AddressGuard({ allowsPrivate: false, allowTargets: ['10.0.0.0'] })).toThrow();
});

test('a name with a loopback address is refused at registration and at the connection', async () => {
  expect(await cluster.allowsTarget('localhost')).toBe(false);
  expect(await cluster.allowsTarget('a.localhost')).toBe(false);
  expect(await standalone.allowsTarget('localhost')).toBe(true);
  await expect(lookup(cluster, 'localhost')).rejects.toMatchObject({ code: 'FORBIDDEN_ADDRESS' });
});

test('a connection gets exactly the addresses that were checked', async () => {
  const addresses = await lookup(standalone, 'localhost');
  expect(addresses.length).toBeGreaterThan(0);
  expect(addresses.every(({ address }) => standalone.allowsAddress(address))).toBe(true);
});

function lookup(guard: AddressGuard, hostname: string): Promise<LookupAddress[]> {
  return new Promise((resolve, reject) => {
    guard.lookup(hostname, { all: true }, (error, addresses) => {
      if (error) reject(error);
      else resolve(addresses as unknown as LookupAddress[]);
    });
  });
}
