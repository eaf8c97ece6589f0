import type { Queryable } from './database.ts';

/** An integrity claim about the whole database. */
export interface Check {
  claim: string;
  /** A select of one text column, `offender`, that names each row which breaks the claim; empty while the claim holds. */
  offenders: string;
}

/** Up to `atMost` offenders of the claim. */
export async function offendersOf(snapshot: Queryable, { offenders }: Check, atMost: number): Promise<string[]> {
  const text = `select offender from (${offenders}) as found limit ${atMost}`;
  return (await snapshot.run<{ offender: string }>({ name: '', text })).map(({ offender }) => offender);
}
