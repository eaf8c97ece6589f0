import { exponentOf } from '../../../../core/currency.ts';
import { amountOfDecimal, decimalOf } from '../../../../core/money.ts';
import type { NamedMoney } from '../outcome.ts';

/** An amount of Mollie's API: `{currency: 'EUR', value: '10.00'}`. */
export interface MollieAmount {
  currency: string;
  value: string;
}

/**
 * Formats an amount for Mollie: a decimal string with exactly the digits of the currency, `10.00` EUR and `500` JPY.
 * Mollie uses the digits of ISO 4217 for all of its currencies (HUF and TWD two, ISK and JPY none) and has none with
 * three digits: the result is undefined for these, and Florin refuses them. Mollie itself refuses other currencies that
 * it lacks.
 */
export function mollieAmount(amount: number, currency: string): MollieAmount | undefined {
  const exponent = exponentOf(currency);
  if (exponent === undefined || exponent > 2) return undefined;
  return { currency, value: decimalOf(amount, currency) };
}

/** The amount that Mollie reports. Throws if there is none. */
export function moneyOf(reported: unknown): NamedMoney {
  const { currency, value } = (reported ?? {}) as Partial<Record<keyof MollieAmount, unknown>>;
  if (typeof currency !== 'string' || typeof value !== 'string') throw new Error('Mollie reported no amount.');
  return { amount: amountOfDecimal(value, currency) ?? null, currency };
}

/** Whether the amount that Mollie reports is exactly the requested one. */
export function isAmount(reported: unknown, amount: number, currency: string): boolean {
  if (typeof reported !== 'object' || reported === null) return false;
  const { currency: reportedCurrency, value } = reported as Partial<Record<keyof MollieAmount, unknown>>;
  return reportedCurrency === currency && typeof value === 'string' && amountOfDecimal(value, currency) === amount;
}
