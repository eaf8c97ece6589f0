import type { Command } from 'commander';
import { operations } from '../../../sdk/src/generated/operations.ts';
import type { Operation, Params } from '../../../sdk/src/operation.ts';
import type { AddCommands, Cli } from '../cli.ts';
import type { Column } from '../output.ts';
import { parametersOf, parsedValue } from './parameters.ts';
import { first, pageSizeFor } from './payments.ts';

/** Resources that commands call otherwise. */
const names: Readonly<Record<string, string>> = { transactions: 'payments', paymentMethods: 'methods' };
/** Operations whose command has another verb. */
const verbs: Readonly<Record<string, string>> = { 'paymentMethods.default': 'set-default' };
/** Lists whose rows are told apart by other columns than the usual ones. */
const columns: Readonly<Record<string, readonly Column[]>> = {
  'paymentMethods.list': [
    'id',
    'status',
    'type',
    'brand',
    'last4',
    'isDefault',
    'customerId',
    'channelId',
    'createdTime',
  ],
};
/** Sessions of people, and what other commands do. */
const absent = new Set(['health', 'console', 'devices', 'passkeys', 'secondFactor', 'callbacks', 'requests', 'views']);
const absentOperations = new Set([
  'users.login',
  'users.loginSecondFactor',
  'users.refresh',
  'users.logout',
  'users.forgotPassword',
  'users.resetPassword',
  'users.changePassword',
  'users.stepUp',
]);

/**
 * A command for every operation of the API that has none of its own: `florin customers get 17`, `florin invoices list
 * status=OPEN`.
 */
export const addResourceCommands: AddCommands = (program, run) => {
  for (const [name, operation] of Object.entries(operations)) {
    const [, path, flags = ''] = operation;
    const nouns = name.split('.');
    const isOffered = !absent.has(nouns[0] as string) && !absentOperations.has(name) && !/[dr]/.test(flags);
    if (!isOffered) continue;
    const last = nouns.pop() as string;
    const verb = verbs[name] ?? kebab(last);
    const parent = nouns.reduce((command, noun) => childOf(command, kebab(names[noun] ?? noun)), program);
    if (parent.commands.some((one) => one.name() === verb)) continue;
    const command = parent.command(verb).description(`${operation[0]} ${path}`);
    if (!flags.includes('n')) command.argument('[id or name=value...]', 'a value that is not JSON is text');
    if (flags.includes('p')) command.option('--limit <number>', 'maximum number', '20');
    if (flags.includes('k')) command.option('--idempotency-key <key>', 'the same key never does it twice');
    const act = (cli: Cli, words: string[], options: Options) => perform(cli, name, operation, words, options);
    command.action(flags.includes('n') ? run((cli: Cli, options: Options) => act(cli, [], options)) : run(act));
  }
};

const kebab = (name: string) => name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

function childOf(parent: Command, name: string): Command {
  const known = parent.commands.find((command) => command.name() === name);
  return known ?? parent.command(name).description(name.replaceAll('-', ' '));
}

interface Options {
  limit?: string;
  idempotencyKey?: string;
}

async function perform(
  cli: Cli,
  name: string,
  [, , flags = '']: Operation,
  words: readonly string[],
  { limit, idempotencyKey }: Options,
): Promise<void> {
  const { florin, out, signal } = cli;
  const method = methodOf(florin, name);
  const options = { signal, idempotencyKey };
  const params = withMode(cli, flags, paramsOf(words));
  if (!flags.includes('l')) {
    const data = await (flags.includes('n') ? method(options) : method(params, options));
    if (typeof data === 'object' && data !== null) out.record(data);
    else out.say('Done.');
    return;
  }
  const paged = limit === undefined ? params : { pageSize: pageSizeFor(limit), ...params };
  const list = (flags.includes('n') ? method(options) : method(paged, options)) as AsyncIterable<object>;
  await out.rows(limit === undefined ? list : first(list, limit), columns[name]);
}

/** The method of the SDK. It returns a call or a list. */
function methodOf(florin: object, name: string): (...given: unknown[]) => PromiseLike<unknown> | AsyncIterable<object> {
  return name
    .split('.')
    .reduce<unknown>((resource, noun) => (resource as Record<string, unknown>)[noun], florin) as never;
}

/** An id may come alone, also as events name it: `inv_17` is invoice 17. */
function paramsOf(words: readonly string[]): Params {
  const [id, ...others] = words;
  if (id === undefined || id.includes('=')) return parametersOf(words);
  return { id: idOf(id), ...parametersOf(others) };
}

export function idOf(text: string): unknown {
  const [, number] = /^[a-z]+_(\d{1,15})$/.exec(text) ?? [];
  return parsedValue(number ?? text);
}

/** Lists and new records are in the mode of the command. */
export function withMode({ mode }: Cli, flags: string, params: Params): Params {
  return flags.includes('m') && params.id === undefined ? { ...mode, ...params } : params;
}
