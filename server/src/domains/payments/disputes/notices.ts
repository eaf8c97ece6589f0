import { publicId } from '../../../core/id.ts';
import { retryAfterMs } from '../../../core/retry-after.ts';
import type { Queryable } from '../../../platform/postgres/database.ts';
import { appendEvents, eventDraft } from '../../webhooks/events/append-events.cte.ts';
import { type ChannelCredentials, LostCredentialsError } from '../channels/credentials.ts';
import type { ChannelDirectory } from '../channels/directory.ts';
import type { ChannelPace } from '../operations/channel-pace.ts';
import { parseOperationKey } from '../operations/rules.ts';
import {
  findByReference as findOperations,
  findOfPayment as findOperationsOfPayment,
  type OperationRow,
} from '../operations/statements.ts';
import { isFinished } from '../operations/states.ts';
import { callInTime } from '../providers/call-in-time.ts';
import type { Providers } from '../providers/directory.ts';
import type {
  DisputePage,
  DisputeReading,
  DisputeReference,
  ProviderDispute,
  ProviderRefund,
  Unanswered,
} from '../providers/dispute.ts';
import type { Call, DisputeProvider, Provider } from '../providers/provider.ts';
import { recordElsewhere } from '../refunds/elsewhere.ts';
import { capturedAmountOf } from '../transactions/captured.ts';
import { recordFraudWarning } from '../transactions/dispute-statements.ts';
import { payment } from '../transactions/record.ts';
import { isFinal } from '../transactions/states.ts';
import { applyReading } from './apply.ts';
import type { ApplyDeps } from './apply-deps.ts';
import { reviewRefunds } from './refunds-left.ts';
import { findByReference, findChargeReference } from './statements.ts';

export interface DisputeNoticesDeps extends ApplyDeps {
  providers: Pick<Providers, 'of'>;
  channels: Pick<ChannelDirectory, 'find'>;
  credentials: Pick<ChannelCredentials, 'of'>;
  /** Slows all calls through a channel down when its provider refuses one by its rate limit. */
  pace: Pick<ChannelPace, 'called' | 'refused'>;
  /** Deadline of each call: `app.provider.timeout`. */
  timeoutMs: number;
}

/** A callback about money that Florin did not move. */
export interface MoneyNotice {
  /** CHARGE: something of the charge has changed, which the callback does not name. */
  of: 'DISPUTE' | 'REFUND' | 'FRAUD_WARNING' | 'CHARGE';
  /** The provider's id of it. */
  reference: string;
  /** What the provider calls the charge, if the callback names it. */
  charge?: string;
  /** Of a warning: when it came. */
  atMs?: number;
  livemode?: boolean;
}

/** As of the callbacks of operations (`callbacks/settle.ts`). */
export type NoticeResult = 'settled' | 'unknown' | 'busy';

/** `later`: its charge is known and has not ended yet. `under_way`: it is recorded, and has not ended itself. */
type Applied = 'settled' | 'unknown' | 'later' | 'under_way';

/**
 * Follows callbacks about disputes. A callback itself changes nothing, so that an old message does no harm: the dispute
 * is read as it is at the provider now.
 */
export class DisputeNotices {
  readonly #deps: DisputeNoticesDeps;

  constructor(deps: DisputeNoticesDeps) {
    this.#deps = deps;
  }

  async settle(channelId: number, { of, reference, charge, atMs }: MoneyNotice): Promise<NoticeResult> {
    if (of === 'DISPUTE') return this.read(channelId, { dispute: reference, charge: charge ?? null });
    if (charge === undefined) return 'settled';
    if (of === 'FRAUD_WARNING') return this.#warn(channelId, charge, atMs ?? this.#deps.clock());
    return of === 'CHARGE' ? this.#readCharge(channelId, charge) : this.#readRefund(channelId, reference, charge);
  }

  async #readRefund(channelId: number, refund: string, charge: string): Promise<NoticeResult> {
    const reading = await this.ask(channelId, (disputes, call) => disputes.readRefund({ refund, charge }, call));
    if (reading === 'busy') return 'busy';
    if (reading === undefined || reading.kind === 'absent') return 'settled';
    if (reading.kind !== 'read') return 'unknown';
    return resultOf([await this.applyRefund(channelId, reading.refund)]);
  }

  /** Reads all disputes of a charge, and the refunds of it, from a page on. */
  async #readCharge(channelId: number, charge: string, cursor: string | null = null): Promise<NoticeResult> {
    const readMs = this.#deps.clock();
    const page = await this.ask(channelId, async (disputes, call) => disputes.listOf?.(charge, cursor, call));
    if (page === 'busy') return 'busy';
    if (page === undefined) return 'settled';
    if (page.kind !== 'page') return 'unknown';
    const result = resultOf(await this.applyPage(channelId, page, readMs));
    if (result === 'unknown' || page.next === null) return result;
    return this.#readCharge(channelId, charge, page.next);
  }

  /** Writes what a page says. */
  async applyPage(channelId: number, page: DisputePage, readMs: number): Promise<Applied[]> {
    const applied: Applied[] = [];
    for (const dispute of page.disputes) applied.push(await this.apply(channelId, dispute, readMs));
    for (const refund of page.refunds) applied.push(await this.applyRefund(channelId, refund));
    for (const { chargeReference, atMs } of page.warnings ?? []) await this.#warn(channelId, chargeReference, atMs);
    return applied;
  }

  /** Reads a dispute at its provider, and writes what it says. */
  async read(channelId: number, reference: DisputeReference): Promise<NoticeResult> {
    const { database, clock } = this.#deps;
    const [known] = await database.run(findByReference, [channelId, reference.dispute]);
    const charge = reference.charge ?? (known === undefined ? null : await chargeReferenceOf(database, known));
    const readMs = clock();
    const reading = await this.ask(channelId, (disputes, call) => disputes.read({ ...reference, charge }, call));
    if (reading === 'busy') return 'busy';
    if (reading === undefined || reading.kind === 'absent') return 'settled';
    if (reading.kind !== 'read') return 'unknown';
    return this.apply(channelId, reading.dispute, readMs);
  }

  /** Writes what a provider says of a dispute. `unknown`: the channel has no such charge, at least not yet. */
  async apply(channelId: number, reported: ProviderDispute, readMs: number): Promise<'settled' | 'unknown'> {
    const charge = await this.#findCharge(channelId, reported.chargeReference);
    if (charge === undefined) return 'unknown';
    const { reference, livemode } = reported;
    const report = { kind: 'changed', reference, ...(livemode !== undefined && { livemode }) } as const;
    if (await this.#deps.settler.reportDifference(charge, report, 'callback')) return 'settled';
    await applyReading(charge, reported, readMs, this.#deps);
    return 'settled';
  }

  /**
   * Records a refund that was made elsewhere. `unknown`: the channel has no such charge, at least not yet. `later`: the
   * charge has not ended, or a refund of Florin's is under way that this may be.
   */
  async applyRefund(channelId: number, told: ProviderRefund): Promise<Applied> {
    const { database, payments } = this.#deps;
    const { reference, key, livemode } = told;
    if (key !== undefined && parseOperationKey(key) !== undefined) return 'settled';
    const own = await database.run(findOperations, [channelId, reference]);
    if (own.some(({ kind }) => kind === 'REFUND')) return 'settled';
    const charge = await this.#findCharge(channelId, told.chargeReference);
    if (charge === undefined) return 'unknown';
    if (!isFinal(charge.status)) return 'later';
    if (told.currency !== charge.currency) return 'settled';
    const report = { kind: 'changed', reference, ...(livemode !== undefined && { livemode }) } as const;
    if (await this.#deps.settler.reportDifference(charge, report, 'callback')) return 'settled';
    return database.transaction(async (transaction) => {
      const locked = await payments.lock(transaction, charge);
      const rows = await transaction.run(findOperationsOfPayment, [locked.tenant_id, locked.id]);
      if (rows.some((row) => isUnclearRefund(row, told))) return 'later';
      const isChanged = await recordElsewhere(transaction, locked, told, channelId, this.#deps);
      if (isChanged) {
        await reviewRefunds(transaction, locked, { channelId, code: 'refund_exceeds_payment' }, this.#deps);
      }
      return told.status === 'PROCESSING' ? 'under_way' : 'settled';
    });
  }

  async #warn(channelId: number, chargeReference: string, atMs: number): Promise<'settled' | 'unknown'> {
    const { database, clock, generateUuid } = this.#deps;
    const charge = await this.#findCharge(channelId, chargeReference);
    if (charge === undefined) return 'unknown';
    await database.transaction(async (transaction) => {
      const values = [charge.tenant_id, charge.id, atMs, clock()];
      const [row] = await transaction.run(recordFraudWarning, values);
      if (row === undefined) return;
      const { tenant_id: tenantId, livemode } = row;
      const subject = { tenantId, livemode, objectId: publicId('txn', row.id), object: payment.show(row) };
      await appendEvents(transaction, [eventDraft('transaction.fraud_warning', subject, generateUuid())]);
    });
    return 'settled';
  }

  /** Asks a provider about disputes. Undefined: it tells of none. `busy`: the channel's API key must be set again. */
  async ask<Answer>(
    channelId: number,
    request: (disputes: DisputeProvider, call: Call) => Promise<Answer>,
  ): Promise<Answer | Extract<DisputeReading, { kind: 'unknown' }> | 'busy' | undefined> {
    const { channels, providers, credentials, timeoutMs, pace, clock } = this.#deps;
    const channel = await channels.find(channelId);
    if (channel?.provider == null || channel.is_disabled) return undefined;
    const { disputes }: Provider = await providers.of(channel.provider);
    if (disputes === undefined) return undefined;
    try {
      const call = { credentials: await credentials.of(channelId), channelId, timeoutMs };
      pace.called(channelId);
      const answer = await callInTime(call, (context) => request(disputes, context));
      if (isRateLimited(answer)) pace.refused(channelId, retryAfterMs(answer.retryAfter, clock()));
      return answer;
    } catch (error) {
      if (error instanceof LostCredentialsError) return 'busy';
      throw error;
    }
  }

  /** The charge of this channel that the provider knows by this id, if it has taken money. */
  async #findCharge(channelId: number, reference: string): Promise<OperationRow | undefined> {
    const rows = await this.#deps.database.run(findOperations, [channelId, reference]);
    return rows.find((row) => row.kind === 'CHARGE' && capturedAmountOf(row) > 0);
  }
}

/** A callback that cannot be followed yet is tried again. */
const resultOf = (applied: readonly Applied[]): 'settled' | 'unknown' =>
  applied.some((one) => one === 'unknown' || one === 'later') ? 'unknown' : 'settled';

type RateLimited = Extract<Unanswered, { kind: 'rate_limited' }>;

const isRateLimited = (answer: unknown): answer is RateLimited =>
  (answer as Partial<RateLimited> | undefined)?.kind === 'rate_limited';

/** A refund of Florin's that the provider may have made, although its answer with the reference is not known. */
const isUnclearRefund = (row: OperationRow, { amount }: ProviderRefund) =>
  row.kind === 'REFUND' &&
  row.operation_reference === null &&
  row.operation_amount === amount &&
  row.state !== 'READY' &&
  !isFinished(row.state);

/** What the provider calls the charge of a payment. */
export async function chargeReferenceOf(
  database: Queryable,
  { tenant_id, transaction_id }: { tenant_id: number; transaction_id: string },
): Promise<string | null> {
  const [charge] = await database.run(findChargeReference, [tenant_id, transaction_id]);
  return charge?.provider_reference ?? null;
}
