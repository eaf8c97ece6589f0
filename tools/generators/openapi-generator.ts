import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { built, type Generator, run, source, type Toolchain } from './generator.ts';

const folder = built('openapi-generator');
const libraries = built('openapi-generator', 'libraries');

/** Its jar, because its package for npm fetches one at run time. */
async function generate(name: string, document: string, options: readonly string[] = []): Promise<string> {
  const jars = await readdir(libraries);
  const jar = jars.find((one) => one.startsWith('openapi-generator-cli-')) as string;
  const out = join(folder, name);
  await rm(out, { recursive: true, force: true });
  await run('java', ['-jar', join(libraries, jar), 'generate', '-i', document, '-g', name, '-o', out, ...options]);
  return out;
}

const java: Generator = {
  name: 'openapi-generator java',
  check: async ({ document, payAt }) => {
    const out = await generate('java', document, ['--global-property', 'modelTests=false,apiTests=false']);
    const jars = (await readdir(libraries)).filter((one) => !one.startsWith('openapi-generator-cli-'));
    const classPath = ['classes', ...jars.map((one) => join(libraries, one))].join(delimiter);
    const sources = (await readdir(join(out, 'src/main/java'), { recursive: true }))
      .filter((path) => path.endsWith('.java'))
      .map((path) => join('src/main/java', path));
    await writeFile(join(out, 'sources.txt'), [...sources, source('java', 'Pay.java')].join('\n'));
    await run(
      'javac',
      ['-nowarn', '-encoding', 'UTF-8', '-proc:none', '-d', 'classes', '-cp', classPath, '@sources.txt'],
      { cwd: out },
    );
    return run('java', ['-cp', classPath, 'Pay', ...payAt], { cwd: out });
  },
};

const typescriptFetch: Generator = {
  name: 'openapi-generator typescript-fetch',
  check: async ({ document, payAt }) => {
    const out = await generate('typescript-fetch', document);
    await writeFile(join(out, 'pay.ts'), payByFetch);
    const options = {
      ...{ strict: true, target: 'ES2022', module: 'CommonJS', moduleResolution: 'node10', outDir: 'compiled' },
      ...{ lib: ['ES2022', 'DOM'], types: [] },
    };
    await writeFile(join(out, 'tsconfig.json'), JSON.stringify({ compilerOptions: options, include: ['**/*.ts'] }));
    await writeFile(join(out, 'package.json'), '{ "type": "commonjs" }\n');
    await run(process.execPath, [built('node_modules/typescript/bin/tsc'), '--project', 'tsconfig.json'], { cwd: out });
    return run(process.execPath, [join(out, 'compiled', 'pay.js'), ...payAt]);
  },
};

const payByFetch = `
  import { Configuration, TransactionsApi } from './index';

  declare const process: { argv: string[] };

  const [address = '', key = '', channel = ''] = process.argv.slice(2);
  const transactions = new TransactionsApi(new Configuration({ basePath: address, apiKey: \`ApiKey \${key}\` }));
  const payment = { amount: 1099, currency: 'USD', channelId: Number(channel), description: 'typescript-fetch' };
  transactions
    .createTransaction({ transactionCreateInput: payment, idempotencyKey: 'order-typescript' })
    .then(({ data }) => console.log(data.id));
`;

export const openapiGeneratorToolchain: Toolchain = {
  name: 'openapi-generator',
  programs: ['java', 'javac', 'mvn'],
  install: async () => {
    const stamp = join(folder, 'installed-from.xml');
    const lock = await readFile(source('java', 'pom.xml'), 'utf8');
    if (existsSync(stamp) && (await readFile(stamp, 'utf8')) === lock) return;
    await rm(folder, { recursive: true, force: true });
    await mkdir(folder, { recursive: true });
    const words = ['--quiet', '--batch-mode', 'dependency:copy-dependencies', `-DoutputDirectory=${libraries}`];
    await run('mvn', ['-f', source('java', 'pom.xml'), ...words]);
    await writeFile(stamp, lock);
  },
  generators: [typescriptFetch, java],
};
