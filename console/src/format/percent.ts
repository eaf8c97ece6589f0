/** A rate in basis points: 1900 → 19 %. */
export function percentText(basisPoints: number, locale: string): string {
  const format = new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 2 });
  return format.format(basisPoints / 10_000);
}
