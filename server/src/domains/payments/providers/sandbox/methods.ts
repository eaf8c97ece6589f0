import { type Clock, dayMs } from '../../../../core/clock.ts';
import type { Queryable } from '../../../../platform/postgres/database.ts';
import { type FailureCode, failure } from '../failures.ts';
import type { KeptMethod, ProviderMethod } from '../kept-method.ts';
import type { Absent, MethodState, Outcome, SetupOutcome } from '../outcome.ts';
import type { Call, ChargeOperation, DetachOperation, MethodProvider, SetupOperation } from '../provider.ts';
import { isKnownWord } from './behaviours.ts';
import { signedMethodMessage } from './messages.ts';
import { typeOfWord, wordOfToken } from './method-words.ts';
import {
  detachKept,
  failUndecidedSetup,
  findKept,
  insertSetup,
  type KeptRecord,
  keepMethodOfCharge,
  useKept,
} from './statements.ts';

export interface SandboxMethodsOptions {
  database: Queryable;
  clock: Clock;
  publicUrl: string;
  delayMs: number;
}

/** The content of the page on which a payer lets a payment method be kept. */
export interface PayerSetup {
  /** The payer can choose while it is UNDECIDED. */
  state: 'UNDECIDED' | 'SUCCEEDED' | 'FAILED' | 'CANCELLED';
  /** Where the page redirects the payer afterwards. */
  returnUrl: string | null;
}

/** For how long a payer can finish a setup. */
const setupLifeMs = dayMs;

/**
 * The payment methods that the sandbox keeps, and its customers. What is kept is in the row of the operation that has
 * kept it: of a setup, or of a charge that saves.
 */
export class SandboxMethods implements MethodProvider {
  readonly #options: SandboxMethodsOptions;

  constructor(options: SandboxMethodsOptions) {
    this.#options = options;
  }

  async setUp(operation: SetupOperation, call: Call): Promise<SetupOutcome> {
    const word = wordOf(operation);
    if (word !== undefined && !isKnownWord(word)) return unknownWord(word);
    const { database, clock, delayMs } = this.#options;
    // One time for both: the callback that reports a change must not be sent before the change.
    const nowMs = clock();
    const needsPayer = word === 'setup:payer' || (operation.token === null && operation.bankAccount === null);
    const isRefused = word === 'setup:fail';
    const iban = operation.bankAccount?.iban.replaceAll(' ', '');
    await database.run(insertSetup, [
      operation.key,
      call.channelId,
      isRefused ? 'FAILED' : needsPayer ? 'UNDECIDED' : 'SUCCEEDED',
      word ?? null,
      isRefused ? 'card_declined' : null,
      operation.returnUrl,
      customerOf(operation),
      operation.type ?? (iban === undefined ? typeOfWord(word) : 'sepa_debit'),
      iban?.slice(-4) ?? null,
      ...callbacksOf(operation.key, word, needsPayer, call, { nowMs, delayMs }),
      nowMs,
    ]);
    const record = await this.#find(operation.key);
    if (record === undefined) throw new Error(`The sandbox did not record ${operation.key}.`);
    return this.#outcome(record);
  }

  async lookUp({ key }: SetupOperation): Promise<SetupOutcome | Absent> {
    const record = await this.#find(key);
    return record === undefined ? { kind: 'absent' } : this.#outcome(record);
  }

  async giveUp({ key }: SetupOperation): Promise<SetupOutcome> {
    await this.#options.database.run(failUndecidedSetup, [key]);
    return this.#outcome((await this.#find(key)) as KeptRecord);
  }

  async detach({ method }: DetachOperation): Promise<Outcome> {
    const { database, clock } = this.#options;
    await database.run(detachKept, [keyOfMethod(method.reference), clock()]);
    return { kind: 'succeeded', reference: method.reference };
  }

  async read({ reference }: KeptMethod): Promise<MethodState> {
    return this.#stateOf(await this.#find(keyOfMethod(reference)));
  }

  /** Lets a charge use a method, or says why it cannot. `word`: the one that the method was kept with. */
  async use(operation: ChargeOperation & { method: KeptMethod }): Promise<{ word: string | null } | FailureCode> {
    const { database } = this.#options;
    const [record] = await database.run(useKept, [keyOfMethod(operation.method.reference), operation.key]);
    const state = this.#stateOf(record, operation.key);
    if (state.kind === 'ended') return state.failure.code;
    const word = record?.behaviour ?? null;
    if (word !== 'offsession:authentication_required') return { word };
    return operation.initiator === 'MERCHANT' ? 'authentication_required' : { word: 'payer' };
  }

  /** Keeps what a charge is paid with, from its success on. */
  async keep(operation: ChargeOperation, word: string | null, call: Call): Promise<void> {
    const { database, clock, delayMs } = this.#options;
    const nowMs = clock();
    const type = typeOfWord(word ?? undefined);
    const callbacks = callbacksOf(operation.key, word ?? undefined, false, call, { nowMs, delayMs });
    await database.run(keepMethodOfCharge, [operation.key, customerOfSave(operation), type, ...callbacks, nowMs]);
  }

  async kept(key: string): Promise<ProviderMethod | undefined> {
    const record = await this.#find(key);
    return record?.customer == null ? undefined : this.#methodOf(record);
  }

  /** The setup of the page at `/sandbox/setup/{key}`. Undefined if there is none. */
  async payerSetup(key: string): Promise<PayerSetup | undefined> {
    const record = await this.#find(key);
    if (record?.kind !== 'SETUP' || record.state === 'UNTAKEN' || record.state === 'PENDING') return undefined;
    return { state: record.state === 'AUTHORIZED' ? 'SUCCEEDED' : record.state, returnUrl: record.return_url };
  }

  async #find(key: string): Promise<KeptRecord | undefined> {
    const [record] = await this.#options.database.run(findKept, [key]);
    return record;
  }

  /** What has become of a method; `chargeKey`: for this charge. */
  #stateOf(record: KeptRecord | undefined, chargeKey?: string): MethodState {
    if (record?.customer == null || record.detached || record.kept_ms === null) return ended('payment_method_missing');
    const { behaviour, used_by } = record;
    if (behaviour === 'method:revoked' && this.#isChanged(record)) return ended('mandate_revoked');
    const isUsed = used_by !== null && used_by !== chargeKey;
    if (behaviour === 'method:single-use' && isUsed) return ended('payment_method_missing');
    return { kind: 'usable', method: this.#methodOf(record) };
  }

  #methodOf(record: KeptRecord): ProviderMethod {
    return methodOf(record, this.#options.clock(), this.#isChanged(record));
  }

  /** Whether what changes the method later has happened. */
  #isChanged({ kept_ms }: KeptRecord): boolean {
    const { clock, delayMs } = this.#options;
    return kept_ms !== null && clock() >= kept_ms + delayMs;
  }

  async #outcome(record: KeptRecord): Promise<SetupOutcome> {
    const { database, clock, publicUrl } = this.#options;
    const { key, state, customer, created_ms, failure_code } = record;
    const named = { reference: referenceOfSetup(key), ...(customer !== null && { customerReference: customer }) };
    switch (state) {
      case 'SUCCEEDED':
        return { kind: 'attached', ...named, method: this.#methodOf(record) };
      case 'UNDECIDED': {
        if (created_ms + setupLifeMs > clock()) {
          return {
            kind: 'needs_payer',
            ...named,
            nextAction: { type: 'redirect', url: `${publicUrl}/sandbox/setup/${key}` },
          };
        }
        await database.run(failUndecidedSetup, [key]);
        return { kind: 'failed', ...named, failure: failure('payment_expired', 'expired') };
      }
      default: {
        const code = failure_code ?? 'payment_expired';
        return { kind: 'failed', ...named, failure: failure(code, code) };
      }
    }
  }
}

function wordOf({ metadata, token }: SetupOperation): string | undefined {
  const word = metadata?.sandbox === undefined ? wordOfToken(token) : metadata.sandbox;
  return word === undefined ? undefined : String(word);
}

const customerOf = ({ customer }: Pick<SetupOperation, 'customer'>) => customer.reference ?? `sbxc_${customer.key}`;

export function customerOfSave({ save }: ChargeOperation): string | null {
  return save === null ? null : customerOf(save);
}

const referenceOfSetup = (key: string) => `sbxs_${key}`;
const referenceOfMethod = (key: string) => `sbxm_${key}`;
const keyOfMethod = (reference: string) => reference.replace(/^sbxm_/, '');

const ended = (code: FailureCode): MethodState => ({ kind: 'ended', failure: failure(code, code) });

function methodOf(record: KeptRecord, nowMs: number, isLater: boolean): ProviderMethod {
  const { key, customer, method_type, last4, behaviour } = record;
  const type = method_type ?? 'card';
  const isCard = type === 'card';
  const digits = last4 ?? (isCard ? (isLater && behaviour === 'method:updated' ? '4444' : '4242') : '3000');
  return {
    customerReference: customer,
    reference: referenceOfMethod(key),
    type,
    providerType: type,
    networkTransactionId: isCard ? `sbxn_${key}` : null,
    brand: isCard ? 'visa' : null,
    last4: digits,
    ...(isCard ? expiryOf(record, isLater, nowMs) : { expiryMonth: null, expiryYear: null }),
    bankName: isCard ? null : 'Sandbox Bank',
    country: 'DE',
    fingerprint: `${type}-${digits}`,
    mandateReference: isCard ? null : `SBX-${key.slice(-12).toUpperCase()}`,
    mandateUrl: null,
  };
}

/** A card is valid for three years; one that has expired, until the month before last. */
function expiryOf({ behaviour, kept_ms }: KeptRecord, isLater: boolean, nowMs: number) {
  const kept = new Date(kept_ms ?? nowMs);
  if (isLater && behaviour === 'method:expires') {
    const over = new Date(Date.UTC(kept.getUTCFullYear(), kept.getUTCMonth() - 2));
    return { expiryMonth: over.getUTCMonth() + 1, expiryYear: over.getUTCFullYear() };
  }
  const years = isLater && behaviour === 'method:updated' ? 5 : 3;
  return { expiryMonth: 12, expiryYear: kept.getUTCFullYear() + years };
}

/** Words whose effect on the method is reported by a callback. */
const changesLater = new Set(['method:revoked', 'method:expires', 'method:updated']);

/** The callbacks as JSON, when the first is due in ms, and why there are none. */
function callbacksOf(
  key: string,
  word: string | undefined,
  needsPayer: boolean,
  { credentials: { webhookSecret } }: Call,
  { nowMs, delayMs }: { nowMs: number; delayMs: number },
): [json: string | null, dueMs: number | null, trouble: string | null] {
  const changes = word !== undefined && changesLater.has(word);
  if (!needsPayer && !changes) return [null, null, null];
  if (webhookSecret === null || webhookSecret === '') return [null, null, 'no_secret'];
  const changed = {
    ...signedMethodMessage({ key, of: 'METHOD', reference: referenceOfMethod(key) }, webhookSecret),
    afterMs: delayMs,
  };
  if (!needsPayer) return [JSON.stringify([changed]), nowMs + delayMs, null];
  const finished = signedMethodMessage({ key, of: 'SETUP', reference: referenceOfSetup(key) }, webhookSecret);
  const lists = { pay: changes ? [finished, changed] : [finished], fail: [finished], cancel: [finished] };
  return [JSON.stringify(lists), null, null];
}

function unknownWord(word: string): SetupOutcome {
  const requested = JSON.stringify(word);
  const message = `The sandbox has no such behaviour; docs/guides/sandbox.md lists all. Requested: ${requested}`;
  return {
    kind: 'failed',
    failure: failure('invalid_operation', 'unknown_behaviour', message.slice(0, 200).toWellFormed()),
  };
}
