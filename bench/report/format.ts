import type { Series } from '../rounds.ts';

const thousands = new Intl.NumberFormat('en-US', { maximumFractionDigits: 0 });

export function perSecond(value: number | undefined): string {
  return `${thousands.format(value ?? Number.NaN)}/s`;
}

export function milliseconds(value: number): string {
  return `${value < 10 ? value.toFixed(2) : value.toFixed(0)} ms`;
}

export function megabytes(value: number): string {
  return `${value.toFixed(0)} MB`;
}

/** CPU time per request of each side, and the number of CPUs that other processes used during the measurement. */
export function cpuComment(series: readonly Series[], otherCpus: number): string {
  const sides = series.map(({ cpu }) => {
    if (cpu === undefined) return '–';
    return cpu.postgresUs > 0 ? `${cpu.nodeUs.toFixed(0)} + ${cpu.postgresUs.toFixed(0)}` : cpu.nodeUs.toFixed(0);
  });
  return `µs node + postgres: ${sides.join(' | ')}; others used ${otherCpus.toFixed(2)} CPU`;
}

/** The nearest power of ten, such as 10⁶. */
export function powerOfTen(value: number): string {
  return `10${[...String(Math.round(Math.log10(value)))].map((digit) => '⁰¹²³⁴⁵⁶⁷⁸⁹'[Number(digit)]).join('')}`;
}
