import type { CsvFields, FileRow, JsonFields } from './files.ts';

/** What every row has. */
interface Row {
  stripeId: string;
  line: number;
}

export interface CustomerRow extends Row {
  name: string;
  email: string | null;
  phone: string | null;
  metadata: Record<string, string> | undefined;
  /** The id of its default method, if the file tells. */
  defaultMethod: string | null;
}

export interface MethodRow extends Row {
  customer: string | null;
  livemode: boolean | null;
}

/** Times in ms; null: the cell is empty or no time. Other cells as they are, '' if they are empty. */
export interface SubscriptionRow extends Row {
  customer: string;
  plan: string;
  quantity: string;
  currency: string;
  interval: string;
  amount: string;
  status: string;
  startMs: number | null;
  periodStartMs: number | null;
  periodEndMs: number | null;
  trialEndMs: number | null;
  coupon: string;
  taxPercent: string;
  applicationFee: string;
  cancelAtPeriodEnd: string;
  endedAt: string;
  metadata: Record<string, string> | undefined;
}

export const neededCustomerColumns = ['id', 'Email', 'Name'];

export const neededSubscriptionColumns = [
  'id',
  'Customer ID',
  'Plan',
  'Quantity',
  'Currency',
  'Interval',
  'Amount',
  'Status',
  'Current Period Start (UTC)',
  'Current Period End (UTC)',
  'Coupon',
  'Tax Percent',
  'Cancel At Period End',
];

export function customerOfCsv({ line, fields }: FileRow<CsvFields>): CustomerRow {
  const { id = '', Name = '', Email = '', Description = '', Phone = '' } = fields;
  const name = nameOf(Name, Email, Description, id);
  return {
    ...{ stripeId: id, line, name },
    email: Email || null,
    phone: Phone || null,
    metadata: metadataOf(fields),
    defaultMethod: fields['Default Source'] || null,
  };
}

/** https://docs.stripe.com/api/customers/object */
export function customerOfJson({ line, fields }: FileRow<JsonFields>): CustomerRow {
  const text = (value: unknown) => (typeof value === 'string' ? value.trim() : '');
  const stripeId = text(fields.id);
  const settings = (fields.invoice_settings ?? {}) as { default_payment_method?: unknown };
  const metadata = Object.entries((fields.metadata ?? {}) as Record<string, unknown>).filter(
    (entry): entry is [string, string] => typeof entry[1] === 'string',
  );
  return {
    ...{ stripeId, line },
    name: nameOf(text(fields.name), text(fields.email), text(fields.description), stripeId),
    email: text(fields.email) || null,
    phone: text(fields.phone) || null,
    metadata: metadata.length === 0 ? undefined : Object.fromEntries(metadata),
    defaultMethod: idOf(settings.default_payment_method) ?? idOf(fields.default_source),
  };
}

/** https://docs.stripe.com/api/payment_methods/object */
export function methodOf({ line, fields }: FileRow<JsonFields>): MethodRow {
  return {
    stripeId: idOf(fields.id) ?? '',
    line,
    customer: idOf(fields.customer),
    livemode: typeof fields.livemode === 'boolean' ? fields.livemode : null,
  };
}

export function subscriptionOf({ line, fields }: FileRow<CsvFields>): SubscriptionRow {
  const cell = (name: string) => fields[name] ?? '';
  const time = (name: string) => utcTime(cell(name));
  return {
    stripeId: cell('id'),
    line,
    customer: cell('Customer ID'),
    plan: cell('Plan'),
    quantity: cell('Quantity'),
    currency: cell('Currency').toUpperCase(),
    interval: cell('Interval'),
    amount: cell('Amount'),
    status: cell('Status'),
    startMs: time('Start Date (UTC)') ?? time('Start (UTC)'),
    periodStartMs: time('Current Period Start (UTC)'),
    periodEndMs: time('Current Period End (UTC)'),
    trialEndMs: time('Trial End (UTC)'),
    coupon: cell('Coupon'),
    taxPercent: cell('Tax Percent'),
    applicationFee: cell('Application Fee Percent'),
    cancelAtPeriodEnd: cell('Cancel At Period End').toLowerCase(),
    endedAt: cell('Ended At (UTC)'),
    metadata: metadataOf(fields),
  };
}

/** Florin's customers have a name: without one, the next best text. */
function nameOf(...texts: readonly string[]): string {
  const text = texts.find((one) => one !== '') ?? '';
  return [...text].slice(0, 200).join('');
}

const metadataColumn = / \(metadata\)$/;

function metadataOf(fields: CsvFields): Record<string, string> | undefined {
  const entries = Object.entries(fields)
    .filter(([name, value]) => metadataColumn.test(name) && value !== '')
    .map(([name, value]) => [name.replace(metadataColumn, ''), value]);
  return entries.length === 0 ? undefined : Object.fromEntries(entries);
}

/** `2024-01-15 09:30`, in UTC. */
function utcTime(text: string): number | null {
  if (!/^\d{4}-\d{2}-\d{2} \d{2}:\d{2}(:\d{2})?$/.test(text)) return null;
  const atMs = Date.parse(`${text.replace(' ', 'T')}Z`);
  return Number.isNaN(atMs) ? null : atMs;
}

/** Stripe names another object by its id, or expands it. */
function idOf(value: unknown): string | null {
  if (typeof value === 'string') return value || null;
  const { id } = (value ?? {}) as { id?: unknown };
  return typeof id === 'string' ? id : null;
}
