/**
 * The four accounts of a tenant in each currency. An account's balance is what was debited less what was credited; in sum
 * over all accounts that is zero, whatever happens, since every transfer debits what it credits (docs/concepts/ledger.md).
 */
export const accounts = {
  PROVIDER_RECEIVABLE: 'What providers have taken from payers and owe to us.',
  MERCHANT_PAYABLE: 'What is owed to the merchant for payments that succeeded.',
  REFUNDS: 'What was given back to payers, at the cost of the merchant.',
  PROVIDER_FEES: 'What providers have kept for themselves, where they report it.',
} as const;

export type Account = keyof typeof accounts;
