import { expect, test } from 'vitest';
import { OtherProcesses } from '../../../platform/process/other-processes.ts';
import { WrongCodes } from './wrong-codes.ts';

test('of wrong codes that are tried in parallel through all processes of a node, ten get an answer', async () => {
  const first = new OtherProcesses();
  const second = new OtherProcesses();
  second.askBy((name, text) => first.asked(name, text, 2));
  const processes = [first, second].map((otherProcesses) => new WrongCodes({ clock: () => 1_000, otherProcesses })) as [
    WrongCodes,
    WrongCodes,
  ];
  const taken = await Promise.all(Array.from({ length: 40 }, (_, i) => (processes[i % 2] as WrongCodes).take(7)));
  expect(taken.filter(({ isExceeded }) => !isExceeded)).toHaveLength(10);
  for (const process of processes) {
    expect(await process.peek(7)).toMatchObject({ isExceeded: true, resetSeconds: 900 });
    expect(await process.peek(8)).toMatchObject({ isExceeded: false });
  }
});
