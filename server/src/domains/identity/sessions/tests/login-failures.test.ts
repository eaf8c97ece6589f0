import { expect, test } from 'vitest';
import { Siblings } from '../../../../platform/process/siblings.ts';
import { LoginFailures } from '../login-failures.ts';

/** Two processes of a node. Messages of one reach the other when `deliver` is called. */
function twoProcesses() {
  const [one, other] = [new Siblings(), new Siblings()];
  const told: (() => void)[] = [];
  one.sendBy((entries) => told.push(() => other.receive(entries)));
  other.sendBy((entries) => told.push(() => one.receive(entries)));
  const failuresOf = (siblings: Siblings) =>
    new LoginFailures({ clock: () => 1_000, failuresPerAddress: 12, siblings });
  return {
    one: failuresOf(one),
    other: failuresOf(other),
    deliver: async () => {
      while (told.length === 0) await new Promise((resolve) => setTimeout(resolve, 1));
      for (const tell of told.splice(0)) tell();
    },
  };
}

const fail = async (failures: LoginFailures, account: string) => (await failures.reserve(account, '192.0.2.1')).fail();
const tooMany = { type: 'too_many_attempts' };

test('failed logins count for all processes of a node, by account and by address', async () => {
  const { one, other, deliver } = twoProcesses();
  for (let failure = 0; failure < 10; failure++) await fail(one, 'clerk');
  await deliver();
  await expect(other.reserve('clerk', '192.0.2.1')).rejects.toMatchObject(tooMany);
  for (const account of ['first', 'second']) await fail(other, account);
  await deliver();
  await expect(one.reserve('third', '192.0.2.1')).rejects.toMatchObject(tooMany);
});

test('failures that are cleared are cleared in all processes of a node', async () => {
  const { one, other, deliver } = twoProcesses();
  for (let failure = 0; failure < 10; failure++) await fail(one, 'clerk');
  await deliver();
  one.clear('clerk', '192.0.2.1');
  await deliver();
  await fail(other, 'clerk');
});
