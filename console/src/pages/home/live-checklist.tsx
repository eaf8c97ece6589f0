import { Button, Text } from '@mantine/core';
import { useState } from 'react';
import { useRead } from '../../api/hooks.ts';
import { useProfile } from '../../session/session.tsx';
import { useText } from '../../shell/preferences.tsx';
import { useTenant } from '../../shell/tenant.tsx';
import { CodeBlock } from '../../ui/secrets/copy.tsx';
import { ChecklistPanel, type ChecklistStep } from './checklist.tsx';

const hiddenKey = 'florin.live-checklist';

/** What is needed before customers pay, until everything is done or this browser hides it. */
export function LiveChecklist() {
  const text = useText();
  const steps = useLiveSteps();
  const [isHidden, setHidden] = useState(() => localStorage.getItem(hiddenKey) === 'hidden');
  if (isHidden || steps === undefined) return null;
  const hide = () => {
    localStorage.setItem(hiddenKey, 'hidden');
    setHidden(true);
  };
  return (
    <ChecklistPanel
      title={text('liveChecklist.title')}
      steps={steps}
      actions={
        <Button variant="subtle" color="gray" size="compact-sm" onClick={hide}>
          {text('liveChecklist.hide')}
        </Button>
      }
    />
  );
}

/** Undefined until all of it is known. */
function useLiveSteps(): ChecklistStep[] | undefined {
  const text = useText();
  const profile = useProfile();
  const { tenantId } = useTenant();
  const isPlatform = profile.userType === 'PLATFORM_ADMIN';
  const seller = useRead('sellers.get', { id: tenantId ?? Number(profile.tenantId ?? 0) }).data?.data;
  const endpoints = useRead('webhooks.list', { pageSize: 1 }).data?.data;
  const paid = useRead('transactions.list', { pageSize: 1, status: 'SUCCESS' }).data?.data;
  const refunded = useRead('refunds.list', { pageSize: 1, status: 'SUCCESS' }).data?.data;
  const backups = useRead('audit.list', { action: 'backup.create', tenantId: 0, pageSize: 1 }, { enabled: isPlatform })
    .data?.data;
  if (seller === undefined || endpoints === undefined || paid === undefined || refunded === undefined) return undefined;
  if (isPlatform && backups === undefined) return undefined;
  const { hasLiveChannel, hasLiveKey, channelsWithoutCallback } = profile;
  const isRefunded = refunded.length > 0;
  return [
    {
      label: text('liveChecklist.channel'),
      isDone: hasLiveChannel,
      path: '/channels',
      go: text('channels.add'),
    },
    {
      label: text('liveChecklist.seller'),
      isDone: seller.address !== null,
      path: '/seller',
      go: text('liveChecklist.enter'),
    },
    ...(isPlatform
      ? [
          {
            label: text('liveChecklist.mail'),
            isDone: profile.sendsMail,
            hint: (
              <>
                <CodeBlock value="APP_MAIL_URL=smtps://USER:PASSWORD@mail.example.com" />
                <Text size="xs" c="dimmed">
                  {text('liveChecklist.mailHint')}
                </Text>
              </>
            ),
          },
        ]
      : []),
    {
      label: text('liveChecklist.secondFactor'),
      isDone: profile.secondFactor,
      path: '/account',
      go: text('liveChecklist.setUp'),
    },
    ...(isPlatform
      ? [
          {
            label: text('liveChecklist.backup'),
            isDone: backups?.length !== 0,
            hint: <CodeBlock value="npx --no-install florin backup /var/backups/florin" />,
          },
        ]
      : []),
    { label: text('liveChecklist.key'), isDone: hasLiveKey, path: '/keys', go: text('keys.add') },
    {
      label: text('liveChecklist.endpoint'),
      isDone: endpoints.length > 0,
      path: '/webhooks',
      go: text('webhooks.add'),
    },
    {
      label: text('liveChecklist.callback'),
      isDone: hasLiveChannel && channelsWithoutCallback.length === 0,
      path: '/channels',
      go: text('liveChecklist.showAddress'),
      hint: channelsWithoutCallback.length > 0 && (
        <Text size="xs" c="dimmed">
          {text('liveChecklist.silent', { channels: channelsWithoutCallback.join(', ') })}
        </Text>
      ),
    },
    {
      label: text('liveChecklist.payment'),
      isDone: isRefunded,
      path: paid.length === 0 ? '/checkouts' : '/payments?status=SUCCESS',
      go: text(paid.length === 0 ? 'checkouts.add' : 'liveChecklist.refund'),
    },
  ];
}
