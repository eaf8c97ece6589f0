import { expect } from 'vitest';
import { type ServiceOptions, spawnService } from './service-process.ts';

/** The line on standard error of a start that fails. */
export async function refusalOfStart(options: ServiceOptions): Promise<string> {
  const service = spawnService(options);
  const { code } = await service.ended;
  const said = service.stderr.split('\n').filter((line) => line !== '' && !line.startsWith('{'));
  expect({ code, stdout: service.stdout, lines: said.length }, service.stderr).toEqual({
    code: 1,
    stdout: '',
    lines: 1,
  });
  expect(said[0]).toMatch(/^Florin cannot start: \S.*\.$/);
  return said[0] as string;
}
