import { expect, test } from 'vitest';
import type { Statement, Topic } from '../../src/platform/postgres/statement.ts';
import { statementsOfAllModules } from '../support/service/unconnected-node.ts';

/** A table of work: the topic that wakes its worker, and the columns that decide when a row is due. */
interface WorkTable {
  topic: Topic;
  dueColumns: readonly string[];
}

const workTables: Record<string, WorkTable> = {
  delivery: { topic: 'deliveries', dueColumns: ['due_at'] },
  webhook_replay: { topic: 'replays', dueColumns: ['due_at'] },
  provider_operation: { topic: 'operations', dueColumns: ['due_at'] },
  provider_callback: { topic: 'callbacks', dueColumns: ['due_at'] },
  discrepancy: { topic: 'discrepancies', dueColumns: ['due_at'] },
  payment_method_operation: { topic: 'methods', dueColumns: ['due_at'] },
  dispute_operation: { topic: 'dispute_answers', dueColumns: ['due_at'] },
  sandbox_operation: { topic: 'sandbox', dueColumns: ['callback_due_at'] },
  invoice_payment: { topic: 'invoices', dueColumns: ['state'] },
  user_mail: { topic: 'user-mails', dueColumns: ['due_at'] },
  invoice_mail: { topic: 'invoice-mails', dueColumns: ['due_at'] },
  subscription: { topic: 'subscriptions', dueColumns: ['due_at'] },
  invoice_collection: { topic: 'subscriptions', dueColumns: ['due_at'] },
  clock: { topic: 'clocks', dueColumns: ['target_at'] },
  audit_entry: { topic: 'audit', dueColumns: [] },
  transaction_total_delta: { topic: 'rollups', dueColumns: [] },
  ledger_total_delta: { topic: 'rollups', dueColumns: [] },
  charge_total_delta: { topic: 'rollups', dueColumns: [] },
};

/** Statements that write due columns and need not wake anyone, each with the reason. */
const exceptions: Record<string, string> = {
  'invoices.insert_payments invoice_payment': 'The payment is open; its end settles the invoice.',
  'invoices.end_payments invoice_payment': 'The payment is written as applied: nothing is left to do.',
  'invoices.insert_failed_payments invoice_payment': 'The payment is written as applied: nothing is left to do.',
  'deliveries.bring_forward delivery': 'The clock was set back: the worker that runs the statement wakes itself.',
  'replays.shorten_waits webhook_replay': 'The clock was set back: the worker that runs the statement wakes itself.',
  'callbacks.shorten_waits provider_callback':
    'The clock was set back: the worker that runs the statement wakes itself.',
  'user_mails.shorten_waits user_mail': 'The clock was set back: the worker that runs the statement wakes itself.',
  'invoice_mails.shorten_waits invoice_mail':
    'The clock was set back: the worker that runs the statement wakes itself.',
  'operations.shorten_waits provider_operation':
    'The clock was set back: the worker that runs the statement wakes itself.',
  'dispute_answers.shorten_waits dispute_operation':
    'The clock was set back: the worker that runs the statement wakes itself.',
  'methods.shorten_waits payment_method_operation':
    'The clock was set back: the worker that runs the statement wakes itself.',
  'operations.cancel_unsent_charge charge_total_delta':
    'The payment is cancelled in the same transaction, and its transition wakes the worker.',
  'discrepancies.insert_of_dispute discrepancy': 'A person closes it: nothing is asked of a provider.',
  'discrepancies.shorten_waits discrepancy': 'The clock was set back: the worker that runs the statement wakes itself.',
  'clocks.insert clock': 'A new clock stands still.',
  'clocks.step clock': 'The worker that runs the statement continues by itself.',
  'subscriptions.insert subscription': 'Its first change follows in the same transaction and wakes the worker.',
  'subscriptions.postpone subscription': 'The subscription is due later than before.',
  'subscriptions.reopen_collection invoice_collection':
    'The first attempt of the new schedule is written in the same transaction.',
  'subscriptions.postpone_collection invoice_collection': 'The charge is due later than before.',
  'subscriptions.mark_collections_tried invoice_collection': 'The charge is no longer due.',
  'sandbox.insert_operations sandbox_operation': 'The sandbox delays its callbacks; they come due by the clock.',
  'sandbox.insert_setup sandbox_operation': 'The sandbox delays its callbacks; they come due by the clock.',
  'sandbox.keep_method_of_charge sandbox_operation': 'The sandbox delays its callbacks; they come due by the clock.',
  'sandbox.settle_cancel sandbox_operation': 'The callbacks of the charge are cancelled.',
  'sandbox.settle_capture sandbox_operation': 'The sandbox delays its callbacks; they come due by the clock.',
  'sandbox.settle_release sandbox_operation': 'The sandbox delays its callbacks; they come due by the clock.',
  'sandbox.settle_refund sandbox_operation': 'The sandbox delays its callbacks; they come due by the clock.',
  'sandbox.claim_callbacks sandbox_operation': 'A claim: the worker that runs the statement sends them.',
  'sandbox.record_callback_sent sandbox_operation': 'The worker that runs the statement continues by itself.',
  'sandbox.record_callback_failed sandbox_operation': 'The next attempt is due later.',
  'sandbox.release_callbacks sandbox_operation': 'The worker stops; another node finds them by polling.',
};

/** The work tables in which a statement makes rows due: it inserts some, or sets when they are due without a lease. */
function makesDue(text: string): string[] {
  const sql = text.replaceAll(/extract\s*\(\s*\w+\s+from/g, 'extract(');
  return Object.entries(workTables).flatMap(([table, { dueColumns }]) => {
    if (new RegExp(`\\binsert into ${table}\\b`).test(sql)) return [table];
    const updates = sql.matchAll(
      new RegExp(`\\bupdate ${table}\\b(?: \\w+)?\\s+set\\b(.*?)(?:\\b(?:from|where)\\b|$)`, 'gs'),
    );
    const assignments = [...updates].map(([, set = '']) => set);
    const isDue = assignments.some(
      // A worker that takes or gives up a lease works on the row already, or leaves it to the poller.
      (set) => dueColumns.some((column) => new RegExp(`\\b${column} =`).test(set)) && !/\blease =/.test(set),
    );
    return isDue ? [table] : [];
  });
}

/** One line for each topic that a statement does not declare. */
function forgottenWakes({ name, text, wakes = [] }: Statement<never>): string[] {
  return makesDue(text).flatMap((table) => {
    const { topic } = workTables[table] as WorkTable;
    return wakes.some((wake) => wake.topic === topic) ? [] : [`${name} ${table}`];
  });
}

test('every statement that makes work due wakes the worker, or is an exception with a reason', () => {
  const forgotten = new Set(statementsOfAllModules().flatMap(forgottenWakes));
  expect([...forgotten].toSorted()).toEqual(Object.keys(exceptions).toSorted());
});

test('a forgotten wake is found', () => {
  const declared = { wakes: [{ topic: 'deliveries' }] };
  const insert = { name: 'x', text: 'with a as (insert into delivery (id) values (1) returning id) select id from a' };
  const update = { name: 'x', text: 'update delivery d\n  set attempts = 1, due_at = now()\n where id = 1' };
  const claim = { name: 'x', text: 'update delivery set due_at = now(), lease = $1 where id = 1' };
  expect(forgottenWakes(insert)).toEqual(['x delivery']);
  expect(forgottenWakes({ ...insert, ...declared })).toEqual([]);
  expect(forgottenWakes(update)).toEqual(['x delivery']);
  expect(forgottenWakes({ ...update, ...declared })).toEqual([]);
  expect(forgottenWakes({ ...update, wakes: [{ topic: 'operations' }] })).toEqual(['x delivery']);
  expect(forgottenWakes(claim)).toEqual([]);
  expect(forgottenWakes({ name: 'x', text: 'update delivery set url = $1 where due_at < now()' })).toEqual([]);
});
