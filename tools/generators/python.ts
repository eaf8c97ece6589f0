import { existsSync } from 'node:fs';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { built, type Generator, pathWith, run, source, type Toolchain } from './generator.ts';

const folder = built('python');
const programs = built('python', 'venv', 'bin');
const python = built('python', 'venv', 'bin', 'python');

const openapiPythonClient: Generator = {
  name: 'openapi-python-client',
  check: async ({ document, payAt }) => {
    await rm(built('python', 'openapi-python-client'), { recursive: true, force: true });
    const words = ['generate', '--path', document, '--output-path', 'openapi-python-client', '--fail-on-warning'];
    await run('openapi-python-client', words, { cwd: folder, env: pathWith(programs) });
    await run(python, ['-m', 'compileall', '-q', 'openapi-python-client/florin_client'], { cwd: folder });
    const env = { PYTHONPATH: built('python', 'openapi-python-client') };
    return run(python, [source('python', 'pay.py'), ...payAt], { cwd: folder, env });
  },
};

const datamodelCodeGenerator: Generator = {
  name: 'datamodel-code-generator',
  check: async ({ document, payAt }) => {
    const words = [
      ...['--input', document, '--input-file-type', 'openapi', '--output-model-type', 'pydantic_v2.BaseModel'],
      ...['--output', 'models/florin_models.py', '--formatters', 'builtin'],
    ];
    await mkdir(built('python', 'models'), { recursive: true });
    await run('datamodel-codegen', words, { cwd: folder, env: pathWith(programs) });
    const env = { PYTHONPATH: built('python', 'models') };
    return run(python, [source('python', 'pay_with_models.py'), ...payAt], { cwd: folder, env });
  },
};

export const pythonToolchain: Toolchain = {
  name: 'Python',
  programs: ['python3'],
  install: async () => {
    const stamp = built('python', 'installed-from.txt');
    const lock = await readFile(source('python', 'requirements.txt'), 'utf8');
    if (existsSync(stamp) && (await readFile(stamp, 'utf8')) === lock) return;
    await rm(folder, { recursive: true, force: true });
    await mkdir(folder, { recursive: true });
    await run('python3', ['-m', 'venv', 'venv'], { cwd: folder });
    const words = ['-m', 'pip', 'install', '--quiet', '--no-deps', '-r', source('python', 'requirements.txt')];
    await run(python, words, { cwd: folder });
    await writeFile(stamp, lock);
  },
  generators: [openapiPythonClient, datamodelCodeGenerator],
};
