import { expect, test } from 'vitest';
import { passwordCost } from '../../../tests/support/service/password-cost.ts';
import { Passwords } from './passwords.ts';

test('a password matches its own hash and no other, and hashes never repeat', async () => {
  const passwords = new Passwords();
  const [one, two] = await Promise.all([passwords.hash('green boats'), passwords.hash('green boats')]);
  expect(one).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
  expect(one).not.toBe(two);
  expect(await passwords.verify(one, 'green boats')).toBe(true);
  expect(await passwords.verify(one, 'green boat')).toBe(false);
});

test('the password of an unknown account is always wrong, and takes a computation as well', async () => {
  const passwords = new Passwords();
  expect(await passwords.verify(undefined, 'anything')).toBe(false);
  expect(passwords.computed).toBe(1);
});

test('when the queue is full a computation is refused at once; those in it are served in order', async () => {
  const passwords = new Passwords({ concurrency: 2, maxQueued: 3 });
  const served: number[] = [];
  const outcomes = await Promise.allSettled(
    Array.from({ length: 8 }, async (_, i) => {
      await passwords.hash('x');
      served.push(i);
    }),
  );
  const refused = outcomes.filter((outcome) => outcome.status === 'rejected');
  expect(refused).toHaveLength(3);
  for (const { reason } of refused) expect(reason).toMatchObject({ type: 'overloaded', retryAfterSeconds: 1 });
  expect(served.sort()).toEqual([0, 1, 2, 3, 4]);
  expect(passwords.computed).toBe(5);
  await passwords.hash('the queue is free again');
});

test('a computation that fails frees its slot', async () => {
  const passwords = new Passwords({ concurrency: 1, maxQueued: 1 });
  await expect(passwords.verify('no hash at all', 'x')).rejects.toThrow();
  expect(await passwords.verify(await passwords.hash('x'), 'x')).toBe(true);
});

test('a caller with many hashes delays another by one, and is refused when the queue is full', async () => {
  const passwords = new Passwords({ concurrency: 1, maxQueued: 10, cost: passwordCost });
  const served: string[] = [];
  const ask = (caller: string) => passwords.hash('x', caller).then(() => served.push(caller));
  const many = Array.from({ length: 11 }, () => ask('many'));
  const others = ['one', 'two'].map(ask);
  const outcomes = await Promise.allSettled([...many, ...others]);
  expect(outcomes.map(({ status }) => status === 'fulfilled')).toEqual([
    ...Array(9).fill(true),
    false,
    false,
    true,
    true,
  ]);
  expect(served.slice(0, 4)).toEqual(['many', 'many', 'one', 'two']);
});
