import { addressLines } from '@florin/server/core/address.ts';
import { Button, ColorSwatch, Group, Image, SimpleGrid, Stack, Text } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import type { Seller } from '../../api/client.ts';
import { useRead } from '../../api/hooks.ts';
import { useProfile } from '../../session/session.tsx';
import { usePreferences, useText } from '../../shell/preferences.tsx';
import { useTenant } from '../../shell/tenant.tsx';
import type { TextKey } from '../../text/texts.ts';
import { ErrorNote } from '../../ui/notes.tsx';
import { Page, Section } from '../../ui/page.tsx';
import { Facts } from '../../ui/records/facts.tsx';
import { type MailName, MailsModal, MailTextModal, mailNames, mailTextOf } from './mail-modals.tsx';
import { AppearanceModal, DetailsModal, LostDisputesModal } from './seller-modals.tsx';

type Opened = 'details' | 'appearance' | 'lostDisputes' | 'mails' | MailName | undefined;

/** What invoices, mails to customers and the pages of payers show of a tenant. */
export default function SellerPage() {
  const text = useText();
  const profile = useProfile();
  const { tenantId } = useTenant();
  const id = tenantId ?? Number(profile.tenantId ?? 0);
  const read = useRead('sellers.get', { id });
  const seller = read.data?.data;
  return (
    <Page title={text('seller.title')} beside={<Text c="dimmed">{seller?.name}</Text>}>
      <ErrorNote error={read.error} onRetry={() => read.refetch()} />
      {seller !== undefined && <Parts key={seller.id} seller={seller} />}
    </Page>
  );
}

function Parts({ seller }: { seller: Seller }) {
  const text = useText();
  const { language } = usePreferences().preferences;
  const [opened, setOpened] = useState<Opened>();
  const close = () => setOpened(undefined);
  const edit = (part: Opened, label: string): ReactNode => (
    <Button variant="default" size="xs" onClick={() => setOpened(part)} aria-label={`${text('common.edit')}: ${label}`}>
      {text('common.edit')}
    </Button>
  );
  return (
    <SimpleGrid cols={{ base: 1, md: 2 }} spacing="lg">
      <Stack gap="lg">
        <Section title={text('seller.details')} actions={edit('details', text('seller.details'))}>
          <Facts
            facts={[
              [text('common.name'), seller.name],
              [text('customers.address'), addressLines(seller.address, language).join(', ')],
              [text('seller.taxId'), seller.taxId],
              [text('seller.dueDays'), String(seller.dueDays)],
            ]}
          />
        </Section>
        <Section title={text('seller.appearance')} actions={edit('appearance', text('seller.appearance'))}>
          <Facts
            facts={[
              [
                text('seller.logo'),
                seller.logo === null ? (
                  text('seller.noLogo')
                ) : (
                  <Image key="logo" src={seller.logo} alt={text('seller.logo')} h={48} w="auto" fit="contain" />
                ),
              ],
              [
                text('seller.color'),
                seller.brandColor === null ? (
                  text('seller.standardColor')
                ) : (
                  <Group key="color" gap="xs">
                    <ColorSwatch color={seller.brandColor} size={18} />
                    {seller.brandColor}
                  </Group>
                ),
              ],
            ]}
          />
        </Section>
        <Section title={text('seller.lostDisputes')} actions={edit('lostDisputes', text('seller.lostDisputes'))}>
          <Facts facts={[[text('seller.reopenInvoices'), text(`seller.reopen.${seller.reopenInvoices}` as TextKey)]]} />
        </Section>
      </Stack>
      <Section title={text('seller.mails')} actions={edit('mails', text('seller.mails'))}>
        <Facts
          facts={[
            [text('seller.mailed'), text(seller.customerMails ? 'common.yes' : 'common.no')],
            [text('account.language'), text(`seller.${seller.mailLanguage as 'en' | 'de'}`)],
            ...mailNames.map(
              (mail) =>
                [
                  text(`seller.${mail}`),
                  <Group key={mail} gap="xs" justify="space-between">
                    {mailTextOf(seller, seller.mailLanguage, mail)?.subject ?? text('seller.standardText')}
                    {edit(mail, text(`seller.${mail}`))}
                  </Group>,
                ] as const,
            ),
          ]}
        />
      </Section>
      {opened === 'details' && <DetailsModal seller={seller} onClose={close} />}
      {opened === 'appearance' && <AppearanceModal seller={seller} onClose={close} />}
      {opened === 'lostDisputes' && <LostDisputesModal seller={seller} onClose={close} />}
      {opened === 'mails' && <MailsModal seller={seller} onClose={close} />}
      {mailNames.map(
        (mail) => opened === mail && <MailTextModal key={mail} seller={seller} mail={mail} onClose={close} />,
      )}
    </SimpleGrid>
  );
}
