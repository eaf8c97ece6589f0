import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { databaseFromTemplate, eventually, type TestDatabase } from '../../../../../tests/support/postgres/database.ts';
import { administratorPassword, florinOn, type TestFlorin } from '../../../../../tests/support/service/florin.ts';
import { startReceiver } from '../../../../../tests/support/webhooks/receiver.ts';

const root = fileURLToPath(new URL('../../../../../../', import.meta.url));
const page = readFileSync(`${root}/docs/guides/webhooks.md`, 'utf8');
const [receiverCode = '', standardCode = ''] = [...page.matchAll(/^```js\n([\s\S]*?)^```/gm)].map(([, code]) => code);
const [payload = ''] = [...page.matchAll(/^```json\n([\s\S]*?)^```/gm)].map(([, json]) => json);
const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';

let db: TestDatabase;
let florin: TestFlorin;
let as: string;
let channelId: number;

beforeAll(async () => {
  db = await databaseFromTemplate();
  florin = await florinOn(db);
  as = await florin.login('admin', administratorPassword);
  const channel = { name: 'Wire', code: 'wire', type: 'OFFLINE', currency: 'USD', country: 'US', state: true };
  channelId = (await florin.post('/api/channel/modify', channel, as)).body.data.id;
});

afterAll(async () => {
  await florin.stop();
  await db.drop();
});

test("the page's receiver accepts deliveries, handles a repeated delivery once, and refuses forged ones", async () => {
  const receiver = await runReceiver();
  try {
    const { url, lines } = receiver;
    await florin.post('/api/webhook/register', { url, events: ['transaction.*'], secret }, as);
    const { body } = await florin.post('/api/transaction/create', { amount: 1, currency: 'USD', channelId }, as);
    const { id } = body.data;
    await florin.post('/api/transaction/update', { id, status: 'SUCCESS' }, as);
    await eventually('both events are handled', () => lines.length === 2);
    expect(lines.toSorted()).toEqual([`transaction.created ${id} 1`, `transaction.succeeded ${id} 2`]);

    const event = JSON.stringify({ type: 'transaction.created', data: { object: { id: 'txn_again', version: 1 } } });
    const signature = createHmac('sha256', secret).update(event).digest('hex');
    expect(await post(url, event, signature)).toBe(200);
    expect(await post(url, event, signature)).toBe(200);
    expect(await post(url, event.replace('again', 'other'), signature)).toBe(401);
    expect(await post(url, event, '')).toBe(401);
    await eventually('the repeated event is handled', () => lines.length === 3);
    expect(lines.filter((line) => line.includes('txn_again'))).toHaveLength(1);
  } finally {
    receiver.stop();
  }
});

test("the page's payload has the shape of a real one, and its code verifies a delivery", async () => {
  const receiver = await startReceiver();
  try {
    await florin.post('/api/webhook/register', { url: receiver.url, events: ['transaction.created'], secret }, as);
    await florin.post('/api/transaction/create', { amount: 1, currency: 'USD', channelId, metadata: { order: 1 } }, as);
    await eventually('the delivery arrives', () => receiver.received.length === 1);
    const [{ body, headers } = { body: Buffer.of(), headers: {} }] = receiver.received;
    const real = JSON.parse(body.toString('utf8'));
    const shown = JSON.parse(payload);
    expect(Object.keys(shown)).toEqual(Object.keys(real));
    expect(Object.keys(shown.data.object)).toEqual(Object.keys(real.data.object));

    expect(await verifiedByPage(body.toString('utf8'), headers)).toBe('transaction.created');
    expect(await verifiedByPage(body.toString('utf8').replace('USD', 'EUR'), headers)).toContain('refused');
  } finally {
    await receiver.close();
  }
});

/** How to run the page's function in another language: as a program that checks signatures of a file. */
interface Language {
  /** A command that succeeds if the language is installed. */
  found: string[];
  /** The files of the program, made from the page's code. */
  files: (code: string) => Record<string, string>;
  /** A command that runs once before the first use. */
  prepare?: string[];
  run: string[];
}

/** Arguments: the file, two secrets, then signatures. The program prints for each signature whether it is valid. */
const languages: Record<string, Language> = {
  python: {
    found: ['python3', '--version'],
    files: (code) => ({
      'judge.py': `${code}
import sys
_, path, one, other, *signatures = sys.argv
body = open(path, 'rb').read()
for signature in signatures: print(str(is_genuine(body, signature, one, other)).lower())
`,
    }),
    run: ['python3', 'judge.py'],
  },
  go: {
    found: ['go', 'version'],
    files: (code) => ({
      'genuine.go': code,
      'main.go': `package main
import ("fmt"; "os")
func main() {
	body, _ := os.ReadFile(os.Args[1])
	for _, signature := range os.Args[4:] { fmt.Println(isGenuine(body, signature, os.Args[2], os.Args[3])) }
}
`,
    }),
    prepare: ['go', 'build', '-o', 'judge', 'genuine.go', 'main.go'],
    run: ['./judge'],
  },
  java: {
    found: ['java', '--version'],
    files: (code) => ({
      'Judge.java': `${code.split('final class')[0]}
class Judge {
  public static void main(String[] args) throws Exception {
    byte[] body = java.nio.file.Files.readAllBytes(java.nio.file.Path.of(args[0]));
    for (int i = 3; i < args.length; i++) System.out.println(Signatures.isGenuine(body, args[i], args[1], args[2]));
  }
}
final class${code.split('final class')[1]}`,
    }),
    run: ['java', 'Judge.java'],
  },
  php: {
    found: ['php', '--version'],
    files: (code) => ({
      'judge.php': `${code}
[, $path, $one, $other] = $argv;
foreach (array_slice($argv, 4) as $signature)
    echo var_export(isGenuine(file_get_contents($path), $signature, $one, $other), true), "\n";
`,
    }),
    run: ['php', 'judge.php'],
  },
  ruby: {
    found: ['ruby', '--version'],
    files: (code) => ({
      'judge.rb': `${code}
path, one, other, *signatures = ARGV
signatures.each { |signature| puts genuine?(File.binread(path), signature, one, other) }
`,
    }),
    run: ['ruby', 'judge.rb'],
  },
};

test('the page shows how to verify in six languages', () => {
  const shown = [...page.matchAll(/^```(js|python|go|java|php|ruby)(?: \[.+\])?$/gm)].map(([, name]) => name);
  expect(new Set(shown)).toEqual(new Set(['js', ...Object.keys(languages)]));
});

describe.each(Object.entries(languages))('%s', (name, { found: [command = '', ...words], files, prepare, run }) => {
  const isFound = spawnSync(command, words).status === 0;

  test.skipIf(!isFound)('takes good signatures with either secret, and nothing else', () => {
    const folder = mkdtempSync(join(tmpdir(), `florin-verify-${name}-`));
    const at = ([program = '', ...rest]: string[]) => execFileSync(program, rest, { cwd: folder, encoding: 'utf8' });
    try {
      const [code = ''] = [...page.matchAll(new RegExp(`^\`\`\`${name} .*\n([\\s\\S]*?)^\`\`\``, 'gm'))].map(
        ([, text]) => text,
      );
      const body = '{"description":"Grüße, 東京 🎌"}';
      for (const [file, text] of Object.entries({ ...files(code), body })) writeFileSync(join(folder, file), text);
      if (prepare !== undefined) at(prepare);
      const signed = (text: string, by: string) => createHmac('sha256', by).update(text).digest('hex');
      const good = [signed(body, secret), signed(body, 'the other one')];
      const bad = [
        signed(`${body} `, secret),
        signed(body, 'a third one'),
        '',
        'ff',
        'größer',
        good[0]?.slice(1) ?? '',
      ];
      const verdicts = at([...run, 'body', secret, 'the other one', ...good, ...bad])
        .trim()
        .split('\n');
      expect(verdicts).toEqual([...good.map(() => 'true'), ...bad.map(() => 'false')]);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});

interface RunningReceiver {
  url: string;
  /** The events that it has handled, one line each. */
  lines: string[];
  stop: () => void;
}

async function runReceiver(): Promise<RunningReceiver> {
  const child = node(receiverCode, { WEBHOOK_SECRET: secret, PORT: '0' });
  const lines: string[] = [];
  const port = await new Promise<string>((resolve, reject) => {
    child.on('exit', () => reject(new Error("The page's receiver ended before it listened.")));
    createInterface({ input: child.stdout }).on('line', (line) => {
      const [, listening] = /^listening on port (\d+)$/.exec(line) ?? [];
      if (listening === undefined) lines.push(line);
      else resolve(listening);
    });
  });
  return { url: `http://127.0.0.1:${port}/`, lines, stop: () => child.kill() };
}

async function post(url: string, body: string, signature: string): Promise<number> {
  const headers = { 'x-service-delivery': 'dlv_1', 'x-service-signature': signature };
  return (await fetch(url, { method: 'POST', headers, body })).status;
}

/** The type of the event that the page's function returns, or `refused`. */
async function verifiedByPage(body: string, headers: object): Promise<string> {
  const ask = `try { console.log(eventOf(${JSON.stringify(body)}, ${JSON.stringify(headers)}).type) }
    catch (error) { console.log('refused', error.message) }`;
  const child = node(`${standardCode}\n${ask}`, { WEBHOOK_SECRET: secret });
  let printed = '';
  for await (const chunk of child.stdout) printed += chunk;
  return printed.trim();
}

function node(code: string, environment: Record<string, string>) {
  return spawn(process.execPath, ['--input-type=module', '--eval', code], {
    cwd: root,
    env: { ...process.env, ...environment },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
}
