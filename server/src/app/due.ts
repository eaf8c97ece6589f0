import { callbackDue } from '../domains/callbacks/sql.ts';
import { clockUnderWay } from '../domains/clocks/sql.ts';
import { sandboxCallbackDue } from '../domains/connectors/sandbox/sql.ts';
import { deliveryDue } from '../domains/deliveries/claim-sql.ts';
import { endedPaymentDue } from '../domains/invoices/settle-sql.ts';
import { operationDue } from '../domains/processing/claim-sql.ts';
import { disputeDue } from '../domains/processing/disputes-sql.ts';
import { subscriptionDue } from '../domains/subscriptions/sql.ts';

/** What the lookout asks of the database, by who works it off. */
export const due = {
  deliveries: deliveryDue,
  operations: operationDue,
  callbacks: callbackDue,
  disputes: disputeDue,
  invoices: endedPaymentDue,
  subscriptions: subscriptionDue,
  sandbox: sandboxCallbackDue,
  clocks: clockUnderWay,
};
