import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { answerHelp } from '../usage.ts';
import { layOutPackage } from './package-files.ts';

/**
 * `npm run package`: writes `build/florin-VERSION.tgz`, which `npm install` or `npx` runs anywhere without this
 * repository, and `build/florin-sdk-VERSION.tgz`, `build/florin-fonts-VERSION.tgz`.
 */
answerHelp(`Usage: npm run package

Writes build/florin-VERSION.tgz, the service with its command line, build/florin-sdk-VERSION.tgz, the client library,
and build/florin-fonts-VERSION.tgz, which depends on fonts for PDF files. npm install takes each on a machine without
this repository.
`);

const root = fileURLToPath(new URL('../../', import.meta.url));
const packed = execFileSync('npm', ['pack', '--json', '--loglevel=error', '--pack-destination', join(root, 'build')], {
  cwd: layOutPackage(),
  encoding: 'utf8',
});
const [{ filename, size }] = JSON.parse(packed) as [{ filename: string; size: number }];
console.log(`build/${filename}: ${(size / 1024 ** 2).toFixed(1)} MB`);
packFolder('sdk');
packFolder('fonts');

/** The client library, and the fonts, for machines without access to the registry that they are published to. */
function packFolder(folder: string): void {
  const words = ['pack', `./${folder}`, '--silent', '--pack-destination', join(root, 'build')];
  const printed = execFileSync('npm', words, { cwd: root, encoding: 'utf8' });
  console.log(`build/${printed.trim().split('\n').at(-1)}`);
}
