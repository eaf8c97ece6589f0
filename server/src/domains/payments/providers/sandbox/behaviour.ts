import type { FailureCode } from '../failures.ts';
import type { MessageState } from './messages.ts';

/** How the sandbox handles one operation. Absent fields are as in `succeed`. */
export interface Behaviour {
  /** The value of a payment's `metadata.sandbox` that selects it; `<n>` stands for a number from 1 to 999,999,999. */
  word: string;
  /** The amount, in minor units, that selects it if the payment's metadata does not. */
  amount: number | null;
  kind: 'CHARGE' | 'REFUND' | 'CAPTURE';
  /** The description in docs/guides/sandbox.md. */
  description: string;
  /** Default: succeeded. */
  finalState?: 'FAILED' | 'PENDING' | 'UNDECIDED';
  failure?: FailureCode;
  /** Pending at first; the final state comes after `app.sandbox.delay`. */
  isLate?: boolean;
  /** The callbacks, in the order in which they are sent. */
  callbacks?: readonly { state: MessageState; sequence: number }[];
  /** The answer to the first call: after `app.sandbox.delay`; not before the deadline; a 5xx. Default: at once. */
  answer?: 'slow' | 'never' | 'broken';
  /** The call that is carried out. Default: the first. */
  effectiveCall?: 'second' | 'none';
  /** The fee that the provider reports, in minor units. */
  fee?: number;
  /** Succeeds at first and fails `app.sandbox.delay` later, because the money came back. */
  isReturnedLater?: boolean;
  /** Pending until the look-up with this number, which succeeds. */
  succeedsAtLookUp?: number;
  /** Authorizes half of the amount, of a payment that is only authorized. */
  authorizesLess?: boolean;
  /** Its authorization ends `app.sandbox.delay` after it began. */
  expiresSoon?: boolean;
  /** Releases the rest after a final capture only when asked to. */
  releasesApart?: boolean;
  /** Its money is disputed `app.sandbox.delay` after it succeeded (`dispute-script.ts`), with as many callbacks. */
  disputeCallbacks?: number;
  /** The card network warns of fraud `app.sandbox.delay` after it succeeded. */
  warnsOfFraud?: boolean;
}
