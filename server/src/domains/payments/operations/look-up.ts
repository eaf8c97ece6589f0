import type { ChannelCredentials } from '../channels/credentials.ts';
import { type ChargeMethods, involvesMethod, noMethods } from '../methods/charges.ts';
import type { Providers } from '../providers/directory.ts';
import type { Absent, Outcome } from '../providers/outcome.ts';
import { lookUpOperation, type ObserveCall, type PublicAddress, providerOperation } from './call.ts';
import type { OperationRow } from './statements.ts';

export interface LookUpDeps extends PublicAddress {
  providers: Pick<Providers, 'of'>;
  credentials: Pick<ChannelCredentials, 'of' | 'secrets'>;
  chargeMethods: Pick<ChargeMethods, 'of'>;
  /** Deadline of a look-up: `app.provider.timeout`. */
  timeoutMs: number;
  observe?: ObserveCall;
}

/**
 * Looks an operation up at its provider now, outside the schedule. Throws `LostCredentialsError` without an API key.
 */
export async function lookUpNow(
  row: OperationRow,
  { providers, credentials, chargeMethods, timeoutMs, publicUrl, observe }: LookUpDeps,
): Promise<Outcome | Absent> {
  const connector = await providers.of(row.operation_provider);
  const opened = await credentials.of(row.operation_channel_id);
  const { callbackToken } = opened;
  const methods = involvesMethod(row) ? await chargeMethods.of(row) : noMethods;
  const operation = providerOperation(row, { publicUrl, callbackToken, secrets: credentials.secrets, methods });
  return lookUpOperation(connector, row, operation, { credentials: opened, timeoutMs, observe });
}
