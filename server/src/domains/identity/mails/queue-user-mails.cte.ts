/**
 * CTE `queued`: a mail for each row of `from`, which has the columns kind, tenant_id, user_id, record_id and now_ms. It
 * replaces a mail of the kind about the same record that has not been sent. The statement wakes `userMailsDue`.
 */
export function queueUserMailsCte(from: string): string {
  return `replaced as (
       update user_mail m
          set state = 'CANCELLED', ended_at = to_timestamp(f.now_ms / 1000), lease = null, leased_until = null
         from ${from} f
        where m.state = 'OPEN' and m.user_id = f.user_id and m.kind = f.kind and m.record_id is not distinct
            from f.record_id
     ), queued as (
       insert into user_mail (tenant_id, id, user_id, kind, record_id, created_at, due_at)
       select tenant_id, gen_random_uuid(), user_id, kind, record_id, to_timestamp(now_ms / 1000),
           to_timestamp(now_ms / 1000)
         from ${from}
       returning id
     )`;
}
