import { Alert, Anchor, Code, Group, List, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { addressOf } from '../../api/client.ts';
import { useRead } from '../../api/hooks.ts';
import { useMay, useProfile } from '../../session/session.tsx';
import { usePreferences, useText } from '../../shell/preferences.tsx';
import { Icon } from '../../ui/icons.tsx';
import { dayOf } from './days.ts';
import { fallenChannels } from './fallen-channels.ts';
import { endsSoon, isTooOld } from './operations.ts';

interface AlertLine {
  key: string;
  label: string;
  /** Undefined: it is done outside of the console. */
  path?: string;
  /** The command that mends it. */
  command?: string;
  /** The page of the documentation that says how it is mended. */
  guide?: string;
}

/** What needs a person, on top of the home page. Nothing if there is nothing. */
export function Alerts() {
  const text = useText();
  const lines = [
    ...useDueDisputes(),
    ...useFailingEndpoints(),
    ...useLateDeliveries(),
    ...useFallenChannels(),
    ...useDiscrepancies(),
    ...useOperations(),
  ];
  if (lines.length === 0) return null;
  return (
    <Alert color="red" title={text('alerts.title')} icon={<Icon name="discrepancy" />} role="region">
      <List size="sm" spacing={4} listStyleType="none" pl={0}>
        {lines.map(({ key, label, path, command, guide }) => (
          <List.Item key={key}>
            <Row>
              <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
                {label}
              </Text>
              {/* The usual colour of links is too faint on red. */}
              {path !== undefined && (
                <Anchor component={Link} href={path} size="sm" c="inherit" underline="always">
                  {text('home.show')}
                </Anchor>
              )}
              {command !== undefined && <Code>{command}</Code>}
              {guide !== undefined && (
                <Anchor href={addressOf('/docs') + guide} size="sm" c="inherit" underline="always">
                  {text('alerts.guide')}
                </Anchor>
              )}
            </Row>
          </List.Item>
        ))}
      </List>
    </Alert>
  );
}

const Row = ({ children }: { children: ReactNode }) => (
  <Group gap="xs" align="baseline">
    {children}
  </Group>
);

const pollMs = 15_000;
/** Rates of a day change slowly. */
const recentPollMs = 60_000;

/** Endpoints that are paused, failing, or were disabled by the service. */
function useFailingEndpoints(): AlertLine[] {
  const text = useText();
  const mayRead = useMay('webhook_read');
  const endpoints = useRead('webhooks.list', { pageSize: 100 }, { enabled: mayRead, pollMs }).data?.data ?? [];
  return endpoints.flatMap(({ id, url, pausedUntil, failingSince, disabledReason }) => {
    const key =
      disabledReason !== null
        ? 'alerts.disabled'
        : pausedUntil !== null
          ? 'alerts.paused'
          : failingSince !== null
            ? 'alerts.failing'
            : undefined;
    return key === undefined ? [] : [{ key: `endpoint ${id}`, label: text(key, { url }), path: `/webhooks/${id}` }];
  });
}

const hourMs = 3_600_000;
/** A delivery that is due for so long waits for its endpoint, or for a worker. */
const overdueMs = 60_000;
const answerableMs = 3 * 86_400_000;

/** Deliveries that have failed since yesterday (UTC), and those that are overdue. */
function useLateDeliveries(): AlertLine[] {
  const text = useText();
  const { locale } = usePreferences();
  const mayRead = useMay('webhook_read');
  const startDate = dayOf(-1);
  const options = { enabled: mayRead, pollMs };
  const failed = useRead('webhooks.deliveries.list', { state: 'FAILED', startDate, pageSize: 100 }, options).data;
  const open = useRead('webhooks.deliveries.list', { state: 'OPEN', pageSize: 100 }, options).data;
  const overdue = open?.data.filter(
    ({ nextAttemptTime }) => nextAttemptTime !== null && Date.parse(nextAttemptTime) < Date.now() - overdueMs,
  );
  const countOf = (count: number, hasMore: boolean) =>
    new Intl.NumberFormat(locale).format(count) + (hasMore ? '+' : '');
  const lines: AlertLine[] = [];
  if (failed !== undefined && failed.data.length > 0) {
    const n = countOf(failed.data.length, Boolean(failed.pagination?.nextCursor));
    lines.push({
      key: 'failed',
      label: text('alerts.failedDeliveries', { n }),
      path: `/deliveries?state=FAILED&startDate=${startDate}`,
    });
  }
  if (overdue !== undefined && overdue.length > 0) {
    const n = countOf(overdue.length, Boolean(open?.pagination?.nextCursor));
    lines.push({ key: 'overdue', label: text('alerts.overdue', { n }), path: '/deliveries?state=OPEN' });
  }
  return lines;
}

/** Channels whose success of the last 24 hours is well below that of the seven days before. */
function useFallenChannels(): AlertLine[] {
  const text = useText();
  const { locale } = usePreferences();
  const mayRead = useMay('transaction_read');
  const rows = useRead('statistics.recent', {}, { enabled: mayRead, pollMs: recentPollMs }).data?.data ?? [];
  const share = new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 0 });
  // As the service counts: whole UTC hours, with the one that has begun.
  const recentFromMs = Math.floor(Date.now() / hourMs) * hourMs - 23 * hourMs;
  return fallenChannels(rows).map(({ channelId, channelName, recent, before }) => ({
    key: `channel ${channelId}`,
    label: text('alerts.channel', { name: channelName, recent: share.format(recent), before: share.format(before) }),
    path: `/payments?channelId=${channelId}&status=FAILED&startDate=${new Date(recentFromMs).toISOString()}`,
  }));
}

/** Disputes that have to be answered within three days, or no provider takes the evidence any more. */
function useDueDisputes(): AlertLine[] {
  const text = useText();
  const mayRead = useMay('transaction_read');
  const open = useRead('disputes.list', { status: 'OPEN', pageSize: 100 }, { enabled: mayRead, pollMs }).data?.data;
  const due = open?.filter(
    ({ respondBy }) => respondBy !== null && Date.parse(respondBy) < Date.now() + answerableMs,
  ).length;
  if (due === undefined || due === 0) return [];
  return [{ key: 'disputes', label: text.count('alerts.disputes', due), path: '/disputes?status=OPEN' }];
}

function useDiscrepancies(): AlertLine[] {
  const text = useText();
  const mayRead = useMay('transaction_read');
  const query = { state: 'DISAGREES', pageSize: 1 };
  const total = useRead('discrepancies.list', query, { enabled: mayRead, pollMs }).data?.pagination?.total ?? 0;
  if (total === 0) return [];
  return [
    {
      key: 'discrepancies',
      label: text.count('alerts.discrepancies', total),
      path: '/discrepancies?state=DISAGREES',
    },
  ];
}

/** The certificate and the backups, for platform administrators, once there is a live payment. */
function useOperations(): AlertLine[] {
  const text = useText();
  const { locale } = usePreferences();
  const { userType, certificateEndTime, backupExpectedSeconds } = useProfile();
  const isPlatform = userType === 'PLATFORM_ADMIN';
  const live = useRead('transactions.list', { livemode: true, pageSize: 1 }, { enabled: isPlatform });
  const isLive = (live.data?.data.length ?? 0) > 0;
  const query = { action: 'backup.create', tenantId: 0, pageSize: 1 };
  const backups = useRead('audit.list', query, { enabled: isLive && backupExpectedSeconds !== null }).data?.data;
  if (!isLive) return [];
  const day = (time: string) => new Intl.DateTimeFormat(locale, { dateStyle: 'medium' }).format(Date.parse(time));
  const lines: AlertLine[] = [];
  if (certificateEndTime !== null && endsSoon(certificateEndTime, Date.now())) {
    const hasEnded = Date.parse(certificateEndTime) < Date.now();
    const key = hasEnded ? 'alerts.certificateEnded' : 'alerts.certificate';
    lines.push({
      key: 'certificate',
      label: text(key, { day: day(certificateEndTime) }),
      guide: '/guides/production#when-the-certificate-ends',
    });
  }
  if (backupExpectedSeconds !== null && backups !== undefined) {
    const last = backups[0]?.time;
    if (isTooOld(last, backupExpectedSeconds, Date.now())) {
      const label = last === undefined ? text('alerts.noBackup') : text('alerts.backup', { day: day(last) });
      lines.push({ key: 'backup', label, command: 'npx --no-install florin backup /var/backups/florin' });
    }
  }
  return lines;
}
