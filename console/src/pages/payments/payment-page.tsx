import { Stack, Text } from '@mantine/core';
import type { TransactionDetail } from '../../api/client.ts';
import { useRead } from '../../api/hooks.ts';
import { Money } from '../../format/money.tsx';
import { Day, Time } from '../../format/time.tsx';
import { useText } from '../../shell/preferences.tsx';
import type { TextKey } from '../../text/texts.ts';
import { FailureText } from '../../ui/failure-text.tsx';
import { Page, Section } from '../../ui/page.tsx';
import { Facts } from '../../ui/records/facts.tsx';
import { RecordPage } from '../../ui/records/record-page.tsx';
import { CodeBlock, Copyable } from '../../ui/secrets/copy.tsx';
import { StatusBadge } from '../../ui/status-badge.tsx';
import { CustomerLink } from '../customers/customer-name.tsx';
import { ObjectEvents } from '../events/object-events.tsx';
import { InvoiceNumber } from '../invoices/invoice-number.tsx';
import { MethodLink } from '../methods/method-label.tsx';
import { PaymentActions } from './payment-actions.tsx';
import { PaymentCaptures } from './payment-captures.tsx';
import { PaymentDisputes } from './payment-disputes.tsx';
import classes from './payment-page.module.css';
import { PaymentRefunds } from './payment-refunds.tsx';
import { PaymentTimeline } from './payment-timeline.tsx';
import { shownStatus } from './shown-status.ts';

export default function PaymentPage({ id }: { id: string }) {
  const text = useText();
  const read = useRead('transactions.get', { id });
  return (
    <RecordPage title={text('payment.title')} listPath="/payments" read={read}>
      {(payment) => (
        <Page
          title={text('payment.title')}
          beside={
            <>
              <Text size="lg" fw={600}>
                <Money amount={payment.amount} currency={payment.currency} />
              </Text>
              <StatusBadge status={shownStatus(payment)} />
            </>
          }
          actions={<PaymentActions payment={payment} />}
        >
          <div className={classes.columns}>
            <Stack gap="lg">
              <Section title={text('payment.timeline')}>
                <PaymentTimeline id={id} />
              </Section>
              {payment.captures.length > 0 && <PaymentCaptures payment={payment} />}
              {payment.amountRefunded > 0 && <PaymentRefunds transactionId={id} />}
              <PaymentDisputes payment={payment} />
              <ObjectEvents objectId={id} />
            </Stack>
            <Stack gap="lg" className={classes.beside}>
              <PaymentFacts payment={payment} />
              {payment.metadata !== null && (
                <Section title={text('payment.metadata')}>
                  <CodeBlock value={JSON.stringify(payment.metadata, null, 2)} />
                </Section>
              )}
              <Section title="JSON">
                <CodeBlock value={JSON.stringify(payment, null, 2)} />
              </Section>
            </Stack>
          </div>
        </Page>
      )}
    </RecordPage>
  );
}

function PaymentFacts({ payment }: { payment: TransactionDetail }) {
  const text = useText();
  const received = receiptOf(payment);
  const { currency, customerId, methodId, invoiceId, failureCode, failureMessage, retry } = payment;
  return (
    <Section title={text('payment.facts')}>
      <Facts
        facts={[
          ['ID', <Copyable key="id" value={payment.id} />],
          [text('payments.amount'), <Money key="amount" amount={payment.amount} currency={currency} />],
          [
            text('payment.capturable'),
            payment.amountCapturable > 0 && (
              <Money key="capturable" amount={payment.amountCapturable} currency={currency} />
            ),
          ],
          [
            text('payment.captureBefore'),
            payment.amountCapturable > 0 && payment.captureBefore !== null && (
              <Time key="captureBefore" value={payment.captureBefore} precise />
            ),
          ],
          [
            text('payment.captured'),
            payment.captureMethod === 'MANUAL' && payment.amountCaptured > 0 && (
              <Money key="captured" amount={payment.amountCaptured} currency={currency} />
            ),
          ],
          [
            text('payment.refunded'),
            payment.amountRefunded > 0 && <Money key="refunded" amount={payment.amountRefunded} currency={currency} />,
          ],
          [
            text('disputes.withdrawn'),
            payment.amountDisputed > 0 && <Money key="disputed" amount={payment.amountDisputed} currency={currency} />,
          ],
          [
            text('payment.fraudWarning'),
            payment.fraudWarningTime && <Time key="fraudWarning" value={payment.fraudWarningTime} precise />,
          ],
          [text('payments.channel'), payment.channelName],
          [text('payments.description'), payment.description],
          [text('payment.customer'), customerId !== null && <CustomerLink key="customer" id={customerId} />],
          [text('methods.one'), methodId !== null && <MethodLink key="method" id={methodId} />],
          [text('payment.invoice'), invoiceId !== null && <InvoiceNumber key="invoice" id={invoiceId} />],
          [
            text('payment.failure'),
            failureCode && <FailureText key="failure" code={failureCode} message={failureMessage} />,
          ],
          [text('payment.retry'), payment.status === 'FAILED' && retry && text(`retry.${retry}` as TextKey)],
          [
            text('payment.reference'),
            payment.providerReference && <Copyable key="reference" value={payment.providerReference} />,
          ],
          [text('recordPayment.day'), received && <Day key="received" value={received.day} />],
          [text('recordPayment.reference'), received?.reference],
          [text('payments.created'), <Time key="created" value={payment.createdTime} precise />],
          [text('payment.updated'), <Time key="updated" value={payment.updatedTime} precise />],
        ]}
      />
    </Section>
  );
}

/** What *Record a payment* has noted about money that came another way. */
function receiptOf({ metadata }: TransactionDetail): { day: string; reference: string | undefined } | undefined {
  const { receivedOn, reference } = metadata ?? {};
  if (typeof receivedOn !== 'string' || Number.isNaN(Date.parse(receivedOn))) return undefined;
  return { day: receivedOn, reference: typeof reference === 'string' ? reference : undefined };
}
