import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { AuthenticationError } from '../../../sdk/src/index.ts';
import type { AddCommands, Cli } from '../cli.ts';
import { usageFailure } from '../failures.ts';
import { loginFile } from '../stored.ts';

export const addAccountCommands: AddCommands = (program, run) => {
  program
    .command('login')
    .description('store a developer key, or log in with an account and a password')
    .option('--account <name>', 'user name or e-mail address; the password is asked for, or read from FLORIN_PASSWORD')
    .option('--code <code>', 'the code of the authenticator app; asked for if one is needed')
    .action(run(login));
  program.command('logout').description('end the session and forget the stored login').action(run(logout));
  program.command('whoami').description('who the requests are from, and what they may do').action(run(whoAmI));

  const channels = program.command('channels').description('ways to pay');
  channels
    .command('list')
    .description('list channels')
    .action(
      run(async ({ florin, out, mode }: Cli) =>
        out.rows(florin.channels.list(mode), [
          'id',
          'code',
          'name',
          'type',
          'currency',
          'provider',
          'livemode',
          'state',
        ]),
      ),
    );
  channels
    .command('create')
    .description('create a channel')
    .requiredOption('--code <code>', 'unique among your channels')
    .requiredOption('--name <name>', 'its name for people')
    .option('--type <type>', 'ONLINE or OFFLINE', 'OFFLINE')
    .option('--currency <codes>', 'ISO 4217 codes with commas between', 'USD')
    .option('--country <code>', 'country code', 'US')
    .option('--provider <name>', 'sandbox, stripe or mollie; without one Florin only records payments')
    .action(run(createChannel));

  const keys = program.command('keys').description('developer keys (need a login with an account)');
  keys
    .command('list')
    .description('list your keys')
    .action(
      run(async ({ florin, out }: Cli) =>
        out.rows(florin.keys.list(), ['id', 'skMasked', 'name', 'livemode', 'state', 'scope', 'lastUsedTime']),
      ),
    );
  keys
    .command('create')
    .description('create a key, a test key unless --live; it is printed once')
    .option('--scope <scopes>', 'with commas between; * for everything')
    .option('--name <name>', 'a label')
    .action(run(createKey));
  keys
    .command('revoke')
    .description('revoke a key')
    .argument('<id>')
    .action(
      run(async ({ florin, out }: Cli, id: string) => out.record(await florin.keys.revoke(wholeNumber(id, 'id')))),
    );
};

async function login(cli: Cli, { account, code }: { account?: string; code?: string }): Promise<void> {
  const { out, stored, url, givenApiKey: apiKey } = cli;
  if (apiKey !== undefined && account !== undefined) throw usageFailure('Give --api-key or --account, not both.');
  if (apiKey !== undefined) {
    const key = await cli.clientFor(apiKey, undefined).keys.current();
    stored.write(loginFile, { url, apiKey });
    if (out.isJson) return out.record({ url, userName: key.userName, livemode: key.livemode });
    return out.say(`Logged in to ${url} with a ${key.livemode ? 'live' : 'test'} key of ${key.userName}.`);
  }
  const name = account ?? (await ask(cli, 'Account: '));
  const password = cli.surroundings.env.FLORIN_PASSWORD ?? (await ask(cli, 'Password: ', true));
  const { userName, userType } = await cli
    .clientFor(undefined, { url })
    .login({ account: name, password, code: () => code ?? ask(cli, 'Code of the authenticator app: ') });
  if (out.isJson) return out.record({ url, userName, userType });
  out.say(`Logged in to ${url} as ${userName}.`);
}

async function logout({ florin, stored, out }: Cli): Promise<void> {
  await florin.logout().catch(() => {}); // A key has no session, and an ended one needs no end.
  stored.remove(loginFile);
  if (!out.isJson) out.say('Logged out.');
}

async function whoAmI({ florin, url, out }: Cli): Promise<void> {
  const who = await florin.users.info().catch((error: unknown) => {
    // A developer key is answered that it is no access token.
    if (error instanceof AuthenticationError) return florin.keys.current();
    throw error;
  });
  const { userName, tenantId, scopes } = who;
  if ('skMasked' in who)
    return out.record({ url, userName, tenantId, key: who.skMasked, livemode: who.livemode, scopes });
  out.record({ url, userName, tenantId, userType: who.userType, scopes });
}

interface ChannelOptions {
  code: string;
  name: string;
  type: 'ONLINE' | 'OFFLINE';
  currency: string;
  country: string;
  provider?: 'sandbox';
}

async function createChannel({ florin, out, mode }: Cli, options: ChannelOptions): Promise<void> {
  const { code, name, type, currency, country, provider } = options;
  out.record(await florin.channels.modify({ code, name, type, currency, country, provider, state: true, ...mode }));
}

async function createKey(
  { florin, out, mode }: Cli,
  { scope, name }: { scope?: string; name?: string },
): Promise<void> {
  const key = await florin.keys.generate({ scope, name, livemode: mode.livemode ?? false });
  out.record(key);
  out.note('Keep sk now: it is not shown again.');
}

/** Without a terminal the answer is a line of standard input. */
async function ask(cli: Cli, question: string, isHidden = false): Promise<string> {
  const { stdin, stderr, isTerminal, signal } = cli.surroundings;
  if (!isTerminal) {
    const line = (await text(stdin)).split('\n')[0]?.trim() ?? '';
    if (line === '')
      throw usageFailure(`${question.replace(/: $/, '')} is missing: give it as an option or on standard input.`);
    return line;
  }
  const hidden = new Writable({ write: (_chunk, _encoding, done) => done() });
  stderr.write(question);
  const lines = createInterface({ input: stdin, output: isHidden ? hidden : stderr, terminal: true });
  // A terminal that is read in this way reports Ctrl-C here instead of sending the signal.
  lines.on('SIGINT', () => process.kill(process.pid, 'SIGINT'));
  try {
    return await lines.question('', { signal });
  } finally {
    lines.close();
    if (isHidden) stderr.write('\n');
  }
}

export function wholeNumber(text: string, name: string): number {
  if (/^\d{1,16}$/.test(text)) return Number(text);
  throw usageFailure(`${name} must be a whole number, not ${text}.`);
}
