import { systemClock } from '../../../core/clock.ts';
import { secretAssociatedData } from '../../../domains/payments/channels/secrets.ts';
import { findCredentials, listChannelsWithKey } from '../../../domains/payments/channels/statements.ts';
import { unsentEventsOf } from '../../../domains/payments/channels/unsent-events.ts';
import { Providers } from '../../../domains/payments/providers/directory.ts';
import { Sealer } from '../../../platform/crypto/seal.ts';
import { publicUrlOf } from '../../config/public-url.ts';
import { existingEncryptionKeys } from '../../config/secrets.ts';
import type { DatabaseCheck, DatabaseExamination, Finding } from '../check.ts';

export const providerEvents: DatabaseCheck = {
  name: 'providers send the events that channels read',
  checkDatabase: async (at) => {
    const channels = await unsentByChannel(at);
    const findings = channels.flatMap(({ channel, types }) =>
      types === undefined || types.length === 0
        ? []
        : [`channel ${channel}: the provider does not send ${types.join(', ')}`],
    );
    if (findings.length > 0) return { what: findings.join('; '), cure } satisfies Finding;
    const unknown = channels.flatMap(({ channel, types }) => (types === undefined ? [channel] : []));
    if (unknown.length === 0) return undefined;
    const why = `the provider has no list of events for channel ${unknown.join(', ')}, or does not tell`;
    return unknown.length === channels.length ? { skipped: why } : { fact: `those that can be asked; ${why}` };
  },
};

const cure = "add the events to the endpoint at the provider that has the channel's callbackUrl";

/** Asks the provider of each channel that is switched on; undefined where it does not tell. */
async function unsentByChannel({ settings, database }: DatabaseExamination) {
  const publicUrl = publicUrlOf(settings);
  const urls = { stripe: settings['app.provider.stripe.url'], mollie: settings['app.provider.mollie.url'] };
  const providers = new Providers({
    database,
    clock: systemClock,
    sandboxEnabled: false,
    sandboxDelayMs: settings['app.sandbox.delay'],
    publicUrl,
    urls,
  });
  const sealer = new Sealer(await existingEncryptionKeys(settings));
  const asking = { providers, publicUrl, timeoutMs: settings['app.provider.timeout'] };
  const unsent: { channel: string; types: readonly string[] | undefined }[] = [];
  for (const channel of await database.run(listChannelsWithKey, [])) {
    if (!channel.state) continue;
    const [sealed] = await database.run(findCredentials, [channel.id]);
    const opened = (secret: Buffer | null | undefined, name: 'apiKey' | 'webhookSecret') =>
      secret && !sealer.isLost(secret)
        ? sealer.open(secret, secretAssociatedData(channel.tenant_id, channel.id, name))
        : null;
    const credentials = {
      apiKey: opened(sealed?.api_key_sealed, 'apiKey'),
      apiSecret: null,
      webhookSecret: opened(sealed?.webhook_secret_sealed, 'webhookSecret'),
    };
    const types = await unsentEventsOf(channel, credentials, asking);
    unsent.push({ channel: `${channel.id} (${channel.code})`, types });
  }
  return unsent;
}
