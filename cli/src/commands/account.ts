import { AuthenticationError, FlorinError } from '../../../sdk/src/index.ts';
import type { AddCommands, Cli } from '../cli.ts';
import { loginFile } from '../config-folder.ts';
import { usageFailure } from '../failures.ts';

export const addAccountCommands: AddCommands = (program, run) => {
  program.command('logout').description('end the session and forget the stored login').action(run(logout));
  program.command('whoami').description('show who you are logged in as, and what you may do').action(run(whoAmI));

  const channels = program.command('channels').description('payment channels');
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
    .requiredOption('--name <name>', 'the name that people see')
    .option('--type <type>', 'ONLINE or OFFLINE', 'OFFLINE')
    .option('--currency <codes>', 'ISO 4217 codes, comma-separated', 'USD')
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
    .description('create a key, a test key unless --live is given; it is printed once')
    .option('--scope <scopes>', 'comma-separated; * for all')
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

async function logout(cli: Cli): Promise<void> {
  const { login, config, url, out } = cli;
  if (login === undefined) {
    if (out.isJson) out.record({ loggedOut: false });
    else out.say(`There is no stored login for ${url}.`);
    return;
  }
  const hasKey = login.apiKey !== undefined;
  const ending = hasKey ? Promise.resolve() : cli.clientFor(undefined, login).logout();
  const failure = await ending.then(() => undefined, failureOf);
  config.remove(loginFile);
  if (out.isJson) out.record({ loggedOut: true });
  else out.say('Logged out.');
  if (hasKey) out.note('The key still works elsewhere; revoke it in the console if it should not.');
  else if (failure !== undefined)
    out.note(`The session could not be ended, and lasts until it expires: ${failure.message}`);
}

/** Why the session could not be ended. Undefined if there is none: it may have ended before. */
function failureOf(error: unknown): FlorinError | undefined {
  if (!(error instanceof FlorinError)) throw error;
  return error instanceof AuthenticationError ? undefined : error;
}

async function whoAmI({ florin, url, out }: Cli): Promise<void> {
  const who = await florin.users.info().catch((error: unknown) => {
    // This endpoint refuses developer keys.
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

export function wholeNumber(text: string, name: string): number {
  if (/^\d{1,16}$/.test(text)) return Number(text);
  // As events name it: `cus_17` is customer 17.
  const [, id] = /^[a-z]+_(\d{1,15})$/.exec(text) ?? [];
  if (id !== undefined && /id|customer/.test(name)) return Number(id);
  throw usageFailure(`${name} must be a whole number, not ${text}.`);
}
