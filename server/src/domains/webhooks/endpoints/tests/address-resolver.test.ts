import { createSocket } from 'node:dgram';
import type { LookupAddress } from 'node:dns';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { addressGuards } from '../address-guard.ts';
import { NameResolver } from '../address-resolver.ts';

/** A DNS server that knows `good.test`, never answers for names below `silent.test`, and denies all others. */
const server = createSocket('udp4');
const queries: string[] = [];
let servers: string[];
let names: NameResolver;

beforeAll(async () => {
  server.on('message', (question, from) => {
    const name = nameIn(question);
    queries.push(name);
    if (name.endsWith('silent.test')) return;
    const isGood = name === 'good.test';
    const isV4 = question.readUInt16BE(13 + name.length + 1) === 1;
    const answer = isGood ? Buffer.from(isV4 ? v4 : v6, 'hex') : Buffer.alloc(0);
    const header = Buffer.from(question.subarray(0, 12));
    header.writeUInt16BE(isGood ? 0x8180 : 0x8183, 2);
    header.writeUInt16BE(isGood ? 1 : 0, 6);
    header.writeUInt32BE(0, 8);
    const questionEnd = 12 + name.length + 2 + 4;
    server.send(Buffer.concat([header, question.subarray(12, questionEnd), answer]), from.port, from.address);
  });
  await new Promise<void>((bound) => server.bind(0, '127.0.0.1', bound));
  servers = [`127.0.0.1:${(server.address() as AddressInfo).port}`];
  names = new NameResolver({ servers });
});

afterAll(() => new Promise<void>((closed) => server.close(closed)));

/** Resource records with a pointer to the name in the query: 192.0.2.7 and 2001:db8::7, for a minute. */
const v4 = 'c00c000100010000003c0004c0000207';
const v6 = 'c00c001c00010000003c001020010db8000000000000000000000007';

function nameIn(question: Buffer): string {
  const labels: string[] = [];
  for (let at = 12; question[at]; at += (question[at] as number) + 1) {
    labels.push(question.toString('latin1', at + 1, at + 1 + (question[at] as number)));
  }
  return labels.join('.').toLowerCase();
}

const found = (hostname: string, family?: number) =>
  new Promise<LookupAddress[]>((resolve, reject) => {
    names.resolve(hostname, { all: true, ...(family !== undefined && { family }) }, (error, addresses) =>
      error === null ? resolve(addresses) : reject(error),
    );
  });

test('a name resolves to its IPv4 and IPv6 addresses, or to those of the requested family', async () => {
  const [seven, sevenOfSix] = [
    { address: '192.0.2.7', family: 4 },
    { address: '2001:db8::7', family: 6 },
  ];
  expect(await found('good.test')).toEqual([seven, sevenOfSix]);
  expect(await found('good.test', 6)).toEqual([sevenOfSix]);
});

test('names whose servers never answer do not delay other names, and fail with a DNS error', async () => {
  const done: string[] = [];
  const silent = Array.from({ length: 20 }, (_, i) =>
    found(`n${i}.silent.test`).catch((error: NodeJS.ErrnoException) => done.push(String(error.code))),
  );
  await found('good.test');
  expect(done).toEqual([]);
  await Promise.all(silent);
  expect(new Set(done)).toEqual(new Set(['EAI_AGAIN']));
}, 15_000);

test('names that DNS does not know are looked up in the hosts file, and localhost only there', async () => {
  await expect(found('nowhere.invalid')).rejects.toMatchObject({ code: expect.stringMatching(/ENOTFOUND|EAI_/) });
  expect(queries).toContain('nowhere.invalid');
  expect((await found('localhost')).map(({ address }) => address)).toContain('127.0.0.1');
  expect(queries).not.toContain('localhost');
});

test('the guards of everyone and of administrators share one queue of system lookups', async () => {
  let running = 0;
  const concurrent: number[] = [];
  const shared = new NameResolver({
    servers,
    lookUpBySystem: async () => {
      concurrent.push(++running);
      await new Promise((resolve) => setImmediate(resolve));
      running--;
      return [{ address: '192.0.2.1', family: 4 }];
    },
  });
  const { everyone, administrators } = addressGuards(true, [], shared);
  const guards = [everyone, administrators, everyone, administrators];
  await Promise.all(guards.map((guard, i) => guard.allowsTarget(`n${i}.unknown.test`)));
  expect(concurrent).toEqual([1, 1, 1, 1]);
});
