/** Live and test invoices are numbered apart, and a test invoice shows that it is one. */
export type NumberSeries = 'INV' | 'TEST';
export const seriesOf = (livemode: boolean): NumberSeries => (livemode ? 'INV' : 'TEST');

/** An invoice number as clients see it: INV-000001. */
export const numberText = (number: number, series: NumberSeries) => `${series}-${String(number).padStart(6, '0')}`;
