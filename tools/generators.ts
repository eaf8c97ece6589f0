import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { declaredOpenApi } from '../server/src/app/openapi/document.ts';
import { installApart } from './packaging/install-apart.ts';
import { answerHelp } from './usage.ts';

/**
 * `npm run generators`: makes types from the OpenAPI document with two third-party generators, and compiles a small client with
 * each. They need an older TypeScript and 55 MB, and are installed into a folder of their own.
 */
answerHelp(`Usage: npm run generators

Makes types from the OpenAPI document with two third-party generators, and compiles a small client with each. They are installed
into build/generators.
`);

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const folder = installApart('generators');

const generators = [
  {
    name: 'openapi-typescript',
    words: ['openapi-typescript/bin/cli.js', 'openapi.json', '-o', 'openapi-typescript/types.ts'],
    client: `
      import type { components, operations, paths, webhooks } from './types.ts';

      type Transaction = components['schemas']['Transaction'];
      type Create = operations['createTransaction']['requestBody']['content']['application/json'];
      type Created = paths['/api/transaction/create']['post']['responses'][200]['content']['application/json'];
      type Event = webhooks['transaction.succeeded']['post'];

      export const draft: Create = { amount: 1999, currency: 'USD', channelId: 1 };
      export const idOf = ({ data }: Created): Transaction['id'] => data.id;
      export const statusOf = ({ status }: Transaction): 'SUCCESS' | 'other' => (status === 'SUCCESS' ? status : 'other');
      export const named: keyof Event = 'requestBody';
      // @ts-expect-error An amount is a number.
      export const refused: Create = { amount: '19.99', currency: 'USD', channelId: 1 };
    `,
  },
  {
    name: '@hey-api/openapi-ts',
    words: [
      '@hey-api/openapi-ts/bin/run.js',
      '-i',
      'openapi.json',
      '-o',
      'hey-api',
      '-p',
      '@hey-api/typescript',
      '--silent',
    ],
    client: `
      import type { CreateTransactionData, CreateTransactionResponse, Transaction } from './types.gen';

      export const draft: CreateTransactionData['body'] = { amount: 1999, currency: 'USD', channelId: 1 };
      export const idOf = ({ data }: CreateTransactionResponse): Transaction['id'] => data.id;
      export const statusOf = ({ status }: Transaction): 'SUCCESS' | 'other' => (status === 'SUCCESS' ? status : 'other');
      // @ts-expect-error An amount is a number.
      export const refused: CreateTransactionData['body'] = { amount: '19.99', currency: 'USD', channelId: 1 };
    `,
  },
];

writeFileSync(join(folder, 'openapi.json'), JSON.stringify(declaredOpenApi()));
process.exitCode = generators.every(generate) && compile() ? 0 : 1;

function generate({ name, words: [program = '', ...options], client }: (typeof generators)[number]): boolean {
  const out = join(folder, folderOf(name));
  rmSync(out, { recursive: true, force: true });
  mkdirSync(out, { recursive: true });
  if (!run(process.execPath, [join('node_modules', program), ...options])) return false;
  writeFileSync(join(out, 'client.ts'), client);
  return true;
}

/** With the compiler and the strictness of this repository. */
function compile(): boolean {
  const { compilerOptions } = JSON.parse(readFileSync(join(root, 'tsconfig.json'), 'utf8')) as {
    compilerOptions: object;
  };
  const options = { ...compilerOptions, module: 'ESNext', moduleResolution: 'Bundler', types: [] };
  writeFileSync(
    join(folder, 'tsconfig.json'),
    JSON.stringify({ compilerOptions: options, include: generators.map(({ name }) => `${folderOf(name)}/*.ts`) }),
  );
  const isCompiled = run(join(root, 'node_modules', '.bin', 'tsc'), ['--project', 'tsconfig.json']);
  for (const { name } of generators)
    console.log(`${name}: ${isCompiled ? 'its types compile' : 'see the errors above'}`);
  return isCompiled;
}

function folderOf(name: string): string {
  return name === 'openapi-typescript' ? name : 'hey-api';
}

function run(command: string, words: string[]): boolean {
  const { status } = spawnSync(command, words, { cwd: folder, stdio: ['ignore', process.stderr, 'inherit'] });
  if (status !== 0) console.error(`${command} ${words.join(' ')} failed.`);
  return status === 0;
}
