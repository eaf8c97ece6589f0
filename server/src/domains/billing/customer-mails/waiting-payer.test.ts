import { expect, test } from 'vitest';
import { insertDefaultMethod } from '../../../../tests/support/billing/invoices.ts';
import { chargeScenario } from '../../../../tests/support/payments/charge-scenario.ts';
import { eventually } from '../../../../tests/support/postgres/database.ts';
import { issueInvoices } from '../invoices/issue/issue.ts';
import { keyOfRow, lockInvoices } from '../invoices/lock.ts';
import { payInvoices } from '../invoices/settlement/automatic-payments.ts';
import type { InvoiceRow } from '../invoices/statements.ts';

const scenario = chargeScenario();

/** An invoice of a customer with an address, whose automatic payment is created. */
async function charged(): Promise<{ invoiceId: number; transactionId: string }> {
  const { db, node, nowMs } = scenario;
  await db.query('insert into seller (tenant_id, customer_mails) values (1, true) on conflict do nothing');
  const [customer] = await db.query<{ id: number }>(
    `insert into customer (tenant_id, name, email, default_channel_id, created_at)
     values (1, 'Ada', 'ada@home.example', 21, now()) returning id`,
  );
  const reference = { customerReference: null, reference: 'pm_1', networkTransactionId: null };
  await insertDefaultMethod(db, customer?.id ?? 0, 21, Buffer.from(JSON.stringify(reference)));
  const draft = {
    ...{ tenantId: 1, livemode: true, customerId: customer?.id ?? 0, userId: 7, currency: 'USD', channelId: null },
    ...{ subscriptionId: null, clockId: 0, periodStartMs: null, periodEndMs: null, dueMs: nowMs, issuedMs: nowMs },
    ...{ description: null, metadata: null, lines: [{ description: 'Gold', quantity: 1, unitAmount: 1000 }] },
  };
  return db.database.transaction(async (transaction) => {
    const [invoice] = (await issueInvoices(transaction, [draft], node.generateUuid)) as [InvoiceRow];
    const keys = [keyOfRow(invoice)];
    const deps = { payments: node.payments, generateUuid: node.generateUuid };
    const [attempt] = await payInvoices(transaction, keys, await lockInvoices(transaction, keys), nowMs, deps);
    if (attempt?.outcome !== 'opened') throw new Error('No payment was created.');
    return { invoiceId: invoice.id, transactionId: attempt.transactionId };
  });
}

const mailsOf = async (invoiceId: number) =>
  (await scenario.db.query<{ kind: string }>('select kind from invoice_mail where invoice_id = $1', [invoiceId])).map(
    ({ kind }) => kind,
  );

test('an automatic payment that needs its payer is mailed once, with the invoice', async () => {
  let url = 'https://bank.example/1';
  scenario.node.provider.answer = (_verb, { key }) => ({
    kind: 'needs_payer',
    reference: `ref-${key}`,
    nextAction: { type: 'redirect', url },
  });
  const { invoiceId, transactionId } = await charged();
  // As nodes of an earlier release have created it.
  await scenario.db.query(`update transaction set initiator = 'PAYER' where id = $1`, [transactionId]);
  expect(await mailsOf(invoiceId)).toEqual([]);
  scenario.node.dispatcher.start();
  const actionIs = (wanted: string) =>
    eventually('the payer is awaited', async () => {
      const [row] = await scenario.db.query<{ next_action: { url: string } | null }>(
        'select next_action from transaction where id = $1',
        [transactionId],
      );
      return row?.next_action?.url === wanted;
    });
  await actionIs(url);
  expect(await mailsOf(invoiceId)).toEqual(['INVOICE']);
  url = 'https://bank.example/2';
  await eventually('its charge is no longer leased', async () => {
    const due = 'update provider_operation set due_at = to_timestamp($1) where lease is null returning number';
    return (await scenario.db.query(due, [scenario.nowMs / 1000])).length > 0;
  });
  scenario.node.dispatcher.wake();
  await actionIs(url);
  expect(await mailsOf(invoiceId)).toEqual(['INVOICE']);
});

test('an automatic payment that is charged without its payer mails no invoice', async () => {
  const { invoiceId } = await charged();
  scenario.node.dispatcher.start();
  await eventually('it is paid', async () => {
    const [row] = await scenario.db.query<{ status: string }>('select status from invoice where id = $1', [invoiceId]);
    return row?.status === 'PAID';
  });
  expect(await mailsOf(invoiceId)).toEqual(['RECEIPT']);
});
