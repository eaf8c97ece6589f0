import { randomBytes } from 'node:crypto';
import { mandateMethodOf } from './mollie-orders.ts';
import type { MandateMethod } from './mollie-records.ts';
import { hal, type Mode, Problem, page, timeOf } from './mollie-values.ts';

/** A customer at Mollie. */
export interface SimulatedCustomer {
  id: string;
  mode: Mode;
  name: string | null;
  email: string | null;
  metadata: unknown;
  createdMs: number;
  /** Deleted customers are gone for the API, with their mandates. */
  isDeleted: boolean;
}

export type MandateStatus = 'valid' | 'pending' | 'invalid';

/** A mandate of a customer: what can be charged again. */
export interface SimulatedMandate {
  id: string;
  mode: Mode;
  customerId: string;
  status: MandateStatus;
  method: MandateMethod;
  details: Record<string, string | null>;
  mandateReference: string | null;
  signatureDate: string;
  createdMs: number;
  /** Why recurring payments by card or PayPal fail from now on; null: they are paid. */
  declines: string | null;
}

/** With these the IBAN is not known at once, and the mandate pending until then. */
const methodsWithLateIban = ['belfius'];

/** The customers of an account, and their mandates. */
export class MollieCustomers {
  readonly all = new Map<string, SimulatedCustomer>();
  readonly mandates = new Map<string, SimulatedMandate>();
  readonly #now: () => number;

  constructor(now: () => number) {
    this.#now = now;
  }

  create(body: Record<string, unknown>, mode: Mode): SimulatedCustomer {
    const { name = null, email = null, metadata = null } = body as Partial<SimulatedCustomer>;
    if (email !== null && !/^[^@\s]+@[^@\s]+$/.test(email)) throw new Problem(422, 'The email is invalid.', 'email');
    const customer = { id: newId('cst_'), mode, name, email, metadata, createdMs: this.#now(), isDeleted: false };
    this.all.set(customer.id, customer);
    return customer;
  }

  /** The customer that a path names. */
  get(id: string, mode: Mode): SimulatedCustomer {
    const customer = this.all.get(id);
    if (customer === undefined || customer.mode !== mode)
      throw new Problem(404, `No customer exists with token ${id}.`);
    if (customer.isDeleted) throw new Problem(410, `The customer ${id} is no longer available.`);
    return customer;
  }

  delete(customer: SimulatedCustomer): void {
    customer.isDeleted = true;
    for (const mandate of this.mandatesOf(customer.id)) mandate.status = 'invalid';
  }

  mandatesOf(customerId: string): SimulatedMandate[] {
    return [...this.mandates.values()].filter((mandate) => mandate.customerId === customerId);
  }

  mandate(customerId: string, id: string): SimulatedMandate {
    const mandate = this.mandates.get(id);
    if (mandate?.customerId !== customerId) throw new Problem(404, `No mandate exists with token ${id}.`);
    return mandate;
  }

  revoke(mandate: SimulatedMandate): void {
    if (mandate.status === 'invalid') throw new Problem(404, `No mandate exists with token ${mandate.id}.`);
    mandate.status = 'invalid';
  }

  /** Without a payment Mollie makes mandates only for IBANs and PayPal agreements. */
  createMandate(customer: SimulatedCustomer, body: Record<string, unknown>): SimulatedMandate {
    const { method, consumerName, mandateReference = null, signatureDate } = body as Record<string, string>;
    if (typeof consumerName !== 'string' || consumerName === '') {
      throw new Problem(422, "The 'consumerName' field is missing", 'consumerName');
    }
    if (method !== 'directdebit' && method !== 'paypal') {
      throw new Problem(422, 'Mandates of this method need a first payment', 'method');
    }
    const consumerAccount = method === 'directdebit' ? ibanIn(body) : agreementIn(body);
    const details = { consumerName, consumerAccount, consumerBic: null };
    return this.#add(customer, method, method === 'paypal' ? { consumerName, consumerAccount } : details, {
      status: 'valid',
      mandateReference,
      ...(signatureDate !== undefined && { signatureDate }),
    });
  }

  /** The mandate that a first payment makes when it is paid or authorized. */
  keep(customerId: string, method: string): SimulatedMandate {
    const customer = this.all.get(customerId) as SimulatedCustomer;
    const kept = mandateMethodOf[method] as MandateMethod;
    const isLate = methodsWithLateIban.includes(method);
    return this.#add(customer, kept, detailsOf(kept, customer, isLate, this.mandates.size), {
      status: isLate ? 'pending' : 'valid',
      mandateReference: kept === 'directdebit' ? `MD-${randomBytes(4).toString('hex')}` : null,
    });
  }

  #add(
    { id: customerId, mode }: SimulatedCustomer,
    method: MandateMethod,
    details: SimulatedMandate['details'],
    facts: Pick<SimulatedMandate, 'status' | 'mandateReference'> & Partial<SimulatedMandate>,
  ): SimulatedMandate {
    const createdMs = this.#now();
    const signatureDate = new Date(createdMs).toISOString().slice(0, 10);
    const made = { id: newId('mdt_'), mode, customerId, method, details, createdMs, declines: null };
    const mandate = { ...made, signatureDate, ...facts };
    this.mandates.set(mandate.id, mandate);
    return mandate;
  }

  /** The customer and mandate of a new payment. */
  ofPayment(body: Record<string, unknown>, mode: Mode): { customerId?: string; mandate?: SimulatedMandate } {
    const { customerId, sequenceType = 'oneoff' } = body;
    if (customerId === undefined) {
      if (sequenceType === 'oneoff') return {};
      throw new Problem(422, "The 'customerId' field is missing", 'customerId');
    }
    const customer = this.all.get(customerId as string);
    if (customer === undefined || customer.isDeleted || customer.mode !== mode) {
      throw new Problem(422, 'The customer id is invalid', 'customerId');
    }
    if (sequenceType !== 'recurring') return { customerId: customer.id };
    return { customerId: customer.id, mandate: this.#mandateToCharge(customer.id, body) };
  }

  /** Without `mandateId` Mollie charges the newest mandate. Pending ones can be charged too. */
  #mandateToCharge(customerId: string, { mandateId, method }: Record<string, unknown>): SimulatedMandate {
    const usable = this.mandatesOf(customerId).filter(
      (each) => each.status !== 'invalid' && (method === undefined || each.method === method),
    );
    const found = mandateId === undefined ? usable.at(-1) : usable.find(({ id }) => id === mandateId);
    if (found !== undefined) return found;
    throw new Problem(422, 'No suitable mandates found for customer.', 'customerId');
  }
}

function ibanIn({ consumerAccount }: Record<string, unknown>): string {
  const iban = typeof consumerAccount === 'string' ? consumerAccount : '';
  if (!isIban(iban)) throw new Problem(422, 'The bank account is invalid', 'consumerAccount');
  return iban;
}

function isIban(text: string): boolean {
  if (!/^[A-Z]{2}\d\d[A-Z0-9]{11,30}$/.test(text)) return false;
  const digits = [...text.slice(4), ...text.slice(0, 4)].map((letter) => Number.parseInt(letter, 36)).join('');
  return BigInt(digits) % 97n === 1n;
}

function agreementIn({ consumerEmail, paypalBillingAgreementId, payPalVaultId }: Record<string, unknown>): string {
  if (typeof consumerEmail !== 'string')
    throw new Problem(422, "The 'consumerEmail' field is missing", 'consumerEmail');
  if ((paypalBillingAgreementId === undefined) === (payPalVaultId === undefined)) {
    throw new Problem(422, 'Either a billing agreement or a vault id is needed', 'paypalBillingAgreementId');
  }
  return consumerEmail;
}

function detailsOf(method: MandateMethod, { name, email }: SimulatedCustomer, isLate: boolean, count: number) {
  if (method === 'paypal') return { consumerName: name, consumerAccount: email ?? 'payer@example.org' };
  if (method === 'directdebit') {
    const consumerAccount = isLate ? null : `NL55INGB${`${count}`.padStart(10, '0')}`;
    return { consumerName: name, consumerAccount, consumerBic: isLate ? null : 'INGBNL2A' };
  }
  return {
    cardHolder: name,
    cardNumber: '6787',
    cardLabel: 'Mastercard',
    cardFingerprint: `fingerprint${count}`,
    cardExpiryDate: '2030-12-31',
  };
}

export function customerBody(customer: SimulatedCustomer, root: string): Record<string, unknown> {
  const { isDeleted: _, createdMs, ...shown } = customer;
  const self = `${root}/v2/customers/${customer.id}`;
  return {
    resource: 'customer',
    ...shown,
    locale: null,
    createdAt: timeOf(createdMs),
    _links: {
      self: hal(self),
      dashboard: page(`${root}/dashboard/customers/${customer.id}`),
      documentation: page('https://docs.mollie.com/reference/get-customer'),
    },
  };
}

export function mandateBody(mandate: SimulatedMandate, root: string): Record<string, unknown> {
  const { declines: _, createdMs, ...shown } = mandate;
  const customer = `${root}/v2/customers/${mandate.customerId}`;
  return {
    resource: 'mandate',
    ...shown,
    ...(mandate.method === 'creditcard' && { scopes: ['customer-present', 'customer-not-present'] }),
    createdAt: timeOf(createdMs),
    _links: {
      self: hal(`${customer}/mandates/${mandate.id}`),
      customer: hal(customer),
      documentation: page('https://docs.mollie.com/reference/get-mandate'),
    },
  };
}

function newId(prefix: string): string {
  return prefix + randomBytes(8).toString('hex');
}
