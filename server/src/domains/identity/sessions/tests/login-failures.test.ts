import { expect, test } from 'vitest';
import { OtherProcesses } from '../../../../platform/process/other-processes.ts';
import { LoginFailures } from '../login-failures.ts';

/** The first process of a node, and two others that ask it. */
function threeProcesses() {
  const first = new OtherProcesses();
  const failuresOf = (otherProcesses: OtherProcesses) =>
    new LoginFailures({ clock: () => 1_000, failuresPerAddress: 12, otherProcesses });
  const asking = (number: number) => {
    const otherProcesses = new OtherProcesses();
    otherProcesses.askBy((name, text) => first.asked(name, text, number));
    return failuresOf(otherProcesses);
  };
  return { first, one: failuresOf(first), two: asking(2), three: asking(3) };
}

const address = '192.0.2.1';
const fail = async (failures: LoginFailures, account: string) => (await failures.reserve(account, address)).fail();
const tooMany = { type: 'too_many_attempts', retryAfterSeconds: 900 };

test('failed logins count for all processes of a node, by account and by address', async () => {
  const { one, two, three } = threeProcesses();
  for (let failure = 0; failure < 10; failure++) await fail(failure % 2 === 0 ? one : two, 'clerk');
  for (const process of [one, two, three])
    await expect(process.reserve('clerk', address)).rejects.toMatchObject(tooMany);
  for (const account of ['first', 'second']) await fail(two, account);
  for (const process of [one, three]) await expect(process.reserve('third', address)).rejects.toMatchObject(tooMany);
});

test('of parallel attempts through all processes, ten are tried', async () => {
  const processes = Object.values(threeProcesses()).filter((one) => one instanceof LoginFailures);
  let tried = 0;
  const attempt = (failures: LoginFailures) =>
    failures.attempt('clerk', address, async () => {
      tried++;
      return undefined;
    });
  const attempts = Array.from({ length: 40 }, (_, i) => attempt(processes[i % 3] as LoginFailures));
  const results = await Promise.allSettled(attempts);
  expect(tried).toBe(10);
  expect(results.filter(({ status }) => status === 'rejected')).toHaveLength(30);
});

test('failures that are cleared, and addresses that are familiar, are so in all processes of a node', async () => {
  const { one, two, three } = threeProcesses();
  for (let failure = 0; failure < 10; failure++) await fail(two, 'clerk');
  three.clear('clerk', address);
  await fail(one, 'clerk');
  (await two.reserve('owner', address)).succeed();
  await fail(one, 'stranger');
  await expect(three.reserve('another', address)).rejects.toMatchObject(tooMany);
  (await three.reserve('owner', address)).release();
});

test('the attempts of a process that ends are released, also one that was waiting', async () => {
  const { first, one, two } = threeProcesses();
  for (let i = 0; i < 10; i++) await two.reserve('clerk', address);
  const [waiting, own] = [two.reserve('clerk', address), one.reserve('clerk', address)];
  const lost = expect(waiting).rejects.toMatchObject({ type: 'overloaded' });
  first.gone(2);
  (await own).release();
  await lost;
  for (let failure = 0; failure < 9; failure++) await fail(one, 'clerk');
  (await one.reserve('clerk', address)).release();
});
