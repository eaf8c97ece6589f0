/**
 * The accounts of a tenant in each currency. The balance of an account is its debits less its credits. All
 * balances sum to zero, because every transfer debits one account and credits another with the same amount
 * (docs/concepts/ledger.md).
 */
export const accounts = {
  PROVIDER_RECEIVABLE: 'Money that providers have taken from payers and owe us.',
  MERCHANT_PAYABLE: 'Money owed to the merchant for payments that succeeded.',
  REFUNDS: 'Money refunded to payers, at the expense of the merchant.',
  PROVIDER_FEES: 'Fees that providers have kept, if they report them.',
  DISPUTED: 'Money that disputes have withdrawn and not reinstated, at the expense of the merchant.',
  UNAPPLIED: 'Money that payments took although nothing was left to pay: it is owed to the payers.',
} as const;

export type Account = keyof typeof accounts;
