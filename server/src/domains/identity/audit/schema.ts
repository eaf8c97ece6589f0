import { Type } from 'typebox';
import { cursorListFields, exportAfter, timeFields } from '../../../platform/http/list-query.ts';
import { auditActionNames } from './actions.ts';

const action = Type.Enum([...auditActionNames]);

const filters = {
  action: Type.Optional(action),
  recordType: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 40,
      description: 'Only entries about records of this type, such as `channel`.',
    }),
  ),
  recordId: Type.Optional(
    Type.String({ minLength: 1, maxLength: 100, description: 'Only entries about this record. Needs `recordType`.' }),
  ),
  userId: Type.Optional(
    Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER, description: 'Only what this user did.' }),
  ),
  tenantId: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: Number.MAX_SAFE_INTEGER,
      description: 'Only the log of this tenant; 0 is the platform.',
    }),
  ),
  ...timeFields,
};

export const auditListQuery = Type.Object({ ...cursorListFields, ...filters });

export const exportFormats = ['ndjson', 'csv'] as const;

export const auditExportQuery = Type.Object({
  format: Type.Optional(
    Type.Enum([...exportFormats], { default: 'ndjson', description: 'One JSON object per line, or CSV.' }),
  ),
  after: exportAfter,
  ...filters,
});

const nullable = (type: 'string' | 'integer', description: string) =>
  Type.Union([type === 'string' ? Type.String() : Type.Integer(), Type.Null()], { description });

export const auditEntry = Type.Object(
  {
    id: Type.String({ description: '`aud_` and a time-ordered body.' }),
    tenantId: nullable('string', "In whose log the entry is. null: the platform's own tenant."),
    time: Type.String({ description: "By the database's clock." }),
    action,
    recordType: Type.String({ description: 'The part of `action` before the dot.' }),
    recordId: nullable('string', 'The record, as its own list shows it; null: the action concerns no single record.'),
    userId: nullable('integer', 'Who did it; null: nobody who was signed in, or the service itself.'),
    userName: nullable('string', 'The user name at that time.'),
    by: Type.Enum(['session', 'key', 'password', 'passkey', 'reset_token', 'device_code', 'nobody', 'system'], {
      description:
        'How the caller was authenticated. `device_code`: a program whose login the user approved. `system`: ' +
        'the service itself.',
    }),
    keyId: nullable('integer', 'The developer key that was used.'),
    address: nullable('string', "The caller's IP address."),
    requestId: nullable('string', 'The `X-Request-Id` of the request.'),
    changes: Type.Object(
      {},
      {
        additionalProperties: true,
        description:
          'Each changed field with `before` and `after`; a created record has only `after`. Secrets are `***`.',
      },
    ),
    details: Type.Object({}, { additionalProperties: true, description: 'Further facts about the action.' }),
    seq: nullable(
      'integer',
      'The number of the entry in the log of its tenant; null for about a second after the change.',
    ),
    chainedTime: nullable(
      'string',
      'When the entry was numbered and hashed, about a second after the change; null until then, ' +
        'and where an older release did it.',
    ),
    hash: nullable('string', 'SHA-256 over the previous hash, `chainedTime` and this entry, in hex; null like `seq`.'),
  },
  { $id: 'AuditEntry' },
);
