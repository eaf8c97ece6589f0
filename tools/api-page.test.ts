import { spawn } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { databaseFromTemplate, type TestDatabase } from '../server/src/testing/database.ts';
import { florinOn, type TestFlorin } from '../server/src/testing/florin.ts';

const page = readFileSync(fileURLToPath(new URL('../docs/api.md', import.meta.url)), 'utf8');
const examples = [...page.matchAll(/^```sh\n([\s\S]*?)^```(?:\n\n^```json\n([\s\S]*?)^```)?/gm)].map(
  ([, commands = '', answer]) => ({ commands, answer }),
);

let db: TestDatabase;
let florin: TestFlorin;
let folder: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'florin-api-page-'));
  db = await databaseFromTemplate();
  // Its own password, kept in the data folder: the page begins by reading it there.
  florin = await florinOn(db, { APP_DATA_DIR: join(folder, 'data'), APP_ADMIN_PASSWORD: '' });
});

afterAll(async () => {
  await florin.stop();
  await db.drop();
  rmSync(folder, { recursive: true, force: true });
});

test('every example of the page, pasted in order, answers as the page shows', async () => {
  const mark = '--- example ';
  const script = examples.map(({ commands }, index) => `echo '${mark}${index}'\n${commands}\necho`).join('\n');
  const printed = await shell(script.replace('http://127.0.0.1:8080', florin.address));
  const outputs = printed.split(new RegExp(`^${mark}\\d+\\n`, 'm')).slice(1);
  expect(outputs).toHaveLength(examples.length);
  const answered = examples.filter(({ answer }) => answer !== undefined);
  expect(answered.length).toBeGreaterThan(20);
  for (const [index, { commands, answer }] of examples.entries()) {
    if (answer !== undefined)
      expect(shapeOf(parsed(outputs[index], commands)), commands).toEqual(shapeOf(parsed(answer)));
  }
});

function parsed(text: string | undefined, about = ''): unknown {
  try {
    return JSON.parse(text ?? '');
  } catch {
    throw new Error(`This is no JSON: ${text}\n${about}`);
  }
}

/** Words that say the same in every run; of everything else only the kind is compared. */
const fixedWords = new Set(['code', 'message', 'type', 'field', 'status', 'state', 'userType', 'tokenType', 'scope']);

/** What the caller's own program adds differs from one to the next. */
const othersWords = new Set(['headers', 'responseHeaders']);

function shapeOf(value: unknown, name = ''): unknown {
  if (fixedWords.has(name)) return value;
  if (othersWords.has(name)) return typeof value;
  // Lists: what the first entry looks like.
  if (Array.isArray(value)) return value.slice(0, 1).map((entry) => shapeOf(entry));
  if (typeof value !== 'object' || value === null) return value === null ? null : typeof value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, shapeOf(inner, key)]));
}

/** Runs the commands as a person's shell would, with a `curl` of ours: a machine may have none. */
function shell(script: string): Promise<string> {
  const curl = join(folder, 'curl');
  writeFileSync(curl, `#!/bin/sh\nexec "${process.execPath}" "${folder}/curl.mjs" "$@"\n`);
  chmodSync(curl, 0o755);
  writeFileSync(`${curl}.mjs`, curlText);
  const child = spawn('sh', ['-e'], { cwd: folder, env: { PATH: `${folder}${delimiter}${process.env.PATH}` } });
  child.stdin.end(script);
  return new Promise((resolve, reject) => {
    let output = '';
    let complaints = '';
    child.stdout.on('data', (chunk) => {
      output += chunk;
    });
    child.stderr.on('data', (chunk) => {
      complaints += chunk;
    });
    child.on('error', reject);
    child.on('close', (code) =>
      code === 0 ? resolve(output) : reject(new Error(`The shell ended with ${code}: ${complaints}\n${output}`)),
    );
  });
}

/** As much of curl as the page uses: -s, -X, -H, -d and an address. */
const curlText = `
const headers = {};
let address, body, method;
const words = process.argv.slice(2);
while (words.length > 0) {
  const word = words.shift();
  if (word === '-s') continue;
  if (word === '-X') method = words.shift();
  else if (word === '-d') body = words.shift();
  else if (word === '-H') {
    const [name, value] = words.shift().split(/: (.*)/s);
    headers[name] = value;
  } else if (word.startsWith('-')) throw new Error('No such option here: ' + word);
  else address = word;
}
method ??= body === undefined ? 'GET' : 'POST';
process.stdout.write(await (await fetch(address, { method, headers, body })).text());
`;
