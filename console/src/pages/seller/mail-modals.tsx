import { Code, SegmentedControl, Select, Switch, Text, Textarea, TextInput } from '@mantine/core';
import { useState } from 'react';
import { sellersModifyMailLanguage } from '../../api/choices.ts';
import type { Seller } from '../../api/client.ts';
import { useText } from '../../shell/preferences.tsx';
import { FormModal } from '../../ui/forms/form-modal.tsx';
import type { SellerModalProps } from './seller-modals.tsx';

/** The mails to customers, each with its own placeholder. */
const placeholders = {
  invoice: '{dueDate}',
  receipt: '{paidOn}',
  paymentFailed: '{nextAttempt}',
  lastPaymentFailed: '',
  confirmationNeeded: '',
  otherMethodNeeded: '',
  debitAnnounced: '{debitDate}, {mandate}',
  reminder: '{dueDate}',
} as const;

export type MailName = keyof typeof placeholders;
export const mailNames = Object.keys(placeholders) as MailName[];

interface MailText {
  subject: string;
  body: string;
}

type MailTexts = Record<string, Record<string, MailText>>;

/** Undefined if the standard text is sent. */
export function mailTextOf(seller: Seller, language: string, mail: MailName): MailText | undefined {
  return (seller.mailTexts as MailTexts | null)?.[language]?.[mail];
}

export function MailsModal({ seller, onClose }: SellerModalProps) {
  const text = useText();
  return (
    <FormModal
      title={text('seller.mails')}
      submit={text('common.save')}
      opened
      onClose={onClose}
      operation="sellers.modify"
      bodyOf={({ customerMails, mailLanguage }) => ({
        id: seller.id,
        customerMails: customerMails === 'on',
        mailLanguage,
      })}
    >
      {(errorOf) => (
        <>
          <Switch
            name="customerMails"
            label={text('seller.mailed')}
            description={text('seller.mailedHint')}
            defaultChecked={seller.customerMails}
          />
          <Select
            name="mailLanguage"
            label={text('account.language')}
            data={sellersModifyMailLanguage.map((value) => ({ value, label: text(`seller.${value}`) }))}
            defaultValue={seller.mailLanguage}
            error={errorOf('mailLanguage')}
            allowDeselect={false}
          />
        </>
      )}
    </FormModal>
  );
}

/** The tenant's text of a mail in one language. Without one, the mail has the standard text. */
export function MailTextModal({ seller, mail, onClose }: SellerModalProps & { mail: MailName }) {
  const text = useText();
  const [language, setLanguage] = useState(seller.mailLanguage as string);
  const present = mailTextOf(seller, language, mail);
  return (
    <FormModal
      title={text(`seller.${mail}`)}
      submit={text('common.save')}
      opened
      onClose={onClose}
      size="lg"
      operation="sellers.modify"
      bodyOf={({ subject, body }) => ({
        id: seller.id,
        mailTexts: withText(seller, language, mail, { subject: subject ?? '', body: body ?? '' }),
      })}
    >
      {(errorOf) => (
        <>
          <SegmentedControl
            aria-label={text('account.language')}
            data={sellersModifyMailLanguage.map((value) => ({ value, label: text(`seller.${value}`) }))}
            value={language}
            onChange={setLanguage}
            transitionDuration={0}
          />
          <TextInput
            key={`subject ${language}`}
            name="subject"
            label={text('seller.subject')}
            defaultValue={present?.subject}
            placeholder={text('seller.standardText')}
            error={errorOf(`mailTexts.${language}.${mail}.subject`)}
          />
          <Textarea
            key={`body ${language}`}
            name="body"
            label={text('seller.body')}
            defaultValue={present?.body}
            error={errorOf(`mailTexts.${language}.${mail}.body`)}
            minRows={8}
            autosize
          />
          <Text size="xs">
            {text('seller.placeholders')}{' '}
            <Code>{`{customer} {seller} {number} {amount} {link} ${placeholders[mail]}`}</Code>
          </Text>
        </>
      )}
    </FormModal>
  );
}

function withText(seller: Seller, language: string, mail: MailName, changed: MailText): MailTexts | null {
  const before = (seller.mailTexts as MailTexts | null) ?? {};
  const { [mail]: _former, ...others } = before[language] ?? {};
  const isEmptied = changed.subject.trim() === '' && changed.body.trim() === '';
  const ofLanguage = isEmptied ? others : { ...others, [mail]: changed };
  const { [language]: _formerTexts, ...otherLanguages } = before;
  const all = Object.keys(ofLanguage).length === 0 ? otherLanguages : { ...otherLanguages, [language]: ofLanguage };
  return Object.keys(all).length === 0 ? null : all;
}
