interface TaxedLine {
  /** In basis points; null: untaxed, or taxed by an amount. */
  taxRate: number | null;
  taxAmount: number;
}

/** The taxes of the lines by rate, the highest rate first. Lines without tax are left out. */
export function taxesByRate(lines: readonly TaxedLine[]): { taxRate: number | null; amount: bigint }[] {
  const amounts = new Map<number | null, bigint>();
  for (const { taxRate, taxAmount } of lines) {
    if (taxRate === null && taxAmount === 0) continue;
    amounts.set(taxRate, (amounts.get(taxRate) ?? 0n) + BigInt(taxAmount));
  }
  return [...amounts]
    .map(([taxRate, amount]) => ({ taxRate, amount }))
    .toSorted((a, b) => (b.taxRate ?? -1) - (a.taxRate ?? -1));
}
