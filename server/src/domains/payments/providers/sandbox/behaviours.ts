import { secondMs } from '../../../../core/clock.ts';
import { type FailureCode, failureCodes } from '../failures.ts';
import type { Operation } from '../provider.ts';
import type { MessageState } from './messages.ts';

/** How the sandbox behaves in one operation. What is left out is as with `succeed`. */
export interface Behaviour {
  /** What a payment's `metadata.sandbox` says to ask for it; `<n>` stands for a number from 1 to 999,999,999. */
  word: string;
  /** The amount, in minor units, that asks for it where the payment's metadata names no word. */
  amount: number | null;
  kind: 'CHARGE' | 'REFUND';
  /** For docs/guides/sandbox.md. */
  does: string;
  /** How the operation ends; succeeded unless said otherwise. */
  ends?: 'FAILED' | 'PENDING' | 'UNDECIDED';
  failure?: FailureCode;
  /** Pending at first: the end comes after `lateMs`. */
  isLate?: boolean;
  /** What is told by callback, in the order in which it is sent. */
  tells?: readonly { state: MessageState; sequence: number }[];
  /** How the first call is answered: in `slowMs`; not before its deadline; by a 5xx. At once unless said otherwise. */
  answer?: 'slow' | 'never' | 'broken';
  /** Which call gets through: the second, or none, ever. The first unless said otherwise. */
  arrives?: 'second' | 'none';
  /** What the provider keeps, in minor units. */
  fee?: number;
  /** It has succeeded at first, and `lateMs` later it has failed: the money came back. */
  isReturned?: boolean;
  /** It succeeds when it has been looked up this often; pending until then. */
  lookUps?: number;
}

/** When a slow answer comes; at half the call's deadline where that is sooner. */
export const slowMs = 3 * secondMs;
/** When the end of a late operation comes. */
export const lateMs = 3 * secondMs;
/** From one callback of an operation to its next. */
export const callbackPauseMs = secondMs;

export const succeed: Behaviour = {
  word: 'succeed',
  amount: null,
  kind: 'CHARGE',
  does: 'Succeeds at once. So does every payment and refund that asks for nothing else.',
};

/** An amount for each reason to decline. All amounts begin with 73190, so that nobody hits upon one by chance. */
const declineAmounts: Record<FailureCode, number> = {
  card_declined: 7_319_001,
  insufficient_funds: 7_319_002,
  limit_exceeded: 7_319_003,
  expired_card: 7_319_004,
  invalid_card: 7_319_005,
  lost_or_stolen: 7_319_006,
  suspected_fraud: 7_319_007,
  authentication_failed: 7_319_008,
  not_supported: 7_319_009,
  payment_expired: 7_319_010,
  processing_error: 7_319_011,
  provider_unavailable: 7_319_012,
  credentials_refused: 7_319_013,
  invalid_operation: 7_319_014,
  refund_refused: 7_319_015,
  declined_for_good: 7_319_016,
};

/** The table of everything the sandbox can be asked for: code, tests and docs/guides/sandbox.md are made from it. */
export const behaviours: readonly Behaviour[] = [
  succeed,
  ...(Object.keys(failureCodes) as FailureCode[]).map(
    (code): Behaviour => ({
      word: `decline:${code}`,
      amount: declineAmounts[code],
      kind: 'CHARGE',
      does: `Is declined: ${failureCodes[code].message}`,
      ends: 'FAILED',
      failure: code,
    }),
  ),
  {
    word: 'slow',
    amount: 7_319_030,
    kind: 'CHARGE',
    does: 'Succeeds, and answers after 3 s; after half of `app.provider.timeout` where that is sooner.',
    answer: 'slow',
  },
  {
    word: 'timeout:before',
    amount: 7_319_031,
    kind: 'CHARGE',
    does: 'The call is lost on its way: no charge, no answer. Called again, it succeeds.',
    answer: 'never',
    arrives: 'second',
  },
  {
    word: 'timeout:after',
    amount: 7_319_032,
    kind: 'CHARGE',
    does: 'Succeeds, and the answer is lost.',
    answer: 'never',
  },
  {
    word: 'error:before',
    amount: 7_319_033,
    kind: 'CHARGE',
    does: 'Answers 503, and nothing was charged. Called again, it succeeds.',
    answer: 'broken',
    arrives: 'second',
  },
  {
    word: 'error:after',
    amount: 7_319_034,
    kind: 'CHARGE',
    does: 'Succeeds, and answers 503.',
    answer: 'broken',
  },
  {
    word: 'silent',
    amount: 7_319_035,
    kind: 'CHARGE',
    does: 'Nothing is charged, and nothing about the payment is ever answered: no call, no look-up, no cancellation.',
    answer: 'never',
    arrives: 'none',
  },
  {
    word: 'late',
    amount: 7_319_040,
    kind: 'CHARGE',
    does: 'Pending; succeeds after 3 s, and tells so by callback.',
    isLate: true,
    tells: [{ state: 'SUCCEEDED', sequence: 1 }],
  },
  {
    word: 'late:decline',
    amount: 7_319_041,
    kind: 'CHARGE',
    does: 'Pending; is declined after 3 s (`card_declined`), and tells so by callback.',
    ends: 'FAILED',
    failure: 'card_declined',
    isLate: true,
    tells: [{ state: 'FAILED', sequence: 1 }],
  },
  {
    word: 'callback:twice',
    amount: 7_319_042,
    kind: 'CHARGE',
    does: 'As `late`; the same callback comes twice.',
    isLate: true,
    tells: [
      { state: 'SUCCEEDED', sequence: 1 },
      { state: 'SUCCEEDED', sequence: 1 },
    ],
  },
  {
    word: 'callback:disorder',
    amount: 7_319_043,
    kind: 'CHARGE',
    does: 'As `late`; after the news of the success come two older ones: of a first attempt that failed, and of processing.',
    isLate: true,
    tells: [
      { state: 'SUCCEEDED', sequence: 3 },
      { state: 'ATTEMPT_FAILED', sequence: 1 },
      { state: 'PENDING', sequence: 2 },
    ],
  },
  {
    word: 'callback:contradiction',
    amount: 7_319_044,
    kind: 'CHARGE',
    does: 'As `late`; then a callback says that it failed, which is not true. A look-up says that it succeeded.',
    isLate: true,
    tells: [
      { state: 'SUCCEEDED', sequence: 1 },
      { state: 'FAILED', sequence: 2 },
    ],
  },
  {
    word: 'pending',
    amount: 7_319_045,
    kind: 'CHARGE',
    does: 'Pending for ever, until it is cancelled.',
    ends: 'PENDING',
  },
  {
    word: 'pending:<n>',
    amount: 7_319_046,
    kind: 'CHARGE',
    does: 'Pending without a callback; succeeds when it is looked up for the n-th time. By amount, n is 3.',
    ends: 'PENDING',
    lookUps: 3,
  },
  {
    word: 'payer',
    amount: 7_319_050,
    kind: 'CHARGE',
    does: 'Needs the payer: `nextAction` leads to a page with three ways on. Pay: succeeds. Fail: `authentication_failed`. Give up: cancelled.',
    ends: 'UNDECIDED',
  },
  {
    word: 'fee:<n>',
    amount: 7_319_060,
    kind: 'CHARGE',
    does: 'Succeeds, and says that the provider keeps a fee of n minor units. By amount, n is 30.',
    fee: 30,
  },
  {
    word: 'refund:fail',
    amount: 7_319_070,
    kind: 'REFUND',
    does: 'The payment succeeds; its refunds are refused (`refund_refused`).',
    ends: 'FAILED',
    failure: 'refund_refused',
  },
  {
    word: 'refund:late',
    amount: 7_319_071,
    kind: 'REFUND',
    does: 'The payment succeeds; its refunds are pending, succeed after 3 s, and tell so by callback.',
    isLate: true,
    tells: [{ state: 'SUCCEEDED', sequence: 1 }],
  },
  {
    word: 'refund:late-fail',
    amount: 7_319_072,
    kind: 'REFUND',
    does: 'The payment succeeds; its refunds are pending, are refused after 3 s, and tell so by callback.',
    ends: 'FAILED',
    failure: 'refund_refused',
    isLate: true,
    tells: [{ state: 'FAILED', sequence: 1 }],
  },
  {
    word: 'refund:timeout:before',
    amount: 7_319_073,
    kind: 'REFUND',
    does: 'The payment succeeds; the call for a refund is lost on its way. Called again, it succeeds.',
    answer: 'never',
    arrives: 'second',
  },
  {
    word: 'refund:timeout:after',
    amount: 7_319_074,
    kind: 'REFUND',
    does: 'The payment succeeds; so do its refunds, and the answer is lost.',
    answer: 'never',
  },
  {
    word: 'refund:returned',
    amount: 7_319_075,
    kind: 'REFUND',
    does: "The payment succeeds; so do its refunds. After 3 s the payer's bank sends the money back: they have failed (`refund_refused`), and tell so by callback.",
    failure: 'refund_refused',
    isReturned: true,
    tells: [{ state: 'FAILED', sequence: 2 }],
  },
];

const byWord = new Map(behaviours.map((behaviour) => [behaviour.word, behaviour]));
const byAmount = new Map(behaviours.map((behaviour) => [behaviour.amount, behaviour]));

/**
 * How a charge or a refund asks the sandbox to behave: by the payment's `metadata.sandbox`, else, where it is a charge, by a
 * `paymentMethod` that begins with `sandbox:` (so that a customer has a card that fails), else by its own amount. A word for
 * charges means nothing to a refund, and the other way round. Undefined: the word is not in the table.
 */
export function behaviourOf(operation: Operation): Behaviour | undefined {
  const { kind, amount, metadata } = operation;
  const word = metadata?.sandbox === undefined ? wordOfToken(operation) : metadata.sandbox;
  const asked = word === undefined ? (byAmount.get(amount) ?? succeed) : behaviourOfWord(word);
  return asked === undefined || asked.kind === kind ? asked : succeed;
}

const tokenPrefix = 'sandbox:';

function wordOfToken(operation: Operation): string | undefined {
  const token = operation.kind === 'CHARGE' ? operation.paymentMethod : null;
  return token?.startsWith(tokenPrefix) ? token.slice(tokenPrefix.length) : undefined;
}

function behaviourOfWord(word: unknown): Behaviour | undefined {
  if (typeof word !== 'string') return undefined;
  const [, name, digits] = /^(fee|pending):([1-9]\d{0,8})$/.exec(word) ?? [];
  if (name === undefined) return word.endsWith('<n>') ? undefined : byWord.get(word);
  const behaviour = byWord.get(`${name}:<n>`) as Behaviour;
  return { ...behaviour, word, ...(name === 'fee' ? { fee: Number(digits) } : { lookUps: Number(digits) }) };
}
