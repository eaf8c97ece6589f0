import type { MollieClient } from '@mollie/api-client';
import type { Clock } from '../../../../core/clock.ts';
import { failure } from '../failures.ts';
import type { KeptMethod } from '../kept-method.ts';
import { otherModeOutcome } from '../other-mode.ts';
import type { Absent, MethodState, Outcome, SetupOutcome } from '../outcome.ts';
import type { Call, DetachOperation, MethodProvider, SetupOperation, SetupSource } from '../provider.ts';
import { redactedOutcome } from '../redaction.ts';
import { clientFor, isApiKey, MollieApiError, missingApiKey } from './client.ts';
import { customerFor, isGone } from './customers.ts';
import { outcomeOfApiError, rateLimited } from './failures.ts';
import { readMandate } from './mandates.ts';
import {
  createFirstPayment,
  createMandate,
  findFirstPayment,
  findMandateOf,
  methodsWithoutMoney,
  setupOf,
} from './setups.ts';
import { webhookUrlOf } from './webhook-url.ts';

/** Payment methods at Mollie: the mandates of its customers. */
export class MollieMethods implements MethodProvider {
  readonly #root: string;
  readonly #clock: Clock;

  constructor(root: string, clock: Clock) {
    this.#root = root;
    this.#clock = clock;
  }

  needsPayment(source: SetupSource): boolean {
    return setupOf(source, { name: '', email: null }) === undefined;
  }

  async setUp(operation: SetupOperation, call: Call): Promise<SetupOutcome> {
    if (!isApiKey(call.credentials.apiKey)) return missingApiKey;
    let customerId = null as string | null;
    const outcome = await this.#try<SetupOutcome>(
      call,
      (mollie) => {
        const begun = this.#begin(mollie, operation, call, (id) => {
          customerId = id;
        });
        return begun.catch(otherModeOutcome);
      },
      (refusal) => this.#outcomeOfRefusedSetup(refusal, operation, call),
    );
    if (customerId === null || outcome.kind === 'unknown' || outcome.kind === 'rate_limited') return outcome;
    // The customer exists from now on, whatever became of the setup.
    return { ...outcome, customerReference: customerId };
  }

  /** `onCustomer`: called with the customer's id once there is one. */
  async #begin(
    mollie: MollieClient,
    operation: SetupOperation,
    call: Call,
    onCustomer: (id: string) => void,
  ): Promise<SetupOutcome> {
    const setup = setupOf(operation, operation.customer);
    if (setup === undefined) return needsPayment;
    const { customer, currency, callbackUrl, key } = operation;
    const isMandate = setup.makes === 'MANDATE';
    const methods = isMandate ? [] : await methodsWithoutMoney(mollie, setup.methods, currency);
    if (!isMandate && methods.length === 0) return needsPayment;
    const customerId = await customerFor(mollie, customer, operation, this.#clock());
    onCustomer(customerId);
    if (isMandate) return createMandate(mollie, operation, customerId, setup.facts);
    const webhookUrl = webhookUrlOf(callbackUrl, key, call.credentials.webhookSecret, this.#root);
    return createFirstPayment(mollie, operation, { customerId, methods, cardToken: setup.cardToken, webhookUrl });
  }

  lookUp(operation: SetupOperation, call: Call): Promise<SetupOutcome | Absent> {
    return this.#try<SetupOutcome | Absent>(call, async (mollie) => {
      const makesMandate = setupOf(operation, operation.customer)?.makes === 'MANDATE';
      return makesMandate ? findMandateOf(mollie, operation) : findFirstPayment(mollie, operation);
    });
  }

  async detach({ method }: DetachOperation, call: Call): Promise<Outcome> {
    const { customerReference, reference } = method;
    if (!isApiKey(call.credentials.apiKey)) return missingApiKey;
    return this.#try<Outcome>(
      call,
      async (mollie) => {
        const state = await readMandate(mollie, method);
        if (state.kind === 'usable') {
          await mollie.customerMandates.revoke(reference, { customerId: customerReference as string });
        }
        return { kind: 'succeeded', reference };
      },
      async (refusal) => (isGone(refusal) ? { kind: 'succeeded', reference } : outcomeOfApiError(refusal, 'DETACH')),
    );
  }

  read(method: KeptMethod, call: Call): Promise<MethodState> {
    return this.#try<MethodState>(call, (mollie) => readMandate(mollie, method));
  }

  /**
   * A refusal means that a setup has failed only if `refused` says so: that of a look-up says nothing of the method.
   */
  async #try<Result extends SetupOutcome | Outcome | MethodState | Absent>(
    call: Call,
    ask: (mollie: MollieClient) => Promise<Result>,
    refused?: (refusal: MollieApiError) => Promise<Result | Unanswered>,
  ): Promise<Result | Unanswered> {
    let result: Result | Unanswered;
    try {
      result = await ask(clientFor(call, this.#root));
    } catch (cause) {
      if (cause instanceof MollieApiError && cause.status === 429) result = rateLimited(cause);
      else if (cause instanceof MollieApiError && refused !== undefined) result = await refused(cause);
      else result = { kind: 'unknown', cause };
    }
    return redactedOutcome(result, call.credentials);
  }

  /** 400: the key was used with other parameters, so what the first call made is looked for. */
  async #outcomeOfRefusedSetup(refusal: MollieApiError, operation: SetupOperation, call: Call): Promise<SetupOutcome> {
    if (refusal.status === 400) {
      const found = await this.lookUp(operation, call);
      if (found.kind !== 'absent') return found;
    }
    return outcomeOfApiError(refusal, 'SETUP');
  }
}

type Unanswered = Extract<Outcome, { kind: 'rate_limited' | 'unknown' }>;

const needsPayment = { kind: 'failed' as const, failure: failure('setup_needs_payment') };
