import { Type } from 'typebox';
import { form } from '../../../core/refusal-rules.ts';
import { long } from '../../../platform/http/shapes.ts';
import { listFilters } from '../../../platform/lists/filters.ts';
import { firstFilter, type RowSource, readStatement } from '../../../platform/lists/list-statements.ts';
import { modeFilter } from '../../../platform/lists/modes.cte.ts';
import { type RequestRow, requestColumns } from './statements.ts';

/** The filters of the list, on `api_request r`. */
export const requestFilters = listFilters({
  method: {
    field: Type.Optional(Type.Enum(['GET', 'HEAD', 'POST'])),
    type: 'text',
    condition: (value) => `r.method = ${value}`,
  },
  path: {
    field: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 200,
        description: 'Only requests whose path begins like this: `/api/transaction/`.',
      }),
    ),
    type: 'text',
    condition: (value) => `starts_with(r.path, ${value})`,
  },
  status: {
    field: Type.Optional(
      Type.String({
        pattern: '^[1-5](?:xx|\\d\\d)$',
        title: form('http_status'),
        description:
          'Only requests that were answered with this status (`409`), or with one that begins alike (`4xx`).',
      }),
    ),
    type: 'text',
    condition: (value) =>
      `r.status between replace(${value}, 'xx', '00')::smallint and replace(${value}, 'xx', '99')::smallint`,
  },
  errorType: {
    field: Type.Optional(
      Type.String({
        pattern: '^[a-z_]{1,60}$',
        title: form('refusal_type'),
        description: 'Only requests that were refused with this type.',
      }),
    ),
    type: 'text',
    condition: (value) => `r.error_type = ${value}`,
  },
  userId: {
    field: Type.Optional(long('Only requests of this user, with or without a key.')),
    type: 'bigint',
    condition: (value) => `r.user_id = ${value}`,
  },
  keyId: {
    field: Type.Optional(long('Only requests with this developer key.')),
    type: 'bigint',
    condition: (value) => `r.key_id = ${value}`,
  },
  by: {
    field: Type.Optional(
      Type.Enum(['session', 'key'], { description: 'Only requests with a developer key, or only those of sessions.' }),
    ),
    type: 'text',
    condition: (value) => `(r.key_id is null) = (${value} = 'session')`,
  },
  requestId: {
    field: Type.Optional(
      Type.String({ minLength: 1, maxLength: 64, description: 'Only requests with this `X-Request-Id`.' }),
    ),
    type: 'text',
    condition: (value) => `r.request_id = ${value}`,
  },
  modes: modeFilter('r.livemode'),
  /** For callers who may not see the whole log. */
  ownUserId: { type: 'bigint', condition: (value) => `r.user_id = ${value}` },
  ownKeyId: { type: 'bigint', condition: (value) => `r.key_id = ${value}` },
  /** Set when only refused requests can match: they have their own index. */
  isRefused: { type: 'boolean', condition: () => 'r.status >= 400' },
});

const source: RowSource = { from: 'api_request r', alias: 'r', key: 'uuid' };

/** By the filter whose index finds the rows. */
export const statements = {
  requestId: readStatement<RequestRow>(
    'requests.read_by_request_id',
    { ...source, condition: requestFilters.conditionOf('requestId', firstFilter) },
    requestColumns,
    requestFilters,
  ),
  isRefused: readStatement<RequestRow>(
    'requests.read_refused',
    { ...source, condition: requestFilters.conditionOf('isRefused', firstFilter) },
    requestColumns,
    requestFilters,
  ),
  all: readStatement<RequestRow>('requests.read_all', source, requestColumns, requestFilters),
};
