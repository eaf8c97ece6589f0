import { uuidOfPublicId } from '../../../core/id.ts';
import { LostCredentialsError } from '../channels/credentials.ts';
import type { ChannelRow } from '../channels/statements.ts';
import { callInTime } from '../providers/call-in-time.ts';
import type { ProviderName } from '../providers/directory.ts';
import type { ProviderMethod } from '../providers/kept-method.ts';
import type { MethodState } from '../providers/outcome.ts';
import type { MethodUpdate, Provider } from '../providers/provider.ts';
import { changeMethod, customerOf } from './change.ts';
import { columnsOf, keptMethodOf } from './kept.ts';
import { isOfOtherMode } from './mode.ts';
import { findSetupByMethod, findSetupByReference, makeSetupDue } from './operation-statements.ts';
import { lockedMethod } from './read.ts';
import type { MethodRow } from './record.ts';
import { nextExpiryStep } from './rules.ts';
import { findByReference, findOfProviderCustomer, forgetProviderCustomer } from './statements.ts';
import type { MethodWorkerDeps } from './worker.ts';

/** A callback about a payment method. Except for a setup, `reference` is the digest of the provider's id, in hex. */
export interface MethodNotice {
  key: string | null;
  reference: string | null;
  of: MethodUpdate['of'];
  /** The mode that the callback names. */
  livemode?: boolean;
}

/** As of the callbacks of operations (`callbacks/settle.ts`). */
type NoticeResult = 'settled' | 'unknown' | 'busy';

/**
 * Follows callbacks about payment methods. A callback itself changes nothing, so that an old message does no harm: an
 * open setup is looked up, and a method is read as it is at the provider now.
 */
export class MethodNotices {
  readonly #deps: MethodWorkerDeps;

  constructor(deps: MethodWorkerDeps) {
    this.#deps = deps;
  }

  async settle(channelId: number, notice: MethodNotice): Promise<NoticeResult> {
    const { key, reference, of } = notice;
    const channel = await this.#deps.channels.find(channelId);
    if (channel?.provider != null && isOfOtherMode(aboutChannel(channel, channel.provider), notice, this.#deps)) {
      return 'settled';
    }
    if (of === 'SETUP') return this.#lookSetupUp(channelId, key, reference);
    const digest = Buffer.from(reference ?? '', 'hex');
    return of === 'METHOD' ? this.#readMethod(channelId, digest) : this.#readCustomer(channelId, digest);
  }

  async #lookSetupUp(channelId: number, key: string | null, reference: string | null): Promise<NoticeResult> {
    const { database, clock } = this.#deps;
    const methodId = methodOfKey(key);
    const byKey = methodId === undefined ? [] : await database.run(findSetupByMethod, [channelId, methodId]);
    const [setup] =
      byKey.length > 0 || reference === null ? byKey : await database.run(findSetupByReference, [channelId, reference]);
    if (setup === undefined) return 'unknown';
    const due = await database.run(makeSetupDue, [setup.tenant_id, setup.method_id, clock()]);
    return due.some(({ is_leased }) => is_leased) ? 'busy' : 'settled';
  }

  async #readMethod(channelId: number, digest: Buffer): Promise<NoticeResult> {
    const rows = await this.#deps.database.run(findByReference, [channelId, digest]);
    return rows.length === 0 ? 'unknown' : this.#readAll(rows);
  }

  /**
   * A customer without any usable method is created again at the provider before the next one is kept. `unknown`: it
   * may be the customer of a method that the provider keeps, but whose answer is not recorded yet.
   */
  async #readCustomer(channelId: number, digest: Buffer): Promise<NoticeResult> {
    const { database, generateUuid } = this.#deps;
    const rows = await database.run(findOfProviderCustomer, [channelId, digest]);
    if (rows.length === 0) return 'unknown';
    const result = await this.#readAll(rows);
    if (result !== 'settled') return result;
    if (rows.some(({ status }) => status === 'PENDING')) return 'unknown';
    const after = await database.run(findOfProviderCustomer, [channelId, digest]);
    if (after.every(({ status }) => status === 'REVOKED' || status === 'DETACHED' || status === 'FAILED')) {
      await database.run(forgetProviderCustomer, [channelId, digest, generateUuid()]);
    }
    return 'settled';
  }

  async #readAll(rows: readonly MethodRow[]): Promise<NoticeResult> {
    for (const row of rows.filter(
      ({ status }) => status === 'ACTIVE' || status === 'EXPIRED' || status === 'REVOKED',
    )) {
      const result = await this.readOne(row);
      if (result !== 'settled') return result;
    }
    return 'settled';
  }

  /** Reads a method at its provider, and follows what has become of it. */
  async readOne(row: MethodRow): Promise<NoticeResult> {
    const { providers, credentials, timeoutMs } = this.#deps;
    const { channel_id: channelId } = row;
    const { methods }: Provider = await providers.of(row.provider);
    if (methods === undefined) return 'settled';
    try {
      const opened = await credentials.of(channelId);
      const kept = keptMethodOf(row, credentials.secrets);
      const call = { credentials: opened, channelId, timeoutMs };
      const state = await callInTime(call, (context) => methods.read(kept, context));
      if (state.kind === 'unknown' || state.kind === 'rate_limited') return 'unknown';
      if (isOfOtherMode(row, state, this.#deps)) return 'unknown';
      await this.#apply(row, state);
      return 'settled';
    } catch (error) {
      if (error instanceof LostCredentialsError) return 'busy';
      throw error;
    }
  }

  /** Writes what the provider says of a method, if it has not changed here since it was read. */
  async #apply(row: MethodRow, state: Extract<MethodState, { kind: 'usable' | 'ended' }>): Promise<void> {
    const { database, methodCustomers } = this.#deps;
    await database.transaction(async (transaction) => {
      await methodCustomers.lock(transaction, customerOf(row));
      const before = await lockedMethod(transaction, row);
      if (before.status === 'DETACHED') return;
      if (state.kind === 'ended') {
        if (before.status === 'REVOKED') return;
        const change = { status: 'REVOKED', failure_code: state.failure.code } as const;
        await changeMethod(transaction, before, change, this.#deps);
        return;
      }
      await this.#update(transaction, before, state.method);
    });
  }

  async #update(
    transaction: Parameters<Parameters<MethodWorkerDeps['database']['transaction']>[0]>[0],
    before: MethodRow,
    method: ProviderMethod,
  ): Promise<void> {
    const told = columnsOf(method, before.channel_id, before, transaction, this.#deps);
    const isReplaced = shownColumns.some((column) => told[column] !== before[column]);
    const card = { ...before, ...told, status: 'ACTIVE' } as const;
    const isOver = (nextExpiryStep(card, this.#deps.clock())?.atMs ?? Number.POSITIVE_INFINITY) <= this.#deps.clock();
    const revives = before.status === 'REVOKED' || (before.status === 'EXPIRED' && isReplaced && !isOver);
    if (!revives && !isReplaced) return;
    const status = revives ? 'ACTIVE' : before.status === 'ACTIVE' && isOver ? 'EXPIRED' : before.status;
    const further = status === before.status ? (['payment_method.updated'] as const) : [];
    const failure = revives ? { failure_code: null } : {};
    await changeMethod(transaction, before, { ...told, status, ...failure }, this.#deps, further);
  }
}

const aboutChannel = ({ id, livemode }: ChannelRow, provider: ProviderName) => ({
  channel_id: id,
  provider,
  livemode,
});

/** What people see of a method. */
const shownColumns = [
  'type',
  'brand',
  'last4',
  'expiry_month',
  'expiry_year',
  'bank_name',
  'country',
  'fingerprint',
  'mandate_reference',
  'mandate_url',
] as const;

/** The method of the idempotency key of a setup. */
function methodOfKey(key: string | null): string | undefined {
  const [, id] = /^(mtd_[0-9a-f]{32})-\d{1,4}$/.exec(key ?? '') ?? [];
  return id === undefined ? undefined : uuidOfPublicId('mtd', id);
}
