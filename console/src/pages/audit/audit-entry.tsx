import { Anchor, Code, Group, Stack, Table, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import type { AuditEntry } from '../../api/client.ts';
import { Money } from '../../format/money.tsx';
import { Day, Time } from '../../format/time.tsx';
import { usePreferences, useText } from '../../shell/preferences.tsx';
import type { TextKey } from '../../text/texts.ts';
import { ChannelName } from '../../ui/records/channel-name.tsx';
import { Facts } from '../../ui/records/facts.tsx';
import { UserName } from '../../ui/records/user-name.tsx';
import { fieldName } from '../../ui/refusals/field-names.ts';
import { CodeBlock } from '../../ui/secrets/copy.tsx';
import { CustomerLink } from '../customers/customer-name.tsx';
import { PlanLink } from '../plans/plan-name.tsx';

/** An entry in words, with what it changed as a table. */
export function AuditEntryView({ entry }: { entry: AuditEntry }) {
  const text = useText();
  const changes = Object.entries(entry.changes as Readonly<Record<string, Change>>);
  const details = Object.entries(entry.details as Readonly<Record<string, unknown>>);
  const currency = currencyOf(entry);
  return (
    <Stack gap="sm">
      <Facts
        facts={[
          [text('audit.time'), <Time key="time" value={entry.time} precise />],
          [text('audit.who'), <Actor key="who" entry={entry} />],
          [text('audit.by'), text(`auditBy.${entry.by}` as TextKey)],
          [text('audit.record'), <RecordLink key="record" entry={entry} />],
          [text('sessions.address'), entry.address],
        ]}
      />
      {changes.length > 0 && (
        <Table.ScrollContainer minWidth={0}>
          <Table fz="sm">
            <Table.Thead>
              <Table.Tr>
                <Table.Th>{text('audit.field')}</Table.Th>
                {changes.some(([, change]) => 'before' in change) && <Table.Th>{text('audit.before')}</Table.Th>}
                <Table.Th>{text('audit.after')}</Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {changes.map(([field, change]) => (
                <Table.Tr key={field}>
                  <Table.Th scope="row" fw={500}>
                    {fieldName(field, text)}
                  </Table.Th>
                  {changes.some(([, one]) => 'before' in one) && (
                    <Table.Td>
                      <ChangedValue field={field} value={change.before} currency={currency} />
                    </Table.Td>
                  )}
                  <Table.Td>
                    <ChangedValue field={field} value={change.after} currency={currency} />
                  </Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </Table.ScrollContainer>
      )}
      {details.length > 0 && (
        <div>
          <Text size="sm" fw={500} mb={4}>
            {text('audit.details')}
          </Text>
          <Facts
            facts={details.map(([field, value]) => [
              fieldName(field, text),
              <ChangedValue key={field} field={field} value={value} currency={currency} />,
            ])}
          />
        </div>
      )}
      <details>
        <summary>{text('audit.raw')}</summary>
        <CodeBlock value={JSON.stringify(entry, null, 2)} />
      </details>
    </Stack>
  );
}

interface Change {
  before?: unknown;
  after?: unknown;
}

/** Who did it: the name at that time. */
export function Actor({ entry: { userName, by } }: { entry: AuditEntry }) {
  const text = useText();
  return userName ?? text(by === 'system' ? 'audit.system' : 'audit.nobody');
}

/** The record of an entry, with a link to its page if it has one. */
export function RecordLink({ entry: { recordType, recordId } }: { entry: AuditEntry }): ReactNode {
  const { texts } = usePreferences();
  const noun = texts[`noun.${nounOf(recordType)}` as TextKey] ?? recordType;
  const path = recordId === null ? undefined : pathOf(recordType, recordId);
  const name = (
    <Group gap={6} component="span" wrap="nowrap" style={{ minWidth: 0 }}>
      <span>{noun}</span>
      {recordId !== null && (
        <Text span size="sm" c="dimmed" truncate>
          {recordId.length > 20 ? `…${recordId.slice(-8)}` : recordId}
        </Text>
      )}
    </Group>
  );
  if (path === undefined) return name;
  return (
    <Anchor component={Link} href={path} size="sm" title={recordId ?? undefined}>
      {name}
    </Anchor>
  );
}

/** Types of records of the audit log whose noun is another word. */
const nouns: Readonly<Record<string, string>> = { key: 'developer_key', discrepancy: 'discrepancy_of_operation' };

/** The name of a type of records among the texts. */
export const nounOf = (recordType: string) => nouns[recordType] ?? recordType;

const detailPages: Readonly<Record<string, string>> = {
  transaction: '/payments',
  refund: '/refunds',
  customer: '/customers',
  portal: '/customers',
  invoice: '/invoices',
  plan: '/plans',
  subscription: '/subscriptions',
  webhook: '/webhooks',
  delivery: '/deliveries',
  event: '/events',
  inbox: '/inboxes',
};

const listPages: Readonly<Record<string, string>> = {
  channel: '/channels',
  checkout: '/checkouts',
  key: '/keys',
  user: '/team',
  tenant: '/tenants',
};

function pathOf(recordType: string, recordId: string): string | undefined {
  const page = detailPages[recordType];
  return page === undefined ? listPages[recordType] : `${page}/${recordId}`;
}

/** The currency of the amounts in an entry, if it names one. */
function currencyOf({ changes, details }: AuditEntry): string | undefined {
  const { currency } = changes as { currency?: Change };
  const named = currency?.after ?? currency?.before ?? (details as { currency?: unknown }).currency;
  return typeof named === 'string' && /^[A-Z]{3}$/.test(named) ? named : undefined;
}

interface ChangedValueProps {
  field: string;
  value: unknown;
  currency: string | undefined;
}

function ChangedValue({ field, value, currency }: ChangedValueProps): ReactNode {
  const text = useText();
  const { texts, locale } = usePreferences();
  if (value === undefined || value === null) return '–';
  if (typeof value === 'boolean') return text(value ? 'common.yes' : 'common.no');
  if (typeof value === 'number') {
    if (/channelId$/i.test(field)) return <ChannelName id={value} />;
    if (field === 'customerId') return <CustomerLink id={value} />;
    if (/planId$/i.test(field)) return <PlanLink id={value} />;
    if (field === 'userId') return <UserName id={value} />;
    if (/amount|total|tax$/i.test(field) && currency !== undefined) return <Money amount={value} currency={currency} />;
    return new Intl.NumberFormat(locale).format(value);
  }
  if (typeof value === 'string') {
    if (/^\d{4}-\d\d-\d\dT/.test(value)) return <Time value={value} precise />;
    if (/^\d{4}-\d\d-\d\d$/.test(value)) return <Day value={value} />;
    if (field === 'customerId') return <CustomerLink id={value} />;
    const named = texts[`status.${value}` as TextKey] ?? texts[`userType.${value}` as TextKey];
    return <span style={{ overflowWrap: 'anywhere' }}>{named ?? value}</span>;
  }
  if (Array.isArray(value) && value.every((one) => typeof one === 'string')) return value.join(', ');
  return <Code style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>{JSON.stringify(value)}</Code>;
}
