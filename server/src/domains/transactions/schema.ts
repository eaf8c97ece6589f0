import { Type } from 'typebox';
import { maximumAmount } from '../../vocabulary/currency.ts';
import { maximumPageSize } from '../../vocabulary/page.ts';
import { transactionStatuses } from './states.ts';

const long = (description: string) => Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER, description });

const amount = Type.Integer({
  minimum: 1,
  maximum: maximumAmount,
  description: 'In minor units (cents), 1 to 9007199254740991.',
});
const currency = Type.String({ minLength: 1, maxLength: 16, description: "An ISO 4217 code, one of the channel's." });
const description = Type.String({ maxLength: 2000 });
const metadata = Type.Object(
  {},
  {
    additionalProperties: true,
    maxProperties: 50,
    title: 'an object of at most 50 keys',
    description: 'Anything of yours: at most 16 KiB of JSON, 8 levels, 50 keys. Given back as it was sent.',
  },
);
const status = Type.Enum([...transactionStatuses]);
const id = Type.String({ minLength: 1, maxLength: 100, description: '`txn_` and a time-ordered body.' });

export const createInput = Type.Object(
  {
    amount,
    currency,
    channelId: long('The channel to pay through.'),
    description: Type.Optional(description),
    metadata: Type.Optional(metadata),
    customerId: Type.Optional(long('May name a record kept elsewhere; stored as given.')),
    invoiceId: Type.Optional(long('May name a record kept elsewhere; stored as given.')),
  },
  { additionalProperties: false },
);

export const updateInput = Type.Object(
  {
    id,
    status: Type.Optional(status),
    description: Type.Optional(description),
    metadata: Type.Optional(metadata),
    failureCode: Type.Optional(Type.String({ minLength: 1, maxLength: 100, description: 'Only with status FAILED.' })),
    failureMessage: Type.Optional(
      Type.String({ minLength: 1, maxLength: 1000, description: 'Only with status FAILED.' }),
    ),
  },
  { additionalProperties: false },
);

export const detailQuery = Type.Object({ id });

const day = (which: string) =>
  Type.Optional(
    Type.String({
      format: 'date',
      title: 'a day as YYYY-MM-DD',
      description: `${which} day, whole and in UTC: YYYY-MM-DD.`,
    }),
  );

export const listQuery = Type.Object({
  page: Type.Optional(Type.Integer({ minimum: 1, maximum: 2_147_483_647, default: 1 })),
  pageSize: Type.Optional(Type.Integer({ minimum: 1, maximum: maximumPageSize, default: 20 })),
  status: Type.Optional(status),
  channelId: Type.Optional(long('Only payments through this channel.')),
  startDate: day('The first'),
  endDate: day('The last'),
  userId: Type.Optional(long('Only payments created by this user (or by a key of theirs).')),
});

export const idempotencyHeaders = Type.Object({
  'idempotency-key': Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 255,
      description: 'The same key and body get the same answer again; the same key with another body is refused (422).',
    }),
  ),
});

const nullable = <Shape extends ReturnType<typeof Type.String> | ReturnType<typeof Type.Integer>>(shape: Shape) =>
  Type.Union([shape, Type.Null()]);

/** A payment as it was created or changed: what create and update answer, and what events carry. */
export const transactionRecord = Type.Object({
  id: Type.String(),
  amount,
  amountRefunded: Type.Integer(),
  currency: Type.String(),
  status,
  channelId: Type.Integer(),
  description: nullable(Type.String()),
  metadata: Type.Unsafe<Record<string, unknown> | null>({
    description: 'As it was sent.',
    type: ['object', 'null'],
    additionalProperties: true,
  }),
  customerId: nullable(Type.Integer()),
  invoiceId: nullable(Type.Integer()),
  userId: Type.Integer({ description: 'Who created it.' }),
  failureCode: nullable(Type.String()),
  failureMessage: nullable(Type.String()),
  providerReference: nullable(Type.String()),
  version: Type.Integer({ description: 'Rises with every change: a receiver can drop what is old.' }),
  createdTime: Type.String(),
  updatedTime: Type.String(),
});

export const transactionDetail = Type.Object({ ...transactionRecord.properties, channelName: Type.String() });

export const listedTransaction = Type.Object({
  id: Type.String(),
  amount,
  amountRefunded: Type.Integer(),
  currency: Type.String(),
  status,
  channelId: Type.Integer(),
  channelName: Type.String(),
  description: nullable(Type.String()),
  userId: Type.Integer(),
  createdTime: Type.String(),
});
