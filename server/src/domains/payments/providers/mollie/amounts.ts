import { exponentOf } from '../../../../core/currency.ts';
import { amountOfDecimal, decimalOf } from '../../../../core/money.ts';
import type { NamedMoney } from '../provider.ts';

/** Money as Mollie writes it: `{currency: 'EUR', value: '10.00'}`. */
export interface MollieAmount {
  currency: string;
  value: string;
}

/**
 * An amount in Mollie's form: a decimal string with exactly the digits of the currency, `10.00` EUR and `500` JPY. Its list
 * of currencies has the digits of ISO 4217 throughout, HUF and TWD with two, ISK and JPY with none, and no currency with
 * three: undefined for these, so that they are refused here. For a currency that is not on the list the refusal is Mollie's.
 */
export function mollieAmount(amount: number, currency: string): MollieAmount | undefined {
  const exponent = exponentOf(currency);
  if (exponent === undefined || exponent > 2) return undefined;
  return { currency, value: decimalOf(amount, currency) };
}

/** What Mollie says it moved. */
export function moneyOf(said: unknown): NamedMoney {
  const { currency, value } = (said ?? {}) as Partial<Record<keyof MollieAmount, unknown>>;
  if (typeof currency !== 'string' || typeof value !== 'string') throw new Error('Mollie named no amount.');
  return { amount: amountOfDecimal(value, currency) ?? null, currency };
}

/** Whether what Mollie says it moved is exactly what was asked for. */
export function isAmount(said: unknown, amount: number, currency: string): boolean {
  if (typeof said !== 'object' || said === null) return false;
  const { currency: saidCurrency, value } = said as Partial<Record<keyof MollieAmount, unknown>>;
  return saidCurrency === currency && typeof value === 'string' && amountOfDecimal(value, currency) === amount;
}
