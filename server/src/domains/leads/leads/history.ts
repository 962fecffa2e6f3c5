import type { InputOf } from '@x-automated/contract/contract'
import type { LeadEvent } from '@x-automated/contract/leads/leads'
import { type SkipReason, skipText } from '@x-automated/contract/reason'
import { type SQL, sql } from 'drizzle-orm'
import type { z } from 'zod'
import { type Actor, hasScope, roleAllows } from '../../../actor.ts'
import { storedText } from '../../../core/tables/replies.ts'
import { one } from '../../../db/one.ts'
import type { Db } from '../../../db/open.ts'
import { readCursor, writeCursor } from '../../../db/paging.ts'
import { reasonSql } from '../../../db/reasons.ts'
import { find } from './leads.ts'

type Event = z.input<typeof LeadEvent>

/**
 * A lead's history, newest first. Viewers, and API keys that cannot read conversations, do not see
 * the texts of replies, answers and notes. @throws Refusal LEAD_NOT_FOUND; INVALID_INPUT: bad
 * cursor
 */
export async function history(db: Db, actor: Actor, { id, page, pageSize, cursor }: InputOf<'leads', 'history'>) {
  await find(db, actor, id)
  const position = cursor === undefined ? null : readCursor(cursor)
  const events = eventsOf(actor, id)
  const [{ rows }, counted] = await Promise.all([
    db.execute<EventRow>(sql`
      select kind, at, ref, rest from (${events}) event
      ${position ? sql`where (at, ref) < (${position.at.toISOString()}::timestamptz, ${position.id}::uuid)` : sql``}
      order by at desc, ref desc limit ${pageSize + 1} offset ${position ? 0 : (page - 1) * pageSize}`),
    db.execute<{ total: number }>(sql`select count(*)::int as total from (${events}) event`),
  ])
  const visible = rows.slice(0, pageSize)
  const last = rows.length > pageSize ? visible.at(-1) : undefined
  return {
    events: visible.map(eventOf),
    total: one(counted.rows).total,
    page,
    pageSize,
    cursor: last ? writeCursor({ at: new Date(last.at), id: last.ref }) : null,
  }
}

interface EventRow extends Record<string, unknown> {
  kind: string
  at: string
  ref: string
  rest: { reason?: SkipReason | null; until?: string | null }
}

function eventOf({ kind, at, rest }: EventRow): Event {
  const { reason, until } = rest
  return {
    kind,
    at: new Date(at),
    ...rest,
    ...(reason && { errorMessage: skipText(reason) }),
    ...(until && { until: new Date(until) }),
  } as unknown as Event
}

/**
 * SQL condition on a reply `r`: X received it before a follow-up was sent, and no earlier than 3
 * minutes before the follow-up was claimed, but it was stored only after the claim.
 */
const crossedFollowUp = sql`exists (
  select
  from dms d
  where d.lead_id = r.lead_id
    and d.is_follow_up
    and r.at < d.sent_at
    and r.created_at > d.claimed_at
    and r.at > d.claimed_at - interval '3 minutes')`

/** SQL: the events of a lead. Two events at the same moment have different refs. */
function eventsOf(actor: Actor, id: string): SQL {
  const { workspaceId, role } = actor
  const seesTexts = roleAllows(role, 'member') && hasScope(actor, 'conversations:read')
  const textOf = (text: SQL) => (seesTexts ? text : sql`null::text`)
  const stepOf = (number: SQL) =>
    sql`jsonb_build_object('campaignId', c.id, 'campaignName', c.name, 'stepNumber', ${number})`
  const enrolled = sql`
    from enrollments e
    join campaigns c on c.id = e.campaign_id
    where e.workspace_id = ${workspaceId} and e.lead_id = ${id}`
  return sql`
    select 'created' as kind, l.created_at as at, l.id as ref, '{}'::jsonb as rest from leads l where l.id = ${id}
    union all
    select 'renamed', (former ->> 'until')::timestamptz, l.id, jsonb_build_object('twitterHandle', former ->> 'handle')
    from leads l, jsonb_array_elements(l.former_handles) former where l.id = ${id}
    union all
    select 'scraped', f.found_at, s.id,
      jsonb_build_object('scrapeId', s.id, 'twitterHandle', s.twitter_handle, 'type', s.type)
    from scrape_leads f join scrapes s on s.id = f.scrape_id where f.lead_id = ${id}
    union all
    select 'listed', i.added_at, ll.id, jsonb_build_object('listId', ll.id, 'listName', ll.name)
    from lead_list_items i join lead_lists ll on ll.id = i.lead_list_id where i.lead_id = ${id}
    union all
    select 'tagged', g.added_at, t.id, jsonb_build_object('tagId', t.id, 'tagName', t.name)
    from lead_tags g join tags t on t.id = g.tag_id where g.lead_id = ${id}
    union all
    select 'messaged', coalesce(d.sent_at, d.updated_at), d.id, jsonb_build_object(
      'dmId', d.id, 'status', d.status, 'message',
      case when d.is_answer and not ${seesTexts}::boolean then '' else d.message end, 'errorMessage', d.error_message,
      'reason', d.reason, 'outcomeUnknown', d.outcome_unknown,
      'campaignId', case when c.kind = 'campaign' then c.id end, 'campaignName',
      case when c.kind = 'campaign' then c.name end,
      'stepNumber', d.step_number, 'variant', (
        select jsonb_build_object('id', variant.value -> 'id', 'name', variant.value -> 'name')
        from sequence_versions v
        cross join lateral jsonb_array_elements(v.steps) s
        cross join lateral jsonb_array_elements(s.value -> 'variants') variant
        where v.workspace_id = c.workspace_id and v.campaign_id = c.id and variant.value ->> 'id' = d.variant_id::text
        order by v.version desc limit 1
      ), 'why', coalesce(d.reason, (
        select e.reason
        from enrollments e
        where d.is_held and e.workspace_id = c.workspace_id and e.id = d.enrollment_id
      )))
    from dms d join campaigns c on c.id = d.campaign_id where d.lead_id = ${id}
    union all
    select 'skipped', e.skipped_at, c.id,
      ${stepOf(sql`e.skipped_step_number`)} || jsonb_build_object('why', ${reasonSql('condition')})
    ${enrolled} and e.skipped_at is not null
    union all
    select 'paused', e.updated_at, e.id,
      ${stepOf(sql`e.next_step_number`)} || jsonb_build_object('until', e.paused_until, 'why', e.reason)
    ${enrolled} and e.state = 'paused' and e.next_step_number is not null
    union all
    select case r.kind when 'reply' then 'replied' else r.kind end, r.at, r.id,
      jsonb_build_object('replyId', r.id, 'text', ${textOf(storedText(sql`r.text`))})
      || case r.kind
        when 'reply' then jsonb_build_object(
          'optedOut', r.opted_out, 'label', r.label, 'dmId', r.dm_id, 'crossedFollowUp', ${crossedFollowUp}
        )
        else '{}' end
    from replies r where r.lead_id = ${id}
    union all
    select 'note', n.created_at, n.id, jsonb_build_object('noteId', n.id, 'text', ${textOf(sql`n.text`)})
    from conversation_notes n where n.lead_id = ${id}
    union all
    select 'labelled', k.at, k.id, jsonb_build_object('label', k.new_label)
    from conversations v join label_corrections k on k.workspace_id = v.workspace_id and k.conversation_id = v.id
    where v.workspace_id = ${workspaceId} and v.lead_id = ${id}`
}
