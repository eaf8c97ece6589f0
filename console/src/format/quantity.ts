const byteUnits = ['byte', 'kilobyte', 'megabyte', 'gigabyte', 'terabyte'] as const;

/** 53,687,091,200 bytes → 54 GB. */
export function bytesText(bytes: number, locale: string): string {
  const index = Math.min(byteUnits.length - 1, Math.max(0, Math.floor(Math.log10(Math.max(1, bytes)) / 3)));
  return new Intl.NumberFormat(locale, {
    style: 'unit',
    unit: byteUnits[index] as string,
    unitDisplay: index === 0 ? 'long' : 'short',
    maximumSignificantDigits: 2,
  }).format(bytes / 1_000 ** index);
}

const timeUnits = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
  ['second', 1_000],
] as const;

/** 7,320,000 ms → 2 hours; less than a second stays in milliseconds. */
export function durationText(ms: number, locale: string): string {
  const [unit, size] = timeUnits.find(([, length]) => ms >= length) ?? (['millisecond', 1] as const);
  const format = new Intl.NumberFormat(locale, { style: 'unit', unit, unitDisplay: 'long', maximumFractionDigits: 0 });
  return format.format(Math.floor(ms / size));
}
