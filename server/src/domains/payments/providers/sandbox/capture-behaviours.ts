import type { Behaviour } from './behaviour.ts';

/** Of payments that are authorized first, and of their captures. */
export const captureBehaviours: readonly Behaviour[] = [
  {
    word: 'authorize',
    amount: 7_319_080,
    kind: 'CHARGE',
    description:
      'Succeeds at once: with `captureMethod` MANUAL, as for every payment, it authorizes the amount for 7 days; ' +
      'with AUTOMATIC it also captures it.',
  },
  {
    word: 'authorize:less',
    amount: 7_319_081,
    kind: 'CHARGE',
    description: 'With `captureMethod` MANUAL: authorizes only half of the amount.',
    authorizesLess: true,
  },
  {
    word: 'authorize:expires',
    amount: 7_319_082,
    kind: 'CHARGE',
    description: 'With `captureMethod` MANUAL: the authorization ends after 3 s, with a callback.',
    expiresSoon: true,
  },
  {
    word: 'capture:late',
    amount: 7_319_083,
    kind: 'CAPTURE',
    description:
      'Captures are pending, succeed after 3 s and send a callback; so does the release of the rest, which takes a ' +
      'request of its own.',
    isLate: true,
    releasesApart: true,
    callbacks: [{ state: 'SUCCEEDED', sequence: 1 }],
  },
  {
    word: 'capture:fail',
    amount: 7_319_084,
    kind: 'CAPTURE',
    description: 'Captures are refused (`capture_failed`).',
    finalState: 'FAILED',
    failure: 'capture_failed',
  },
  {
    word: 'capture:fail-later',
    amount: 7_319_085,
    kind: 'CAPTURE',
    description:
      'Captures succeed. After 3 s the scheme rejects them, with a callback: a dispute `returned`, which is LOST.',
    disputeCallbacks: 1,
  },
];
