export interface Amount {
  /** In minor units. */
  amount: number;
  currency: string;
  status: string;
}

export interface StatusSums {
  status: string;
  /** By currency. */
  sums: { currency: string; amount: bigint }[];
}

/** The sums by status and currency. Money that was paid cannot be added to what has failed or is open. */
export function sumsByStatus(amounts: readonly Amount[]): StatusSums[] {
  return grouped(amounts, ({ status }) => status).map(([status, same]) => ({
    status,
    sums: grouped(same, ({ currency }) => currency).map(([currency, one]) => ({
      currency,
      amount: one.reduce((sum, { amount }) => sum + BigInt(amount), 0n),
    })),
  }));
}

function grouped(amounts: readonly Amount[], keyOf: (amount: Amount) => string): [string, Amount[]][] {
  return Object.entries(Object.groupBy(amounts, keyOf)) as [string, Amount[]][];
}
