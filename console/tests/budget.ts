import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { builtFolder } from '@florin/server/app/http/built-files.ts';
import { expect, test } from 'vitest';

const builtConsole = builtFolder('console');

/** Limits of script in bytes, compressed by gzip. */
const signInBytes = 115 * 1024;
const shellBytes = 240 * 1024;

/** Checks of the built files. */
export function budget(): void {
  test('signing in needs at most 115 KB of script, the shell 240 KB; charts come apart', () => {
    const page = readFileSync(join(builtConsole, 'index.html'), 'utf8');
    const first = [...page.matchAll(/\/assets\/([\w.-]+\.js)/g)].map(([, name]) => name as string);
    const signIn = closure([...first, named('sign-in')]);
    const shell = closure([...signIn, named('shell')]);
    expect(sizeOf(signIn)).toBeLessThan(signInBytes);
    expect(sizeOf(shell)).toBeLessThan(shellBytes);
    expect([...shell].some((name) => text(name).includes('uPlot'))).toBe(false);
  });

  test('only the page names files from the root, below the path of the public address', () => {
    const page = readFileSync(join(builtConsole, 'index.html'), 'utf8');
    const addresses = [...page.matchAll(/(?:href|src)="([^"]*)"/g)].map(([, address]) => address as string);
    expect(addresses.length).toBeGreaterThan(2);
    expect(addresses.filter((address) => !address.startsWith('__BASE_PATH__/assets/'))).toEqual([]);
    const files = readdirSync(join(builtConsole, 'assets')).filter((name) => /\.(js|css)$/.test(name));
    expect(files.filter((name) => /["'`(]\/assets\//.test(text(name)))).toEqual([]);
  });
}

const text = (name: string) => readFileSync(join(builtConsole, 'assets', name), 'utf8');
const sizeOf = (names: Iterable<string>) => [...names].reduce((sum, name) => sum + gzipSync(text(name)).length, 0);

/** The files and their transitive imports, without those that are loaded later. */
function closure(names: Iterable<string>): Set<string> {
  const all = new Set(names);
  for (const name of all) {
    for (const [, imported] of text(name).matchAll(/(?:from|import)\s*["'`]\.\/([\w.-]+\.js)["'`]/g)) {
      all.add(imported as string);
    }
  }
  return all;
}

/** The file whose name begins with that of its source. */
function named(part: string): string {
  const script = [...allScripts()].find((name) => name.startsWith(`${part}-`));
  if (script === undefined) throw new Error(`There is no file ${part}.`);
  return script;
}

function allScripts(): Set<string> {
  const page = readFileSync(join(builtConsole, 'index.html'), 'utf8');
  const seen = new Set([...page.matchAll(/\/assets\/([\w.-]+\.js)/g)].map(([, name]) => name as string));
  for (const name of seen) {
    for (const [, found] of text(name).matchAll(/["'`](?:\.\/|assets\/)([\w.-]+\.js)["'`]/g)) seen.add(found as string);
  }
  return seen;
}
