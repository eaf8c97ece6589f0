import { setting } from '../../../platform/settings/declare.ts';
import { durationOfAtLeast, integer } from '../../../platform/settings/kinds.ts';

export const settings = {
  'app.invoice.pdf-processes': setting(integer(1, 64), {
    default: '1',
    description: 'Processes that render invoices as PDF. They start on demand and end after 30 s without work.',
  }),
  'app.invoice.pdf-waiting': setting(integer(0, 10_000), {
    default: '64',
    description:
      'PDFs that may wait for a process. Tenants take turns; when the queue is full, the tenant with the most is ' +
      'refused.',
  }),
  'app.invoice.pdf-timeout': setting(durationOfAtLeast(1, 'a millisecond'), {
    default: '30s',
    description: 'How long rendering one PDF may take, not counting the wait for a process.',
  }),
};
