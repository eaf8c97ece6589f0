import type { Queryable } from './database.ts';

/** An integrity claim about the whole database. */
export interface Check {
  claim: string;
  /**
   * A select of one text column, `offender`, that names each row which breaks the claim; empty while the claim holds.
   */
  offenders: string;
}

/** Something that a person should look at. It may exist without any defect of Florin or of the database. */
export interface Finding {
  /** What all of the named have in common. */
  finding: string;
  /** As for a claim. */
  offenders: string;
}

/** Up to `atMost` offenders of a claim or of a finding. */
export async function offendersOf(
  snapshot: Queryable,
  { offenders }: Pick<Check, 'offenders'>,
  atMost: number,
): Promise<string[]> {
  // Materialized: with a limit PostgreSQL expects to end early, and looks up row by row what it has to read whole.
  const text = `with found as materialized (${offenders}) select offender from found limit ${atMost}`;
  return (await snapshot.run<{ offender: string }>({ name: '', text })).map(({ offender }) => offender);
}
