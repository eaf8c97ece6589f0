import type { AddCommands, Cli } from '../cli.ts';
import { CommandFailure, exitCodes } from '../failures.ts';
import { first, pageSizeFor } from './payments.ts';

export const addEventCommands: AddCommands = (program, run) => {
  const events = program.command('events').description('events and their webhooks');
  events
    .command('list')
    .description('list events, newest first')
    .option('--type <type>', 'only this type')
    .option('--object <id>', 'only events about this record')
    .option('--limit <number>', 'maximum number', '20')
    .action(run(listEvents));
  events
    .command('get')
    .description('show an event with its payload')
    .argument('<id>')
    .action(run(async ({ florin, out }: Cli, id: string) => out.record(await florin.events.get(id))));
  events
    .command('resend')
    .description('deliver an event again to each webhook endpoint that received it')
    .argument('<id>')
    .action(run(resend));
};

interface ListOptions {
  type?: 'transaction.created';
  object?: string;
  limit: string;
}

async function listEvents({ florin, out, mode }: Cli, { type, object, limit }: ListOptions): Promise<void> {
  const events = florin.events.list({ type, objectId: object, pageSize: pageSizeFor(limit), ...mode });
  await out.rows(first(events, limit), ['id', 'type', 'objectId', 'createdTime']);
}

async function resend({ florin, out }: Cli, id: string): Promise<void> {
  const { livemode } = await florin.events.get(id);
  const deliveries = await florin.webhooks.deliveries.list({ eventId: id, livemode }).toArray();
  if (deliveries.length === 0) {
    throw new CommandFailure(`${id} was not for any webhook endpoint.`, exitCodes.notFound);
  }
  for (const { id: deliveryId, url } of deliveries) {
    await florin.webhooks.replay({ deliveryId });
    if (out.isJson) out.row({ deliveryId, url }, []);
    else out.say(`${deliveryId} is delivered again to ${url}`);
  }
}
