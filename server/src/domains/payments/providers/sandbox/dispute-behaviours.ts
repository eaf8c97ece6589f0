import type { Behaviour } from './behaviour.ts';

/** Of money that comes back (`dispute-script.ts`). */
export const disputeBehaviours: readonly Behaviour[] = [
  {
    word: 'debit:returned',
    amount: 7_319_049,
    kind: 'CHARGE',
    description: 'Succeeds. After 3 s the money comes back, with a callback: a dispute `returned`, which is LOST.',
    disputeCallbacks: 1,
  },
  {
    word: 'dispute',
    amount: 7_319_090,
    kind: 'CHARGE',
    description:
      'Succeeds. After 3 s the payer disputes it as fraudulent, with a callback, and all of it is withdrawn. ' +
      'Evidence with the text `winning_evidence` wins 3 s after it was submitted, and `losing_evidence` loses.',
    disputeCallbacks: 1,
  },
  {
    word: 'dispute:won',
    amount: 7_319_091,
    kind: 'CHARGE',
    description: 'Like `dispute`; 3 s later it is won by itself, and the money is reinstated.',
    disputeCallbacks: 2,
  },
  {
    word: 'dispute:lost',
    amount: 7_319_092,
    kind: 'CHARGE',
    description: 'Like `dispute`; 3 s later it is lost by itself.',
    disputeCallbacks: 2,
  },
  {
    word: 'dispute:inquiry',
    amount: 7_319_093,
    kind: 'CHARGE',
    description: 'Succeeds. After 3 s the bank inquires about it, without taking money. Closed 3 s after an answer.',
    disputeCallbacks: 1,
  },
  {
    word: 'dispute:twice',
    amount: 7_319_094,
    kind: 'CHARGE',
    description: 'Like `dispute:won`; 3 s later the bank goes on (PRE_ARBITRATION), and all of it is withdrawn again.',
    disputeCallbacks: 3,
  },
  {
    word: 'dispute:after-refund',
    amount: 7_319_095,
    kind: 'REFUND',
    description:
      'The payment succeeds; its refunds succeed too. 3 s after each of them the payer disputes the whole payment: ' +
      'the money is taken twice.',
    disputeCallbacks: 1,
  },
  {
    word: 'fraud-warning',
    amount: 7_319_096,
    kind: 'CHARGE',
    description: 'Succeeds. After 3 s the card network warns of fraud, with a callback. Nothing else happens.',
    warnsOfFraud: true,
  },
];
