import { secondMs } from '../../../../core/clock.ts';
import { type FailureCode, failureCodes } from '../failures.ts';
import type { Operation } from '../provider.ts';
import type { Behaviour } from './behaviour.ts';
import { captureBehaviours } from './capture-behaviours.ts';
import { disputeBehaviours } from './dispute-behaviours.ts';
import { isMethodWord, wordOfToken } from './method-words.ts';

/** The delay between two callbacks of an operation, unless `app.sandbox.delay` is shorter. */
export const callbackIntervalMs = secondMs;

export const succeed: Behaviour = {
  word: 'succeed',
  amount: null,
  kind: 'CHARGE',
  description: 'Succeeds at once. The default for every payment and refund.',
};

/** The amount for each decline. All amounts begin with 73190, so that they are not used by accident. */
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
  authentication_required: 7_319_017,
  mandate_revoked: 7_319_018,
  account_closed: 7_319_019,
  payment_method_missing: 7_319_020,
  authorization_expired: 7_319_021,
  capture_failed: 7_319_022,
  payment_disputed: 7_319_023,
  setup_needs_payment: 7_319_024,
  refund_exceeds_payment: 7_319_025,
};

/** All behaviours of the sandbox. The tests and docs/guides/sandbox.md are generated from this table. */
export const behaviours: readonly Behaviour[] = [
  succeed,
  ...(Object.keys(failureCodes) as FailureCode[]).map(
    (code): Behaviour => ({
      word: `decline:${code}`,
      amount: declineAmounts[code],
      kind: 'CHARGE',
      description: `Is declined: ${failureCodes[code].message}`,
      finalState: 'FAILED',
      failure: code,
    }),
  ),
  {
    word: 'slow',
    amount: 7_319_030,
    kind: 'CHARGE',
    description: 'Succeeds, but answers only after 3 s, or after half of `app.provider.timeout` if that is sooner.',
    answer: 'slow',
  },
  {
    word: 'timeout:before',
    amount: 7_319_031,
    kind: 'CHARGE',
    description: 'The first call is lost: no charge and no answer. The second call succeeds.',
    answer: 'never',
    effectiveCall: 'second',
  },
  {
    word: 'timeout:after',
    amount: 7_319_032,
    kind: 'CHARGE',
    description: 'Succeeds, but the answer is lost.',
    answer: 'never',
  },
  {
    word: 'error:before',
    amount: 7_319_033,
    kind: 'CHARGE',
    description: 'Answers 503 without charging. The second call succeeds.',
    answer: 'broken',
    effectiveCall: 'second',
  },
  {
    word: 'error:after',
    amount: 7_319_034,
    kind: 'CHARGE',
    description: 'Succeeds, but answers 503.',
    answer: 'broken',
  },
  {
    word: 'silent',
    amount: 7_319_035,
    kind: 'CHARGE',
    description:
      'Charges nothing and never answers anything about the payment: neither calls nor look-ups nor cancellations.',
    answer: 'never',
    effectiveCall: 'none',
  },
  {
    word: 'late',
    amount: 7_319_040,
    kind: 'CHARGE',
    description: 'Pending; succeeds after 3 s and sends a callback.',
    isLate: true,
    callbacks: [{ state: 'SUCCEEDED', sequence: 1 }],
  },
  {
    word: 'late:decline',
    amount: 7_319_041,
    kind: 'CHARGE',
    description: 'Pending; is declined after 3 s (`card_declined`) and sends a callback.',
    finalState: 'FAILED',
    failure: 'card_declined',
    isLate: true,
    callbacks: [{ state: 'FAILED', sequence: 1 }],
  },
  {
    word: 'debit:late',
    amount: 7_319_047,
    kind: 'CHARGE',
    description: 'A debit on its way: pending; succeeds after 3 s and sends a callback.',
    isLate: true,
    callbacks: [{ state: 'SUCCEEDED', sequence: 1 }],
  },
  {
    word: 'debit:late-fail',
    amount: 7_319_048,
    kind: 'CHARGE',
    description: 'A debit on its way: pending; the bank refuses it after 3 s (`insufficient_funds`), with a callback.',
    finalState: 'FAILED',
    failure: 'insufficient_funds',
    isLate: true,
    callbacks: [{ state: 'FAILED', sequence: 1 }],
  },
  {
    word: 'callback:twice',
    amount: 7_319_042,
    kind: 'CHARGE',
    description: 'Like `late`, but sends the same callback twice.',
    isLate: true,
    callbacks: [
      { state: 'SUCCEEDED', sequence: 1 },
      { state: 'SUCCEEDED', sequence: 1 },
    ],
  },
  {
    word: 'callback:disorder',
    amount: 7_319_043,
    kind: 'CHARGE',
    description:
      'Like `late`; after the callback of the success it sends two older ones: of a failed first attempt, and of ' +
      'processing.',
    isLate: true,
    callbacks: [
      { state: 'SUCCEEDED', sequence: 3 },
      { state: 'ATTEMPT_FAILED', sequence: 1 },
      { state: 'PENDING', sequence: 2 },
    ],
  },
  {
    word: 'callback:contradiction',
    amount: 7_319_044,
    kind: 'CHARGE',
    description: 'Like `late`; then sends a false callback that it failed. A look-up answers that it succeeded.',
    isLate: true,
    callbacks: [
      { state: 'SUCCEEDED', sequence: 1 },
      { state: 'FAILED', sequence: 2 },
    ],
  },
  {
    word: 'pending',
    amount: 7_319_045,
    kind: 'CHARGE',
    description: 'Pending until it is cancelled.',
    finalState: 'PENDING',
  },
  {
    word: 'pending:<n>',
    amount: 7_319_046,
    kind: 'CHARGE',
    description: 'Pending without callbacks; succeeds at the n-th look-up. By amount, n is 3.',
    finalState: 'PENDING',
    succeedsAtLookUp: 3,
  },
  {
    word: 'payer',
    amount: 7_319_050,
    kind: 'CHARGE',
    description:
      'Needs the payer: `nextAction` leads to a page with three buttons. Pay: succeeds. Fail: fails ' +
      '(`authentication_failed`). Give up: is cancelled.',
    finalState: 'UNDECIDED',
  },
  {
    word: 'fee:<n>',
    amount: 7_319_060,
    kind: 'CHARGE',
    description: 'Succeeds and reports a fee of n minor units. By amount, n is 30.',
    fee: 30,
  },
  {
    word: 'refund:fail',
    amount: 7_319_070,
    kind: 'REFUND',
    description: 'The payment succeeds; its refunds are refused (`refund_refused`).',
    finalState: 'FAILED',
    failure: 'refund_refused',
  },
  {
    word: 'refund:late',
    amount: 7_319_071,
    kind: 'REFUND',
    description: 'The payment succeeds; its refunds are pending, succeed after 3 s and send a callback.',
    isLate: true,
    callbacks: [{ state: 'SUCCEEDED', sequence: 1 }],
  },
  {
    word: 'refund:late-fail',
    amount: 7_319_072,
    kind: 'REFUND',
    description: 'The payment succeeds; its refunds are pending, are refused after 3 s and send a callback.',
    finalState: 'FAILED',
    failure: 'refund_refused',
    isLate: true,
    callbacks: [{ state: 'FAILED', sequence: 1 }],
  },
  {
    word: 'refund:timeout:before',
    amount: 7_319_073,
    kind: 'REFUND',
    description: 'The payment succeeds; the first call of a refund is lost. The second call succeeds.',
    answer: 'never',
    effectiveCall: 'second',
  },
  {
    word: 'refund:timeout:after',
    amount: 7_319_074,
    kind: 'REFUND',
    description: 'The payment succeeds; its refunds succeed too, but the answer is lost.',
    answer: 'never',
  },
  {
    word: 'refund:returned',
    amount: 7_319_075,
    kind: 'REFUND',
    description:
      "The payment succeeds; its refunds succeed too. After 3 s the payer's bank returns the money: " +
      'the refunds fail (`refund_refused`) and send a callback.',
    failure: 'refund_refused',
    isReturnedLater: true,
    callbacks: [{ state: 'FAILED', sequence: 2 }],
  },
  ...captureBehaviours,
  ...disputeBehaviours,
];

/** Words of setups, at a payment that keeps the method. */
const asCharge: Readonly<Record<string, string>> = { 'setup:payer': 'payer', 'setup:fail': 'decline:card_declined' };

const behavioursByWord = new Map(behaviours.map((behaviour) => [behaviour.word, behaviour]));
const behavioursByAmount = new Map(behaviours.map((behaviour) => [behaviour.amount, behaviour]));

/**
 * The behaviour that a charge, a refund or a capture selects: by the payment's `metadata.sandbox`; otherwise by a
 * `paymentMethod` that begins with `sandbox:` (which gives a customer a card that fails); otherwise by its amount. Each
 * ignores behaviours for others. A release selects as a capture does. Undefined if the word is not in the table.
 * `keptWord`: of a refund or a capture, the word that its charge has kept (`laterWordOf`); of a charge with a payment
 * method, the one that it was kept with.
 */
export function behaviourOf(operation: Operation, keptWord?: string): Behaviour | undefined {
  const { kind, amount, metadata } = operation;
  const word = metadata?.sandbox === undefined ? (keptWord ?? wordOfCharge(operation)) : metadata.sandbox;
  const selected = word === undefined ? (behavioursByAmount.get(amount) ?? succeed) : behaviourOfWord(word);
  const wanted = kind === 'RELEASE' ? 'CAPTURE' : kind;
  return selected === undefined || selected.kind === wanted ? selected : succeed;
}

const wordOfCharge = (operation: Operation) =>
  operation.kind === 'CHARGE' ? wordOfToken(operation.paymentMethod) : undefined;

/**
 * The behaviour that a charge selects for its refunds or captures by its `paymentMethod`. The charge keeps it, because
 * they are called without the payment method.
 */
export function laterWordOf(operation: Operation): string | undefined {
  const word = operation.metadata?.sandbox === undefined ? wordOfCharge(operation) : undefined;
  return isLaterWord(word) ? word : undefined;
}

/** Whether a word is a behaviour of refunds or captures. */
export const isLaterWord = (word: string | null | undefined): word is string => {
  const kind = behaviourOfWord(word)?.kind;
  return kind !== undefined && kind !== 'CHARGE';
};

/** Whether the sandbox has a behaviour, or a way to keep payment methods, with this name. */
export const isKnownWord = (word: unknown): boolean => behaviourOfWord(word) !== undefined;

/** The behaviour of this name, or the way to keep payment methods. */
export function behaviourOfWord(word: unknown): Behaviour | undefined {
  if (typeof word !== 'string') return undefined;
  // The word is kept, because it holds for the later life of a method that the charge keeps.
  if (isMethodWord(word)) return { ...(behavioursByWord.get(asCharge[word] ?? '') ?? succeed), word };
  const [, name, digits] = /^(fee|pending):([1-9]\d{0,8})$/.exec(word) ?? [];
  if (name === undefined) return word.endsWith('<n>') ? undefined : behavioursByWord.get(word);
  const behaviour = behavioursByWord.get(`${name}:<n>`) as Behaviour;
  return { ...behaviour, word, ...(name === 'fee' ? { fee: Number(digits) } : { succeedsAtLookUp: Number(digits) }) };
}
