import { hostname, userInfo } from 'node:os';
import { setTimeout as wait } from 'node:timers/promises';
import { ConnectionError, type Florin, FlorinError } from '../../../sdk/src/index.ts';
import { ask } from '../ask.ts';
import { openInBrowser } from '../browser.ts';
import type { AddCommands, Cli } from '../cli.ts';
import { CommandFailure, exitCodes, usageFailure } from '../failures.ts';

export const addLogin: AddCommands = (program, run) => {
  program
    .command('login')
    .description('get a key that you approve in a browser; or log in with an account, or store a key (--api-key)')
    .option('--open', 'open the browser')
    .option('--scope <scopes>', 'the scopes of the key, comma-separated; by default you choose them in the browser')
    .option('--account <name>', 'user name or e-mail address; asks for the password, or reads it from FLORIN_PASSWORD')
    .option('--code <code>', 'the code of the authenticator app; asked for if needed')
    .action(run(login));
};

interface LoginOptions {
  open?: boolean;
  scope?: string;
  account?: string;
  code?: string;
}

async function login(cli: Cli, options: LoginOptions): Promise<void> {
  const { givenApiKey: apiKey } = cli;
  if (apiKey !== undefined && options.account !== undefined)
    throw usageFailure('Give --api-key or --account, not both.');
  if (apiKey !== undefined) return storeKey(cli, apiKey);
  if (options.account !== undefined) return loginWithPassword(cli, options.account, options.code);
  return loginInBrowser(cli, options);
}

async function storeKey(cli: Cli, apiKey: string): Promise<void> {
  const { url, out } = cli;
  const { userName, livemode } = await cli.clientFor(apiKey, undefined).keys.current();
  cli.store({ url, apiKey });
  if (out.isJson) return out.record({ url, userName, livemode });
  out.say(`Logged in to ${url} with a ${modeOf(livemode)} key of ${userName}.`);
}

const modeOf = (livemode: boolean) => (livemode ? 'live' : 'test');

async function loginWithPassword(cli: Cli, account: string, code: string | undefined): Promise<void> {
  const { url, out } = cli;
  const password = cli.system.env.FLORIN_PASSWORD ?? (await ask(cli, 'Password: ', true));
  const { userName, userType } = await cli
    .clientFor(undefined, { url })
    .login({ account, password, code: () => code ?? ask(cli, 'Code of the authenticator app: ') });
  cli.noteOverride();
  if (out.isJson) return out.record({ url, userName, userType });
  out.say(`Logged in to ${url} as ${userName}.`);
}

/** RFC 8628: shows a code, which the user approves in a browser, and waits for the key. */
async function loginInBrowser(cli: Cli, { scope, open }: LoginOptions): Promise<void> {
  const { url, out, mode, signal } = cli;
  const florin = cli.clientFor('', undefined);
  const asked = { client: thisMachine(), scope, livemode: mode.livemode ?? false };
  const { userCode, verificationUri, verificationUriComplete, ...device } = await florin.devices
    .begin(asked, { signal })
    .catch(refuseOldService);
  if (out.isJson) out.row({ userCode, verificationUri, verificationUriComplete, expiresIn: device.expiresIn }, []);
  else {
    out.note(`Open ${verificationUri} in a browser and enter the code ${userCode}`);
    out.note(`or open ${verificationUriComplete}`);
    out.note('Waiting for your approval there. Ctrl-C gives up.');
  }
  if (open === true) openInBrowser(verificationUriComplete, cli);
  const key = await waitForKey(cli, florin, device);
  cli.store({ url, apiKey: key.sk });
  const { userName, livemode, expiresTime, scope: granted } = key;
  if (out.isJson) return out.row({ url, userName, livemode, scope: granted, expiresTime }, []);
  const until = expiresTime === null ? '' : ` until ${expiresTime.slice(0, 10)}`;
  out.say(`Logged in to ${url} with a ${modeOf(livemode)} key of ${userName}${until}.`);
}

function refuseOldService(error: unknown): never {
  if (error instanceof FlorinError && error.status === 404) {
    throw new CommandFailure(
      'This service does not support logins in a browser: add --account NAME, or --api-key KEY.',
    );
  }
  throw error;
}

interface Device {
  deviceCode: string;
  expiresIn: number;
  interval: number;
}

/** Polls for the key until the user has decided. */
async function waitForKey({ system, signal, out }: Cli, florin: Florin, { deviceCode, interval, expiresIn }: Device) {
  const pause = system.pause ?? ((ms: number) => wait(ms, undefined, { signal }));
  const deadline = performance.now() + expiresIn * 1000;
  let seconds = interval;
  let isLost = false;
  for (;;) {
    await pause(seconds * 1000);
    try {
      return await florin.devices.claim({ deviceCode }, { signal, maxRetries: 0 });
    } catch (error) {
      if (!(error instanceof FlorinError)) throw error;
      const { type } = error;
      if (type === 'access_denied' || type === 'expired_token') {
        throw new CommandFailure(`${error.message} (${type})`, exitCodes.authentication);
      }
      if (performance.now() > deadline) throw error;
      // RFC 8628, section 3.5: from now on, polls are 5 seconds further apart.
      if (type === 'slow_down') seconds += 5;
      const isUnavailable = error instanceof ConnectionError || error.status === 503;
      if (isUnavailable && !isLost) out.note(`Connection lost: ${error.message} Trying again.`);
      isLost = isUnavailable;
      if (!isUnavailable && type !== 'slow_down' && type !== 'authorization_pending') throw error;
    }
  }
}

/** The name under which the user recognizes this program on the page and in the list of keys. */
function thisMachine(): string {
  return `florin of ${userName()} on ${hostname()}`.slice(0, 100);
}

/** A container may run as a user id without a name. */
function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return 'somebody';
  }
}
