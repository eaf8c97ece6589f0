import type { Queryable } from './database.ts';

/** An integrity claim about the whole database. */
export interface Check {
  claim: string;
  /**
   * A select of one text column, `offender`, that names each row which breaks the claim; empty while the claim holds.
   */
  offenders: string;
  /** Common table expressions that `offenders` reads. The claims with the same ones are checked in one statement. */
  with?: string;
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
  check: Pick<Check, 'offenders' | 'with'>,
  atMost: number,
): Promise<string[]> {
  const [offenders] = await offendersOfEach(snapshot, [check], atMost);
  return offenders as string[];
}

/** Up to `atMost` offenders of each of these claims, which have the same `with`. */
export async function offendersOfEach(
  snapshot: Queryable,
  checks: readonly Pick<Check, 'offenders' | 'with'>[],
  atMost: number,
): Promise<string[][]> {
  const each = checks.map(
    ({ offenders }, i) => `(select ${i} as place, offender from (${offenders}) as offenders_${i})`,
  );
  const shared = checks[0]?.with;
  // Materialized: with a limit PostgreSQL expects to end early, and looks up row by row what it has to read whole.
  const text = `
    with ${shared === undefined ? '' : `${shared}, `}found as materialized (${each.join(' union all ')})
    select place, offender
      from (select place, offender, row_number() over (partition by place) as number from found) as numbered
     where number <= ${atMost}`;
  const found: string[][] = checks.map(() => []);
  for (const { place, offender } of await snapshot.run<{ place: number; offender: string }>({ name: '', text })) {
    found[place]?.push(offender);
  }
  return found;
}
