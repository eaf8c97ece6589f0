import { currencyCodes } from '../../../core/currency.ts';
import type { ProviderName } from './directory.ts';
import { type MethodType, methodTypes, type NamedMethod } from './kept-method.ts';
import { mollieAmount } from './mollie/amounts.ts';
import { methodCapturedAtOnce as mollieMethodCapturedAtOnce } from './mollie/vocabulary.ts';
import { methodCapturedAtOnce as sandboxMethodCapturedAtOnce } from './sandbox/method-words.ts';
import { stripeAmount } from './stripe/units.ts';

/** Whether the money of a payment can be authorized first, and captured by one further request, or by several. */
export const captureAbilities = ['NONE', 'SINGLE', 'MULTIPLE'] as const;
export type CaptureAbility = (typeof captureAbilities)[number];

/**
 * What a provider can do besides charging, refunding and cancelling: data, so that it is known before a call.
 * `docs/reference/abilities.md` is generated from it.
 */
export interface ProviderAbilities {
  capture: CaptureAbility;
  /** The types of payment methods of which the provider can authorize a payment. */
  authorizes: readonly MethodType[];
  /**
   * The method that a charge names by its token, in the provider's word, if its money cannot be authorized first.
   * Undefined: nothing is known against it.
   */
  methodCapturedAtOnce?: (charge: NamedMethod) => string | undefined;
  partialRefunds: boolean;
  /** The types of payment methods that it keeps. */
  keeps: readonly MethodType[];
  /** Whether it makes the mandate of a debit from the number of an account (`bankAccount`). */
  takesBankAccounts: boolean;
  /** Whether it charges what it keeps without the payer. */
  offSession: boolean;
  /** The currencies that it takes, whatever the account and the method. */
  currencies: readonly string[];
  /** The least amount of a payment, in minor units of ISO 4217, of currencies with one above their smallest unit. */
  minimumAmounts: Readonly<Record<string, number>>;
  /** Whether its API can express an amount, in minor units of ISO 4217. */
  canExpress: (amount: number, currency: string) => boolean;
  /** What it cannot express, as a sentence for the documentation. */
  decimals: string;
  /**
   * TOLD: the provider reports disputes, which cannot be answered. ANSWERED: evidence can be submitted, and disputes
   * accepted.
   */
  disputes: 'NONE' | 'TOLD' | 'ANSWERED';
}

const isExpressedBy = (convert: (amount: number, currency: string) => unknown) => (amount: number, currency: string) =>
  convert(amount, currency) !== undefined;

/** Providers that are not named can do none of it. */
const abilities: Partial<Record<ProviderName, ProviderAbilities>> = {
  stripe: {
    // Several captures are a setting of the account.
    capture: 'MULTIPLE',
    authorizes: ['card', 'paypal'],
    partialRefunds: true,
    keeps: methodTypes,
    // It takes the numbers of accounts only from its own forms.
    takesBankAccounts: false,
    offSession: true,
    currencies: currencyCodes.filter((currency) => stripeAmount(10_000, currency) !== undefined),
    // https://docs.stripe.com/currencies#minimum-and-maximum-charge-amounts. An account that settles in another
    // currency needs as much as that currency's minimum, which only Stripe can tell.
    minimumAmounts: {
      AED: 200,
      AUD: 50,
      BRL: 50,
      CAD: 50,
      CHF: 50,
      CZK: 1_500,
      DKK: 250,
      EUR: 50,
      GBP: 30,
      HKD: 400,
      HUF: 17_500,
      INR: 50,
      JPY: 50,
      MXN: 1_000,
      MYR: 200,
      NOK: 300,
      NZD: 50,
      PLN: 200,
      RON: 200,
      SEK: 300,
      SGD: 50,
      THB: 1_000,
      USD: 50,
    },
    canExpress: isExpressedBy(stripeAmount),
    decimals: 'MGA only in whole units; BHD, JOD, KWD, OMR and TND with 0 as the third decimal.',
    disputes: 'ANSWERED',
  },
  mollie: {
    capture: 'MULTIPLE',
    authorizes: ['card'],
    methodCapturedAtOnce: ({ paymentMethod }) => mollieMethodCapturedAtOnce(paymentMethod ?? null),
    partialRefunds: true,
    keeps: ['card', 'sepa_debit', 'paypal'],
    takesBankAccounts: true,
    offSession: true,
    // https://docs.mollie.com/docs/multicurrency
    currencies: (
      'AED AUD BRL CAD CHF CZK DKK EUR GBP HKD HUF ILS ISK JPY MXN MYR NOK NZD PHP PLN RON SEK SGD ' + 'THB TWD USD ZAR'
    ).split(' '),
    minimumAmounts: {},
    canExpress: isExpressedBy(mollieAmount),
    decimals: 'As in ISO 4217.',
    disputes: 'TOLD',
  },
  sandbox: {
    capture: 'MULTIPLE',
    authorizes: ['card', 'paypal', 'other'],
    methodCapturedAtOnce: sandboxMethodCapturedAtOnce,
    partialRefunds: true,
    keeps: methodTypes,
    takesBankAccounts: true,
    offSession: true,
    currencies: currencyCodes,
    minimumAmounts: {},
    canExpress: () => true,
    decimals: 'As in ISO 4217.',
    disputes: 'ANSWERED',
  },
};

const noAbilities: ProviderAbilities = {
  capture: 'NONE',
  authorizes: [],
  partialRefunds: true,
  keeps: [],
  takesBankAccounts: false,
  offSession: false,
  currencies: currencyCodes,
  minimumAmounts: {},
  canExpress: () => true,
  decimals: 'As in ISO 4217.',
  disputes: 'NONE',
};

export function abilitiesOf(provider: ProviderName | null): ProviderAbilities {
  return (provider !== null && abilities[provider]) || noAbilities;
}

/** Providers that tell of disputes (`Provider.disputes`). */
export const providersWithDisputes = (Object.keys(abilities) as ProviderName[]).filter(
  (provider) => abilitiesOf(provider).disputes !== 'NONE',
);
