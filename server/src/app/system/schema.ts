import { Type } from 'typebox';
import { nullable } from '../../platform/http/shapes.ts';
import { backlogWorks } from './backlog-statements.ts';
import { forgottenAfterSeconds, goneAfterSeconds } from './node-statements.ts';

const count = (description: string) => Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, description });
const isoTime = (description: string) => Type.String({ description });

const disk = Type.Union(
  [Type.Object({ freeBytes: count('What is left of it.'), totalBytes: count('Its size.') }), Type.Null()],
  { description: 'The disk of the data folder of this node; null: it could not be read.' },
);

const node = Type.Object({
  id: Type.String({ description: 'Made at each start.' }),
  host: Type.String({ description: 'The name of its machine or container.' }),
  port: Type.Integer({ description: 'The port that it listens on.' }),
  state: Type.Enum(['RUNNING', 'GONE'], {
    description:
      `GONE: it has not said for ${goneAfterSeconds} seconds that it runs, and did not stop in order. It is listed ` +
      `for ${forgottenAfterSeconds / 60} minutes, or until another node has its host and port.`,
  }),
  role: Type.String({ description: '`app.role`.' }),
  processes: Type.Integer({ description: 'Of this node.' }),
  version: Type.String({ description: 'Of Florin.' }),
  runtime: Type.String({ description: 'The version of Node.js.' }),
  migration: Type.String({ description: 'The newest migration that this version has.' }),
  keyDigest: Type.String({ description: 'Equal for nodes with the same keys. It tells nothing of them.' }),
  clockAheadMs: nullable(
    Type.Integer({
      description: "How far the machine's clock is ahead of the database's; negative: behind; null: not known.",
    }),
  ),
  isClockApart: Type.Boolean({
    description: 'Whether that is more than a second. Florin then uses the clock of the database.',
  }),
  disk,
  startedTime: Type.String(),
  seenTime: isoTime('When it last said that it runs, every ten seconds.'),
});

const standby = Type.Object({
  name: Type.String({ description: 'Its `application_name`.' }),
  address: nullable(Type.String({ description: 'null: it is on the same machine.' })),
  state: Type.String({ description: '`streaming` when it follows.' }),
  sync: Type.String({
    description: '`sync` and `quorum`: commits wait for it. `potential`: it would take the place of one. `async`.',
  }),
  lagBytes: nullable(count('Write-ahead log that it has not replayed yet.')),
  lagMs: nullable(count('How long the last replay took; null: it was idle.')),
});

const replica = Type.Union(
  [
    Type.Object({
      hosts: Type.String({ description: 'The servers of `app.database.replica-url`.' }),
      isReachable: Type.Boolean({ description: 'false: it does not answer, or is no standby.' }),
      lagBytes: nullable(count('Write-ahead log that it has not replayed yet.')),
      lagMs: nullable(count('The age of the last transaction that it has replayed; 0: it has replayed all.')),
    }),
    Type.Null(),
  ],
  { description: 'null: there is no `app.database.replica-url`.' },
);

const archive = Type.Union(
  [
    Type.Object({
      archivedTime: nullable(Type.String({ description: 'When a segment was archived last.' })),
      failedTime: nullable(Type.String({ description: 'When it failed last.' })),
      isFailing: Type.Boolean({ description: 'Whether the last attempt failed.' }),
    }),
    Type.Null(),
  ],
  { description: 'The archive of the write-ahead log; null: the server keeps none.' },
);

const database = Type.Object({
  version: Type.String({ description: 'Of PostgreSQL.' }),
  hosts: Type.String({ description: 'The servers of `app.database.url`, without account and password.' }),
  address: nullable(
    Type.String({ description: 'The server that answered: the primary; null: it is reached by a local socket.' }),
  ),
  startedTime: isoTime('When PostgreSQL started.'),
  sizeBytes: count('Of the database.'),
  connections: Type.Object({
    used: count('Connections to the server.'),
    limit: count('Those that accounts without special rights may share.'),
  }),
  synchronousCommit: Type.String({ description: '`synchronous_commit` of the server.' }),
  synchronousStandbys: Type.String({ description: '`synchronous_standby_names` of the server; empty: none.' }),
  replica,
  standbys: Type.Union([Type.Array(standby), Type.Null()], {
    description: 'Those that are connected to the primary; null: the account of Florin may not read them.',
  }),
  standbysUnknown: nullable(Type.String({ description: 'Why `standbys` is null, and what to do.' })),
  archive,
});

const backlog = Type.Array(
  Type.Object({
    work: Type.Enum(backlogWorks),
    due: count('How much is due and not done; at most 10,000 are counted, and 100,000 deliveries.'),
    oldestSeconds: nullable(
      count('How long the oldest has been due; null: nothing is. Deliveries to failing endpoints do not count.'),
    ),
  }),
  { description: 'Work that is due by now. A few that are some seconds old are usual.' },
);

const backup = Type.Object({
  provenTime: nullable(Type.String({ description: 'When the last proven backup was made (`florin backup`).' })),
  ageSeconds: nullable(count('Since then.')),
  expectedSeconds: nullable(count('`app.backup.expected`; null: none is expected.')),
});

const versions = Type.Object({
  florin: Type.String({ description: 'Of the node that answers.' }),
  runtime: Type.String({ description: 'The version of Node.js.' }),
  postgres: Type.String(),
  migrationsApplied: count('How many migrations the database has.'),
  newestApplied: nullable(Type.String({ description: 'The newest of them.' })),
  newestKnown: Type.String({ description: 'The newest migration of the node that answers.' }),
});

export const systemHealth = Type.Object(
  {
    time: isoTime('When it was read.'),
    nodes: Type.Array(node, { description: 'Those that run first.' }),
    database,
    backlog,
    backup,
    versions,
  },
  { $id: 'SystemHealth' },
);
