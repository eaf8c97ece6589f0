import { type Clock, isoTime } from '../../../core/clock.ts';
import { type GenerateUuid, uuidTimeMs } from '../../../core/id.ts';
import { plainArray } from '../../../platform/postgres/array-literal.ts';
import type { Queryable } from '../../../platform/postgres/database.ts';
import type { ProviderName } from '../providers/directory.ts';
import { type Failure, type FailureCode, failure } from '../providers/failures.ts';
import type { Agreement, Consent, KeptMethod, ProviderMethod, SaveRequest } from '../providers/kept-method.ts';
import type { Outcome } from '../providers/outcome.ts';
import { changeMethod, insertMethod, type MethodChangeDeps, makeDefaultAsAsked } from './change.ts';
import type { MethodCustomers } from './customers.ts';
import { readAttemptsLeft } from './declines.ts';
import { insertDecline } from './declines-statements.ts';
import { columnsOf, keptMethodOf, type Opener, referenceDigest, type Sealer } from './kept.ts';
import { customerAtProvider, learnCustomer, readMethodsOf } from './provider-customers.ts';
import { lockedMethod } from './read.ts';
import { emptyMethod, type MethodRow } from './record.ts';
import { isUsable, statusAfterFailure } from './rules.ts';
import { findByReference, findMethod, findOfCustomers } from './statements.ts';

/** How a payment keeps what its payer pays with: the column `save_method`. */
export interface SaveMethod {
  agreement: Agreement;
  /** Null: it becomes the default where the customer has none. */
  isDefault: boolean | null;
  consent: Consent | null;
}

/** A charge, as far as payment methods are concerned. */
export interface ChargeOfMethod {
  tenant_id: number;
  /** The payment's UUID. */
  id: string;
  /** The number of the operation. */
  number: number;
  livemode: boolean;
  customer_id: number | null;
  /** The method that the payment was created with. */
  method_id: string | null;
  /** The method that a charge through a fallback channel uses. */
  operation_method_id: string | null;
  save_method: SaveMethod | null;
  operation_channel_id: number;
  operation_provider: ProviderName;
  /** The provider's id of the charge, once it is known. */
  operation_reference: string | null;
}

/** What is sent of payment methods with a charge. */
export interface SentMethods {
  method: KeptMethod | null;
  save: SaveRequest | null;
}

/** Of a charge without payment methods. */
export const noMethods: SentMethods = { method: null, save: null };

/** What the outcome of a charge changes of payment methods. */
export type MethodEffect =
  | { kind: 'kept'; id: string; isNew: boolean; isLookedUp: boolean; kept: ProviderMethod }
  | { kind: 'failed'; id: string; code: FailureCode };

/** Whether a charge uses a payment method, or keeps one. */
export function involvesMethod({ method_id, save_method }: Pick<ChargeOfMethod, 'method_id' | 'save_method'>): boolean {
  return method_id !== null || save_method !== null;
}

export interface ChargeMethodsDeps extends MethodChangeDeps, Sealer {
  database: Queryable;
  credentials: { secrets: Opener & { isLost: (sealed: Buffer) => boolean } };
  methodCustomers: MethodCustomers;
  clock: Clock;
  generateUuid: GenerateUuid;
}

/** Payment methods of charges: what is sent of them, and what becomes of them. */
export class ChargeMethods {
  readonly #deps: ChargeMethodsDeps;

  constructor(deps: ChargeMethodsDeps) {
    this.#deps = deps;
  }

  /** Why a charge that was not sent yet cannot be: its method has ended since the payment was created. */
  async refusalOf(charge: ChargeOfMethod): Promise<Failure | undefined> {
    if (charge.method_id === null) return undefined;
    const row = await this.#read(charge, chargedMethod(charge) as string);
    const { secrets } = this.#deps.credentials;
    const isSendable = isUsable(row) && row.reference_sealed !== null && !secrets.isLost(row.reference_sealed);
    return isSendable ? undefined : failure('payment_method_missing');
  }

  async of(charge: ChargeOfMethod): Promise<SentMethods> {
    const { database, credentials } = this.#deps;
    const methodId = chargedMethod(charge);
    if (methodId !== null) {
      return { method: keptMethodOf(await this.#read(charge, methodId), credentials.secrets), save: null };
    }
    const { save_method: save } = charge;
    if (save === null) return noMethods;
    const key = { ...customerOnChannel(charge), livemode: charge.livemode };
    const customer = await customerAtProvider(database, key, this.#deps);
    return { method: null, save: { customer, agreement: save.agreement, consent: save.consent } };
  }

  /** Stores the provider's id of the customer, once an answer to a charge that saves names it. */
  async learn(charge: ChargeOfMethod, outcome: Outcome): Promise<void> {
    if (charge.save_method === null || !('customerReference' in outcome)) return;
    const { customerReference: reference, livemode = charge.livemode } = outcome;
    if (reference === undefined || livemode !== charge.livemode) return;
    const isCurrent = charge.operation_reference === null;
    await learnCustomer(this.#deps.database, customerOnChannel(charge), { reference, isCurrent }, this.#deps);
  }

  /** What a final outcome or an authorization changes of payment methods; null: nothing. */
  async effectOf(charge: ChargeOfMethod, outcome: Outcome, isLookedUp: boolean): Promise<MethodEffect | null> {
    const charged = chargedMethod(charge);
    if (charged !== null && 'kept' in outcome && outcome.kept !== undefined) {
      return { kind: 'kept', id: charged, isNew: false, isLookedUp, kept: outcome.kept };
    }
    if (charged !== null) {
      if (outcome.kind !== 'failed' || !isOfMethod(outcome.failure.code)) return null;
      return { kind: 'failed', id: charged, code: outcome.failure.code };
    }
    if (charge.save_method === null || !('kept' in outcome) || outcome.kept === undefined) return null;
    const { kept } = outcome;
    const existing = await this.#existing(charge, kept);
    const id = existing?.id ?? this.#deps.generateUuid();
    return { kind: 'kept', id, isNew: existing === undefined, isLookedUp, kept };
  }

  /** Locks the customers of charges, in the transaction that settles them. */
  async lockCustomers(transaction: Queryable, charges: readonly ChargeOfMethod[]): Promise<void> {
    const keys = new Map(
      charges.flatMap(({ tenant_id: tenantId, customer_id: customerId }) =>
        customerId === null ? [] : [[`${tenantId} ${customerId}`, { tenantId, customerId }] as const],
      ),
    );
    const inOrder = [...keys.values()].toSorted((a, b) => a.tenantId - b.tenantId || a.customerId - b.customerId);
    for (const customer of inOrder) await this.#deps.methodCustomers.lock(transaction, customer);
  }

  /**
   * Without those whose new method exists by now, in the transaction that holds `lockCustomers`: of charges that keep
   * the same method at once, one makes it. The effects of the others have to be found again.
   */
  async withoutStale<Settled extends { method: MethodEffect | null }>(
    transaction: Queryable,
    settled: readonly Settled[],
    chargeOf: (one: Settled) => ChargeOfMethod,
  ): Promise<Settled[]> {
    const current: Settled[] = [];
    const making = new Set<string>();
    for (const one of settled) {
      const { method } = one;
      if (method?.kind === 'kept' && method.isNew) {
        const charge = chargeOf(one);
        const { tenant_id, customer_id, operation_channel_id } = charge;
        const made = `${tenant_id} ${customer_id} ${operation_channel_id} ${method.kept.reference}`;
        if (making.has(made) || (await this.#existing(charge, method.kept, transaction)) !== undefined) continue;
        making.add(made);
      }
      current.push(one);
    }
    return current;
  }

  /** Writes an effect, in the transaction that has settled the charge and holds `lockCustomers`. */
  async apply(transaction: Queryable, charge: ChargeOfMethod, effect: MethodEffect): Promise<void> {
    if (effect.kind === 'failed') return this.#recordFailure(transaction, charge, effect);
    if (effect.isNew) await this.#insert(transaction, charge, effect);
    else await this.#keepAgain(transaction, charge, effect);
    const { customerReference: reference } = effect.kept;
    const customer = customerOnChannel(charge);
    if (reference !== null) await learnCustomer(transaction, customer, { reference, isCurrent: false }, this.#deps);
    // It may have ended since the charge, and the callback about that was of a method that was not known yet.
    if (effect.isLookedUp) await readMethodsOf(transaction, customer, this.#deps);
  }

  /**
   * The one method of the payment's customer that a fallback channel can charge; undefined: there is none, or several,
   * or its network allows no further attempt.
   */
  async onlyMethodAt(
    { tenant_id, customer_id }: Pick<ChargeOfMethod, 'tenant_id' | 'customer_id'>,
    channelId: number,
  ): Promise<Pick<MethodRow, 'id' | 'type'> | undefined> {
    if (customer_id === null) return undefined;
    const values = [plainArray([tenant_id]), plainArray([customer_id])];
    const rows = await this.#deps.database.run(findOfCustomers, values);
    const [method, ...others] = rows.filter(
      ({ status, channel_id }) => status === 'ACTIVE' && channel_id === channelId,
    );
    if (method === undefined || others.length > 0) return undefined;
    const customer = await this.#deps.methodCustomers.find(this.#deps.database, [tenant_id], customer_id);
    const key = { tenantId: tenant_id, methodId: method.id };
    const attempts = await readAttemptsLeft(this.#deps.database, [key], customer?.nowMs ?? this.#deps.clock());
    return attempts.get(method.id)?.left === 0 ? undefined : method;
  }

  async #recordFailure(
    transaction: Queryable,
    { tenant_id, id: paymentId, number }: ChargeOfMethod,
    { id, code }: Extract<MethodEffect, { kind: 'failed' }>,
  ): Promise<void> {
    const before = await lockedMethod(transaction, { tenant_id, id });
    if (!neverSentToNetwork.has(code)) {
      const customer = await this.#deps.methodCustomers.find(transaction, [tenant_id], before.customer_id);
      const declinedMs = customer?.nowMs ?? this.#deps.clock();
      await transaction.run(insertDecline, [tenant_id, id, paymentId, number, declinedMs]);
    }
    // What the issuer said decides whether an EXPIRED card can be charged: a later failure does not hide it.
    const isIssuersWord = before.status === 'EXPIRED' && before.failure_code === 'expired_card';
    const status = statusAfterFailure(before.status, code);
    if (status === before.status && (isIssuersWord || before.failure_code === code)) return;
    await changeMethod(transaction, before, { status, failure_code: code }, this.#deps);
  }

  async #insert(
    transaction: Queryable,
    charge: ChargeOfMethod,
    { id, kept }: Extract<MethodEffect, { kind: 'kept' }>,
  ): Promise<void> {
    const { tenant_id, operation_channel_id: channel_id } = charge;
    const save = charge.save_method as SaveMethod;
    const time = isoTime(uuidTimeMs(id));
    const row: MethodRow = {
      ...emptyMethod,
      tenant_id,
      id,
      livemode: charge.livemode,
      customer_id: charge.customer_id as number,
      channel_id,
      provider: charge.operation_provider,
      ...columnsOf(kept, channel_id, { tenant_id, id }, transaction, this.#deps),
      agreement: save.agreement,
      status: 'ACTIVE',
      wants_default: save.isDefault,
      consent: save.consent,
      created_at: time,
      updated_at: time,
    };
    await insertMethod(transaction, row, this.#deps);
  }

  /**
   * The provider has kept what it keeps already, or its payer has authenticated it again: the method is ACTIVE again,
   * and may become the default.
   */
  async #keepAgain(
    transaction: Queryable,
    charge: ChargeOfMethod,
    { id, kept }: Extract<MethodEffect, { kind: 'kept' }>,
  ): Promise<void> {
    const before = await lockedMethod(transaction, { tenant_id: charge.tenant_id, id });
    if (before.status === 'DETACHED') return;
    const told = columnsOf(kept, before.channel_id, before, transaction, this.#deps);
    const revived = before.status === 'ACTIVE' ? {} : { status: 'ACTIVE' as const, failure_code: null };
    const row = await changeMethod(transaction, before, { ...told, ...revived }, this.#deps);
    if (charge.save_method === null) return;
    await makeDefaultAsAsked(transaction, row, charge.save_method.isDefault, this.#deps);
  }

  async #existing(
    charge: ChargeOfMethod,
    { reference }: ProviderMethod,
    database: Queryable = this.#deps.database,
  ): Promise<MethodRow | undefined> {
    const digest = referenceDigest(database, charge.operation_channel_id, reference);
    const rows = await database.run(findByReference, [charge.operation_channel_id, digest]);
    return rows.find(
      ({ tenant_id, customer_id, status }) =>
        tenant_id === charge.tenant_id && customer_id === charge.customer_id && keepable.has(status),
    );
  }

  async #read({ tenant_id }: Pick<ChargeOfMethod, 'tenant_id'>, id: string): Promise<MethodRow> {
    const [row] = await this.#deps.database.run(findMethod, [[tenant_id], id]);
    if (row === undefined) throw new Error(`There is no payment method ${id}.`);
    return row;
  }
}

const keepable = new Set(['ACTIVE', 'EXPIRED', 'REVOKED']);

const chargedMethod = ({ operation_method_id, method_id }: ChargeOfMethod) => operation_method_id ?? method_id;

const customerOnChannel = ({ tenant_id, customer_id, operation_channel_id }: ChargeOfMethod) => ({
  tenant_id,
  customer_id: customer_id as number,
  channel_id: operation_channel_id,
});

/** Failures about a method that its network never saw. */
const neverSentToNetwork: ReadonlySet<FailureCode> = new Set(['payment_expired', 'payment_method_missing']);

/** Whether a failure is about the method, and not about the provider or about us. */
function isOfMethod(code: FailureCode): boolean {
  return !['provider_unavailable', 'credentials_refused', 'invalid_operation', 'processing_error'].includes(code);
}
