/**
 * The states in which PostgreSQL is killed, for each background part of a process. The parts have the names under which
 * they are registered with the lifecycle. `database-killed.test.ts` compares them, so that a new worker needs
 * situations here, and the compiler requires a kill for each of them (`Kills`).
 *
 * Stopping has one kill for all parts: the process is stopped while every worker has work in progress.
 */
export const situations = {
  operations: ['waiting', 'waiting behind an open breaker', 'claiming', 'calling', 'unknown', 'recording', 'refunding'],
  methods: ['claiming', 'recording'],
  expiries: ['marking'],
  'method readings': ['claiming'],
  discrepancies: ['claiming', 'looking up', 'recording', 'waiting'],
  'dispute answers': ['recording'],
  'dispute deadlines': ['passing'],
  'dispute lists': ['claiming'],
  'dispute readings': ['claiming'],
  callbacks: ['claiming', 'settling', 'recording', 'waiting'],
  sandbox: ['waiting', 'claiming', 'sending', 'recording'],
  rollups: ['waiting', 'rolling up'],
  deliveries: ['waiting', 'paused and on trial', 'claiming', 'sending', 'recording'],
  replays: ['claiming', 'copying', 'waiting'],
  invoices: ['settling', 'ending', 'waiting'],
  checkouts: ['judging'],
  holds: ['judging'],
  'overdue invoices': ['marking'],
  'invoice mails': ['sending', 'writing'],
  subscriptions: ['renewing', 'collecting', 'renewing a year'],
  'test clocks': ['moving', 'waiting'],
  'search entries': ['writing'],
  sweeper: ['sweeping'],
  poller: ['polling'],
  'plan renewal': ['measuring'],
  clock: ['reading'],
  'primary monitor': ['checking'],
  bus: ['probing', 'sending'],
  'last uses of keys': ['recording'],
  'last uses of sessions': ['recording'],
  'reset mails': ['recording a token'],
  'mails to users': ['queueing', 'recording a token', 'recording the end'],
  'event streams': ['reading'],
  'audit chain': ['chaining'],
  'refused requests': ['recording'],
  'request log': ['recording'],
  heartbeat: ['noting'],
} as const;

type Situations = typeof situations;
export type Part = keyof Situations;

/** A kill for each state of these parts. */
export type Kills<Parts extends Part = Part> = {
  [P in Parts]: { [State in Situations[P][number]]: () => Promise<void> };
};
