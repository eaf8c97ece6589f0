import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { built, root, run } from './generator.ts';

/** Generators of types alone, each with code that must compile with its types. */
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
      export const statusOf = ({ status }: Transaction): 'SUCCESS' | 'other' =>
        (status === 'SUCCESS' ? status : 'other');
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
      export const statusOf = ({ status }: Transaction): 'SUCCESS' | 'other' =>
        (status === 'SUCCESS' ? status : 'other');
      // @ts-expect-error An amount is a number.
      export const refused: CreateTransactionData['body'] = { amount: '19.99', currency: 'USD', channelId: 1 };
    `,
  },
];

/** Generates the types, and compiles the code with the compiler and the strictness of this repository. */
export async function checkTypes(): Promise<void> {
  await Promise.all(generators.map(generate));
  const { compilerOptions } = JSON.parse(await readFile(join(root, 'tsconfig.json'), 'utf8')) as {
    compilerOptions: object;
  };
  const options = {
    ...compilerOptions,
    module: 'ESNext',
    moduleResolution: 'Bundler',
    types: ['node'],
    typeRoots: [join(root, 'node_modules/@types')],
  };
  const include = generators.map(({ name }) => `${folderOf(name)}/*.ts`);
  await writeFile(built('tsconfig.json'), JSON.stringify({ compilerOptions: options, include }));
  await run(join(root, 'node_modules', '.bin', 'tsc'), ['--project', 'tsconfig.json'], { cwd: built() });
}

async function generate({
  name,
  words: [program = '', ...options],
  client,
}: (typeof generators)[number]): Promise<void> {
  const out = built(folderOf(name));
  await rm(out, { recursive: true, force: true });
  await mkdir(out, { recursive: true });
  await run(process.execPath, [join('node_modules', program), ...options], { cwd: built() });
  await writeFile(join(out, 'client.ts'), client);
}

const folderOf = (name: string) => (name === 'openapi-typescript' ? name : 'hey-api');
