import { execFileSync } from 'node:child_process';
import { copyFile, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, expect, test } from 'vitest';

const rendering = join(import.meta.dirname, '..');
const fontPackage = join(import.meta.dirname, '../../../../../../../fonts/package.json');
const folders: string[] = [];

afterEach(async () => {
  for (const folder of folders.splice(0)) await rm(folder, { recursive: true });
});

/** A folder that holds an installation, in which the code of the fonts is. */
async function installation(): Promise<{ above: string; program: string }> {
  const above = await mkdtemp(join(tmpdir(), 'florin-fonts-'));
  folders.push(above);
  const program = join(above, 'florin', 'server', 'fonts.ts');
  await mkdir(dirname(program), { recursive: true });
  await copyFile(join(rendering, 'fonts.ts'), program);
  return { above, program };
}

/** Packages with the files of the published ones, empty. */
async function install(names: readonly string[], into: string): Promise<void> {
  const write = async (path: string, text = '') => {
    await mkdir(dirname(join(into, path)), { recursive: true });
    await writeFile(join(into, path), text);
  };
  for (const name of names) {
    await write(`${name}/package.json`, JSON.stringify({ name, version: '1.0.0', main: 'dist/index.js' }));
    await write(`${name}/dist/index.js`);
  }
}

function facesOf(program: string, text: string): { installed: string[]; faces: string[] } {
  const code = `import { installedFaceNames, facesFor } from ${JSON.stringify(program)};
    const faces = facesFor(${JSON.stringify(text)}).map(({ name }) => name);
    console.log(JSON.stringify({ installed: installedFaceNames, faces }));`;
  return JSON.parse(execFileSync(process.execPath, ['--input-type=module', '-e', code], { encoding: 'utf8' }));
}

test('every font that the package of fonts depends on is found in a folder above the installation', async () => {
  const { dependencies } = JSON.parse(await readFile(fontPackage, 'utf8')) as { dependencies: object };
  const names = Object.keys(dependencies);
  const { above, program } = await installation();
  await install(['@florin/fonts'], join(above, 'node_modules'));
  expect(facesOf(program, '').installed).toEqual([]);
  // npm puts them beside the package, or into its own folder when something else needs another version.
  const half = names.length >> 1;
  await install(names.slice(0, half), join(above, 'node_modules'));
  await install(names.slice(half), join(above, 'node_modules', '@florin', 'fonts', 'node_modules'));
  expect(facesOf(program, '').installed).toHaveLength(names.length);
});

test('a text is offered only the fonts of its scripts', async () => {
  const { above, program } = await installation();
  const scripts = ['thai', 'tamil', 'devanagari'].map((script) => `@expo-google-fonts/noto-sans-${script}`);
  await install(scripts, join(above, 'node_modules'));
  expect(facesOf(program, 'ไทย').faces).toEqual(['NotoSansThai_400Regular']);
  expect(facesOf(program, 'தமிழ் and हिन्दी').faces).toEqual([
    'NotoSansDevanagari_400Regular',
    'NotoSansTamil_400Regular',
  ]);
  expect(facesOf(program, 'Zoë').faces).toEqual([]);
});
