import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, existsSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { built, helm, kubernetesVersions, source, stamp } from './places.ts';

/**
 * Builds helm, and fetches the definitions with which `npm run helm` compares what the chart renders: those of
 * CloudNativePG, the Gateway API and the Prometheus Operator from their Go modules, those of Kubernetes from PyPI. All
 * of it stays in build/helm until one of the versions changes.
 */
interface Definitions {
  module: string;
  version: string;
  /** As in go.sum. */
  sum: string;
  /** In the module. */
  folder: string;
  /** Of the kinds that the chart renders. */
  files: string[];
}

/** What was fetched is not what it was. */
class WrongSumError extends Error {}

const leastGo = 26;
const missing = missingProgram();
if (missing !== undefined) {
  rmSync(stamp, { force: true });
  console.log(`The chart is not checked, because this machine has no ${missing}.`);
} else {
  try {
    install();
  } catch (error) {
    if (error instanceof WrongSumError) throw error;
    console.log(`The chart is not checked, because something cannot be built or fetched: ${(error as Error).message}`);
  }
}

function missingProgram(): string | undefined {
  // Not a newer Go than the machine has, which go would fetch.
  process.env.GOTOOLCHAIN = 'local';
  const { stdout } = spawnSync('go', ['version'], { encoding: 'utf8' });
  const [, minor = '0'] = /go1\.(\d+)/.exec(stdout ?? '') ?? [];
  if (Number(minor) < leastGo) return `Go 1.${leastGo}`;
  return spawnSync('python3', ['-c', 'import venv, ensurepip']).status === 0 ? undefined : 'Python 3 with venv';
}

function install(): void {
  const digest = digestOfInputs();
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === digest) return;
  rmSync(stamp, { force: true });
  mkdirSync(built(), { recursive: true });
  buildHelm();
  fetchDefinitions();
  fetchKubernetes();
  writeFileSync(stamp, digest);
}

function digestOfInputs(): string {
  const hash = createHash('sha256');
  for (const file of ['go.mod', 'go.sum', 'definitions.json', 'requirements.txt', 'install.ts', 'places.ts']) {
    hash.update(readFileSync(source(file)));
  }
  return hash.digest('hex');
}

function buildHelm(): void {
  const from = `${readFileSync(source('go.mod'))}${readFileSync(source('go.sum'))}`;
  const builtFrom = built('helm-from.txt');
  if (existsSync(helm) && existsSync(builtFrom) && readFileSync(builtFrom, 'utf8') === from) return;
  console.log('Building helm; this takes minutes, once.');
  run('go', ['build', '-trimpath', '-ldflags=-s -w', '-o', helm, 'helm.sh/helm/v3/cmd/helm'], source('.'));
  writeFileSync(builtFrom, from);
}

function fetchDefinitions(): void {
  rmSync(built('definitions'), { recursive: true, force: true });
  mkdirSync(built('definitions'), { recursive: true });
  const all = JSON.parse(readFileSync(source('definitions.json'), 'utf8')) as Definitions[];
  for (const { module, version, sum, folder, files } of all) {
    // Not from tools/helm, so that none of their own dependencies is fetched.
    const printed = run('go', ['mod', 'download', '-json', `${module}@${version}`], built());
    const downloaded = JSON.parse(printed) as { Dir: string; Sum: string };
    if (downloaded.Sum !== sum)
      throw new WrongSumError(`${module}@${version} has the sum ${downloaded.Sum}, not ${sum}.`);
    for (const file of files) cpSync(join(downloaded.Dir, folder, file), built('definitions', file));
  }
}

/** Only the versions that are compared, of some hundred megabytes. */
function fetchKubernetes(): void {
  rmSync(built('python'), { recursive: true, force: true });
  rmSync(built('kubernetes'), { recursive: true, force: true });
  run('python3', ['-m', 'venv', built('python')], built());
  const python = built('python/bin/python');
  const words = ['-m', 'pip', 'download', '--quiet', '--no-deps', '--require-hashes', '-r', source('requirements.txt')];
  run(python, [...words, '--dest', built('kubernetes')], built());
  const [wheel = ''] = globSync('*.whl', { cwd: built('kubernetes') });
  const folder = 'kubernetes_validate/kubernetes-json-schema';
  for (const version of kubernetesVersions) {
    const extract = 'import sys, zipfile; sys.stdout.buffer.write(zipfile.ZipFile(sys.argv[1]).read(sys.argv[2]))';
    const file = `${folder}/v${version}.0-local-strict/_definitions.json`;
    const text = run(python, ['-c', extract, built('kubernetes', wheel), file], built());
    writeFileSync(built('kubernetes', `v${version}.json`), text);
  }
  rmSync(built('kubernetes', wheel));
  rmSync(built('python'), { recursive: true });
}

function run(program: string, words: readonly string[], cwd: string): string {
  return execFileSync(program, words, {
    cwd,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
    maxBuffer: 2 ** 28,
  });
}
