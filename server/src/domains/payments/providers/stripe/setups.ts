import type Stripe from 'stripe';
import { type Failure, failure } from '../failures.ts';
import type { SetupOutcome } from '../outcome.ts';
import type { SetupOperation } from '../provider.ts';
import { customerIdOf } from './customers.ts';
import { decline, isStripeApiError, outcomeOfError, refusal } from './declines.ts';
import { findSetupIntent, metadataOf } from './find.ts';
import { keptBySetup } from './kept-methods.ts';
import { mandateData } from './mandates.ts';
import { customerOf, isOfPage, modeOf, nextActionOf } from './outcomes.ts';
import { setupStatuses } from './vocabulary.ts';

/** Includes what a success has kept. */
const withMethod = { expand: ['payment_method', 'latest_attempt'] };

/** Creates and confirms the setup intent of a token. Always the same request for the same key. */
export async function sendSetup(stripe: Stripe, operation: SetupOperation, token: string): Promise<SetupOutcome> {
  const { key, consent, returnUrl } = operation;
  const customer = await customerIdOf(stripe, operation.customer, operation.createdMs);
  const creation = stripe.setupIntents.create(
    {
      customer,
      payment_method: token,
      confirm: true,
      usage: 'off_session',
      automatic_payment_methods: { enabled: true },
      return_url: returnUrl,
      metadata: metadataOf(operation),
      ...(consent && { mandate_data: mandateData(consent) }),
      ...withMethod,
    },
    { idempotencyKey: key },
  );
  const { intent, refused } = await creation.then((intent) => ({ intent, refused: undefined }), intentOfRefusal);
  return setupOutcome(stripe, intent, refused);
}

/** The outcome of the setup with this id. */
export async function retrieveSetup(stripe: Stripe, id: string): Promise<SetupOutcome> {
  return setupOutcome(stripe, await stripe.setupIntents.retrieve(id, withMethod));
}

/** The outcome of the setup with this key; undefined if Stripe has none. */
export async function searchSetup(stripe: Stripe, operation: SetupOperation): Promise<SetupOutcome | undefined> {
  const found = await findSetupIntent(stripe, operation.key, operation);
  return found && retrieveSetup(stripe, found.id);
}

/** Like a payment, a declined setup is thrown as an error that carries its intent. */
function intentOfRefusal(error: unknown): { intent: Stripe.SetupIntent; refused: Failure } {
  const intent = isStripeApiError(error) ? error.setup_intent : undefined;
  const outcome = outcomeOfError(error, 'SETUP');
  if (intent === undefined || outcome.kind !== 'failed') throw error;
  return { intent, refused: outcome.failure };
}

/** `refused`: why Stripe refused the request; undefined if it did not. */
export async function setupOutcome(
  stripe: Stripe,
  intent: Stripe.SetupIntent,
  refused?: Failure,
): Promise<SetupOutcome> {
  const outcome = await outcomeOfStatus(stripe, intent, refused);
  return { ...outcome, ...modeOf(intent), ...customerOf(intent) };
}

async function outcomeOfStatus(stripe: Stripe, intent: Stripe.SetupIntent, refused?: Failure): Promise<SetupOutcome> {
  const { id: reference, status } = intent;
  switch (setupStatuses[status]) {
    case 'attached': {
      const method = await keptBySetup(stripe, intent);
      const failed = { kind: 'failed', reference, failure: failure('invalid_operation', status) } as const;
      return method === undefined ? failed : { kind: 'attached', reference, method };
    }
    case 'needs_payer':
      return { kind: 'needs_payer', reference, nextAction: nextActionOf(intent) };
    case 'failed':
      return endedSetup(stripe, intent, refused ?? lastFailure(intent));
    // Also statuses that Stripe may add.
    default:
      return { kind: 'pending', reference };
  }
}

/** Cancels a setup whose payer has not finished. */
export async function endSetup(stripe: Stripe, id: string): Promise<SetupOutcome> {
  return setupOutcome(stripe, await cancelSetup(stripe, id));
}

/** `failed` only after the payer's browser can no longer confirm the setup. */
async function endedSetup(stripe: Stripe, intent: Stripe.SetupIntent, why: Failure): Promise<SetupOutcome> {
  const { id, status } = intent;
  const failed: SetupOutcome = { kind: 'failed', reference: id, failure: why };
  // The intent of a page cannot be cancelled, nor confirmed outside of it.
  if (status === 'canceled' || isOfPage(intent)) return failed;
  try {
    const after = await cancelSetup(stripe, id);
    if (after.status === 'canceled') return failed;
    if (setupStatuses[after.status] !== 'failed') return await outcomeOfStatus(stripe, after);
    return { kind: 'unknown', cause: new Error('A declined setup could not be cancelled.') };
  } catch (cause) {
    // Also after a refusal, because it concerns the cancellation, not the setup.
    return { kind: 'unknown', cause };
  }
}

/** Cancels a setup. Returns it as it is afterwards: not `canceled` if its status does not allow that. */
async function cancelSetup(stripe: Stripe, id: string): Promise<Stripe.SetupIntent> {
  try {
    return await stripe.setupIntents.cancel(id, { cancellation_reason: 'abandoned' });
  } catch (error) {
    if (!isStripeApiError(error) || error.statusCode !== 400) throw error;
    return stripe.setupIntents.retrieve(id, withMethod);
  }
}

function lastFailure({ last_setup_error: error }: Stripe.SetupIntent): Failure {
  if (!error) return failure('payment_expired');
  return error.type === 'invalid_request_error' ? refusal(error) : decline(error);
}
