import { sql } from 'drizzle-orm'
import type { Db } from '../../db/open.ts'
import { ANSWERS } from '../tables/messages.ts'

/** SQL over a reply `r`: its meaning, as a sum of ANSWERS. */
const answerSum = sql`case when r.label = 'auto_reply' then 0 else ${ANSWERS.replied}
    + case when r.label in ('interested', 'meeting', 'question') then ${ANSWERS.positive}
      when r.label = 'opted_out' then ${ANSWERS.optedOut} else 0 end end`.inlineParams()

/**
 * Stores what the replies to messages mean, and for each lead's first message what all their
 * replies mean. Call it after replies or labels have changed, with the leads' messages locked.
 */
export async function storeAnswers(tx: Db, dmIds: readonly string[]): Promise<void> {
  if (dmIds.length === 0) return
  await tx.execute(sql`
    with theirs as (
      select d.id, d.enrollment_id, d.step = 0
        and d.enrollment_id is not null as is_first, coalesce(bit_or(${answerSum}), 0) as answers
      from (
        select distinct d.id, d.enrollment_id, d.step
        from dms a
        join dms d on d.lead_id = a.lead_id and (d.id = a.id or d.enrollment_id = a.enrollment_id)
        where a.id = any(${sql.param([...dmIds])}::uuid[])
      ) d left join replies r on r.dm_id = d.id and r.kind = 'reply'
      group by d.id, d.enrollment_id, d.step
    ), new as (
      select id, answers,
        case when is_first then bit_or(answers) over (partition by enrollment_id) else 0 end as person_answers
      from theirs
    )
    update dms set answers = new.answers, person_answers = new.person_answers
    from new
    where dms.id = new.id and (dms.answers, dms.person_answers) is distinct from (new.answers, new.person_answers)`)
}
