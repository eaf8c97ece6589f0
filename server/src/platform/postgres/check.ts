import type { Queryable } from './database.ts';

/** Something that is true of the whole database while all is well. */
export interface Check {
  claim: string;
  /** A select of one text column, `offender`: whoever breaks the claim. No row comes out of it while all is well. */
  offenders: string;
}

/** Who breaks the claim, up to so many. */
export async function offendersOf(moment: Queryable, { offenders }: Check, atMost: number): Promise<string[]> {
  const text = `select offender from (${offenders}) as found limit ${atMost}`;
  return (await moment.run<{ offender: string }>({ name: '', text })).map(({ offender }) => offender);
}
