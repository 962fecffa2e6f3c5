import { POSITIVE_LABELS } from '@x-automated/contract/reply-labels'
import { sql } from 'drizzle-orm'
import { alias } from 'drizzle-orm/pg-core'
import type { Db } from '../../db/open.ts'
import { countedColumns, countMessages } from '../messages/counts.ts'
import { ANSWERS, dms } from '../tables/messages.ts'

/** SQL over a reply `r`: its meaning, as a sum of ANSWERS. */
const answerSum = sql`case when r.label = 'auto_reply' then 0 else ${ANSWERS.replied}
    + case when r.label in ${POSITIVE_LABELS} then ${ANSWERS.positive}
      when r.label = 'opted_out' then ${ANSWERS.optedOut} else 0 end end`.inlineParams()

/**
 * Stores what the replies to messages mean, and on the first message of each enrollment, what all
 * replies to the enrollment mean. Call it after replies or labels have changed, with the leads'
 * messages locked.
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
    ), old as (
      select ${countedColumns(alias(dms, 'd'))}, new.answers as new_answers, new.person_answers as new_person_answers
      from dms d
      join new on new.id = d.id and (d.answers, d.person_answers) is distinct from (new.answers, new.person_answers)
      order by d.id
      for no key update of d
    ), changed as (
      update dms
      set answers = old.new_answers, person_answers = old.new_person_answers
      from old
      where dms.id = old.id
      returning ${countedColumns()}
    ), ${countMessages({ before: 'old', after: 'changed' })}
    select from changed`)
}
