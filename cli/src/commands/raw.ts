import { operations } from '../../../sdk/src/generated/operations.ts';
import { printableJson } from '../../../sdk/src/printable.ts';
import type { AddCommands, Cli } from '../cli.ts';
import { usageFailure } from '../failures.ts';
import { parametersOf } from './parameters.ts';
import { withMode } from './resources.ts';

/** `florin get` and `florin post`: any path of the service. */
export const addRawCommands: AddCommands = (program, run) => {
  const example = (line: string) => `\nA value that is not JSON is text:\n\n  ${line}\n`;
  program
    .command('get')
    .description('request any path, and print the answer as it is')
    .argument('<path>', 'such as /api/transaction/list')
    .argument('[name=value...]', 'the query')
    .addHelpText('after', example('florin get /api/transaction/list status=FAILED pageSize=5'))
    .action(run((cli: Cli, path: string, words: string[]) => request(cli, 'GET', path, words)));
  program
    .command('post')
    .description('post to any path, and print the answer as it is')
    .argument('<path>', 'such as /api/customer/modify')
    .argument('[name=value...]', 'the body')
    .option('--idempotency-key <key>', 'the same key never does it twice')
    .addHelpText('after', example(`florin post /api/customer/modify name=Ada metadata='{"tier":"gold"}'`))
    .action(
      run((cli: Cli, path: string, words: string[], { idempotencyKey }: { idempotencyKey?: string }) =>
        request(cli, 'POST', path, words, idempotencyKey),
      ),
    );
};

async function request(
  cli: Cli,
  method: 'GET' | 'POST',
  path: string,
  words: readonly string[],
  idempotencyKey?: string,
): Promise<void> {
  if (!path.startsWith('/')) throw usageFailure(`${path} is not a path, such as /api/transaction/list.`);
  const { florin, out, signal, system } = cli;
  const params = withMode(cli, flagsOf(method, path), parametersOf(words));
  const response = await florin.request(method, path, params, { signal, idempotencyKey });
  const text = await response.text();
  const isJson = response.headers.get('content-type')?.includes('json') === true;
  out.line(isJson ? printableJson(JSON.parse(text), system.isTerminal ? 2 : 0) : text.trimEnd());
}

/** The flags of the operation at a path; none if there is no such operation. */
function flagsOf(method: 'GET' | 'POST', path: string): string {
  const [, , flags = ''] = Object.values(operations).find(([verb, of]) => verb === method && of === path) ?? [];
  return flags;
}
