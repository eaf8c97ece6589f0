import type Stripe from 'stripe';
import type { ProviderCallback } from '../provider.ts';
import { chargeReferenceOf } from './disputes.ts';
import { keyOf } from './find.ts';
import { modeOf } from './outcomes.ts';
import { events } from './vocabulary.ts';

type MoneyNotices = Pick<ProviderCallback, 'disputeNotice' | 'refundNotice' | 'fraudWarning' | 'chargeNotice'>;

/** What an event reports of money that Florin did not move: disputes, refunds made elsewhere, debits that came back. */
export function moneyNoticesOf(event: Stripe.Event): MoneyNotices {
  const object = event.data?.object as { object?: string; id?: unknown } | null | undefined;
  if (typeof object?.id !== 'string') return {};
  const isA = (name: string) => object.object === name;
  const mode = modeOf(event);
  switch (events[event.type]) {
    case 'dispute':
      return isA('dispute') ? ofDispute(object as Stripe.Dispute, mode) : {};
    case 'refund':
      return isA('refund') ? ofRefund(object as Stripe.Refund, mode) : {};
    case 'fraud_warning':
      return isA('radar.early_fraud_warning') ? ofWarning(object as Stripe.Radar.EarlyFraudWarning, mode) : {};
    case 'failed_charge':
      return isA('charge') ? ofFailedCharge(object as Stripe.Charge, mode) : {};
    default:
      return {};
  }
}

type Mode = ReturnType<typeof modeOf>;

function ofDispute(dispute: Stripe.Dispute, mode: Mode): MoneyNotices {
  const chargeReference = chargeReferenceOf(dispute);
  return { disputeNotice: { reference: dispute.id, ...(chargeReference !== '' && { chargeReference }), ...mode } };
}

/** A refund with our key is reported as an operation of Florin. */
function ofRefund(refund: Stripe.Refund, mode: Mode): MoneyNotices {
  if (keyOf(refund) !== undefined) return {};
  return { refundNotice: { reference: refund.id, chargeReference: chargeReferenceOf(refund), ...mode } };
}

function ofWarning(warning: Stripe.Radar.EarlyFraudWarning, mode: Mode): MoneyNotices {
  const { id: reference, created } = warning;
  const chargeReference = chargeReferenceOf(warning);
  return { fraudWarning: { reference, chargeReference, atMs: created * 1_000, ...mode } };
}

/** Any other failure than that of money which was booked is told by the payment intent. */
function ofFailedCharge(charge: Stripe.Charge, mode: Mode): MoneyNotices {
  if (!charge.failure_balance_transaction) return {};
  return { chargeNotice: { reference: chargeReferenceOf({ ...charge, charge }), ...mode } };
}
