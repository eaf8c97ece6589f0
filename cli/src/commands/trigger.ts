import { setTimeout as pause } from 'node:timers/promises';
import type { Channel, Event, Florin } from '../../../sdk/src/index.ts';
import type { AddCommands, Cli } from '../cli.ts';
import { CommandFailure, exitCodes, usageFailure } from '../failures.ts';
import { scenarios } from '../trigger/scenarios.ts';
import { parsedValue } from './parameters.ts';
import { pairOf } from './payments.ts';

export const addTrigger: AddCommands = (program, run) => {
  program
    .command('trigger')
    .description('make an event happen, with real test records on a sandbox channel')
    .argument('<event>', 'transaction.succeeded, refund.failed, invoice.paid, …')
    .option(
      '--override <field=value>',
      'set a field of the created record; may be repeated',
      (one, all: string[]) => [...all, one],
      [],
    )
    .addHelpText('after', `\nEvents: ${Object.keys(scenarios).join(', ')}`)
    .action(run(trigger));
};

const waitMs = 20_000;

async function trigger(cli: Cli, type: string, { override }: { override: string[] }): Promise<void> {
  const scenario = Object.hasOwn(scenarios, type) ? scenarios[type] : undefined;
  if (scenario === undefined) {
    throw usageFailure(`${type} cannot be triggered. These can: ${Object.keys(scenarios).join(', ')}.`);
  }
  const overrides = overridesOf(override);
  const { florin, out, signal } = cli;
  const objectId = await scenario({ florin, channel: await sandboxChannel(florin), overrides, signal });
  const event = await eventOf(florin, type, objectId, signal);
  if (event === undefined) {
    throw new CommandFailure(
      `${objectId} was created, but ${type} did not happen within ${waitMs / 1000} s.`,
      exitCodes.failed,
    );
  }
  if (out.isJson) return out.record(event);
  out.say(`${event.type} ${event.id} about ${event.objectId}`);
}

/** A sandbox channel of the caller's tenant, created if there is none. */
async function sandboxChannel(florin: Florin): Promise<Pick<Channel, 'id'>> {
  const channels = await florin.channels.list({ livemode: false }).toArray();
  const known = channels.find(({ provider, state }) => provider === 'sandbox' && state);
  return (
    known ??
    florin.channels.modify({
      name: 'Sandbox',
      code: 'florin-trigger',
      type: 'ONLINE',
      currency: 'USD,EUR,GBP,JPY',
      country: 'US',
      provider: 'sandbox',
      livemode: false,
      state: true,
    })
  );
}

/** `metadata.order=5` sets a field of an object. A value that is not JSON is text. */
function overridesOf(given: readonly string[]): Record<string, unknown> {
  const overrides: Record<string, unknown> = Object.create(null);
  for (const [path, text] of given.map(pairOf)) {
    const names = path.split('.');
    const last = names.pop() as string;
    let object = overrides;
    for (const name of names) {
      const inner = Object.hasOwn(object, name) ? object[name] : Object.create(null);
      if (typeof inner !== 'object' || inner === null)
        throw usageFailure(`--override ${path}: ${name} has a value already.`);
      object[name] = inner;
      object = inner as Record<string, unknown>;
    }
    object[last] = parsedValue(text);
  }
  return overrides;
}

async function eventOf(
  florin: Florin,
  type: string,
  objectId: string,
  signal: AbortSignal,
): Promise<Event | undefined> {
  for (const deadline = Date.now() + waitMs; Date.now() < deadline; ) {
    const events = await florin.events.list({ objectId, livemode: false }, { signal }).toArray();
    const event = events.find((one) => one.type === type);
    if (event !== undefined) return event;
    await pause(200, undefined, { signal });
  }
  return undefined;
}
