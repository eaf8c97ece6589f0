import { Button, FileButton, Group, Paper, SimpleGrid, Stack, Text, Textarea } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { type DisputeDetail, FlorinError } from '../../api/client.ts';
import { useChange } from '../../api/hooks.ts';
import { useMay } from '../../session/session.tsx';
import { usePreferences, useText } from '../../shell/preferences.tsx';
import { ErrorNote } from '../../ui/notes.tsx';
import { Section } from '../../ui/page.tsx';
import { RefusalText } from '../../ui/refusals/refusal-text.tsx';
import { type EvidenceField, useFieldLabel } from './evidence-fields.ts';

/** The draft of the evidence: texts are saved together, a file as soon as it is chosen. */
export function EvidenceForm({ dispute }: { dispute: DisputeDetail }) {
  const text = useText();
  const { evidenceFields } = dispute;
  return (
    <Section title={text('disputes.evidence')}>
      <Text size="sm" c="dimmed">
        {text('disputes.evidenceHint')}
      </Text>
      {/* Remounted when the draft was changed elsewhere, such as by another user. */}
      <Texts
        key={JSON.stringify(dispute.evidence.texts)}
        dispute={dispute}
        fields={evidenceFields.filter(({ kind }) => kind === 'TEXT')}
      />
      <Files dispute={dispute} fields={evidenceFields.filter(({ kind }) => kind === 'FILE')} />
    </Section>
  );
}

interface FieldsProps {
  dispute: DisputeDetail;
  fields: readonly EvidenceField[];
}

function Texts({ dispute, fields }: FieldsProps) {
  const text = useText();
  const fieldLabel = useFieldLabel();
  const mayChange = useMay('transaction_refund');
  const change = useChange('disputes.evidence');
  const refused = change.error instanceof FlorinError ? change.error : undefined;
  const errorOf = (name: string) =>
    refused?.field === `evidence.${name}` ? <RefusalText error={refused} isBesideField /> : undefined;
  const textOf = (name: string) => dispute.evidence.texts[name] as string | undefined;
  const isBesideField = fields.some(({ name }) => errorOf(name) !== undefined);

  function save(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    const given = Object.fromEntries(new FormData(event.currentTarget)) as Record<string, string>;
    const changed = fields
      .map(({ name }) => [name, given[name]?.trim() || null] as const)
      .filter(([name, value]) => value !== (textOf(name) ?? null));
    if (changed.length > 0) change.mutate({ body: { id: dispute.id, evidence: Object.fromEntries(changed) } });
  }

  if (fields.length === 0) return null;
  return (
    <form onSubmit={save}>
      <Stack gap="sm">
        <SimpleGrid cols={{ base: 1, md: 2 }} spacing="sm">
          {fields.map(({ name, required, maxCharacters }) => (
            <Textarea
              key={name}
              name={name}
              label={fieldLabel(name)}
              withAsterisk={required}
              defaultValue={textOf(name)}
              maxLength={maxCharacters}
              error={errorOf(name)}
              readOnly={!mayChange}
              autosize
              minRows={1}
              maxRows={8}
            />
          ))}
        </SimpleGrid>
        {!isBesideField && <ErrorNote error={change.error} />}
        {mayChange && (
          <Group justify="flex-end">
            <Button type="submit" variant="default" loading={change.isPending}>
              {text('disputes.saveDraft')}
            </Button>
          </Group>
        )}
      </Stack>
    </form>
  );
}

function Files({ dispute, fields }: FieldsProps) {
  if (fields.length === 0) return null;
  return (
    <SimpleGrid cols={{ base: 1, sm: 2, lg: 3 }} spacing="sm">
      {fields.map((field) => (
        <FileOfEvidence key={field.name} dispute={dispute} field={field} />
      ))}
    </SimpleGrid>
  );
}

function FileOfEvidence({ dispute, field }: { dispute: DisputeDetail; field: EvidenceField }) {
  const text = useText();
  const fieldLabel = useFieldLabel();
  const { locale } = usePreferences();
  const mayChange = useMay('transaction_refund');
  const [unreadable, setUnreadable] = useState<Error>();
  const add = useChange('disputes.file');
  const remove = useChange('disputes.evidence');
  const { name, required, fileTypes, maxBytes } = field;
  const present = dispute.evidence.files.find((file) => file.name === name);
  const megabytes = (bytes: number) =>
    new Intl.NumberFormat(locale, { style: 'unit', unit: 'megabyte', maximumFractionDigits: 1 }).format(bytes / 1e6);

  async function upload(file: File | null) {
    if (file === null) return;
    setUnreadable(undefined);
    try {
      add.mutate({ body: { id: dispute.id, name, body: await file.arrayBuffer() } });
    } catch (error) {
      setUnreadable(error as Error);
    }
  }

  return (
    <Paper withBorder p="sm">
      <Stack gap={6}>
        <Text size="sm" fw={500}>
          {fieldLabel(name)}
          {required && ' *'}
        </Text>
        <Text size="xs" c="dimmed">
          {present === undefined
            ? text('disputes.fileHint', {
                types: (fileTypes ?? []).map((type) => type.replace(/^.*\//, '').toUpperCase()).join(', '),
                size: megabytes(maxBytes ?? 10_000_000),
              })
            : `${present.type.replace(/^.*\//, '').toUpperCase()} · ${megabytes(present.bytes)}`}
        </Text>
        <ErrorNote error={unreadable ?? add.error ?? remove.error} />
        {mayChange && (
          <Group gap="xs">
            <FileButton onChange={upload} accept={fileTypes?.join(',') ?? ''}>
              {(props) => (
                <Button {...props} variant="default" size="xs" loading={add.isPending}>
                  {text(present === undefined ? 'disputes.chooseFile' : 'disputes.replaceFile')}
                </Button>
              )}
            </FileButton>
            {present !== undefined && (
              <Button
                variant="subtle"
                size="xs"
                loading={remove.isPending}
                onClick={() => remove.mutate({ body: { id: dispute.id, evidence: { [name]: null } } })}
              >
                {text('disputes.removeFile')}
              </Button>
            )}
          </Group>
        )}
      </Stack>
    </Paper>
  );
}
