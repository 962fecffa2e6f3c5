import { BLANKS, parseTemplate, type Template, unknownText } from '@x-automated/contract/outreach/template'
import { type SQL, sql } from 'drizzle-orm'
import { alias } from 'drizzle-orm/pg-core'
import type { AliasOf } from '../../db/columns.ts'
import type { Db } from '../../db/open.ts'
import { invalidField } from '../../refusal.ts'
import type { leads } from '../tables/leads.ts'
import { dms } from '../tables/messages.ts'
import { approvedOpener, lockOpeners } from '../tables/openers.ts'
import { enrollments, isEnrollmentOf } from '../tables/sequences.ts'
import { countedColumns, countMessages } from './counts.ts'
import type { Campaign } from './eligibility.ts'
import type { QueuedStep } from './queue.ts'

/** SQL assignments over a message and its lead `l` that render the message with a step. */
const renderedWith = ({ id, number, variantId, message }: QueuedStep) =>
  sql`
    message = ${message}, is_filled = true, variant_id = ${variantId}, step_id = ${id}, step_number = ${number},
    updated_at = now()`

/**
 * Renders queued messages with a changed step. No count depends on the variant of a queued message.
 * If there are several messages, call `blockNewClaims` first: they are locked in no particular
 * order.
 * @param which SQL condition on dms
 */
export async function rerender(tx: Db, step: QueuedStep, which: SQL): Promise<void> {
  await tx.execute(sql`update dms set ${renderedWith(step)} from leads l where ${which} and l.id = dms.lead_id`)
}

/**
 * Renders messages of deleted leads with a changed step, in case the deletion is undone. @param
 * which SQL condition on dms
 */
export async function rerenderRemoved(tx: Db, step: QueuedStep, which: SQL): Promise<void> {
  // Makes `approvedOpener` read the openers stored with the deleted leads, instead of the table.
  const message = sql`
    (with openers as (select * from jsonb_populate_recordset(null::openers, removed.openers)) select ${step.message})`
  const queued = alias(dms, 'd')
  // A deletion can contain a million leads, so the query starts from the messages.
  await tx.execute(sql`
    with theirs as materialized (
      select e.lead_id as removed_id, ${countedColumns(queued)}
      from (select * from dms where lead_id is null and ${which} order by id for no key update) d
        join enrollments e on ${isEnrollmentOf(alias(enrollments, 'e'), queued)}
    ), changed as (
      update dms set ${renderedWith({ ...step, message })}
      from theirs join removed_leads removed on removed.lead_id = theirs.removed_id
        cross join lateral jsonb_populate_record(null::leads, removed.lead) l
      where dms.id = theirs.id
      returning ${countedColumns()}
    ), ${countMessages({ before: 'theirs', after: 'changed' })}
    select from changed`)
}

/**
 * Applies the current openers to first messages that this transaction has queued, and blocks
 * changes to those openers until it ends. Other transactions cannot see the messages of a launch
 * before that.
 * @param which SQL condition on dms
 */
export async function readOpenersAgain(
  tx: Db,
  { id, workspaceId }: Pick<Campaign, 'id' | 'workspaceId'>,
  step: QueuedStep,
  which = sql`true`,
): Promise<void> {
  await tx.execute(lockOpeners(workspaceId, id))
  const hasOpener = sql`
    exists (
      select from openers o where o.workspace_id = ${workspaceId} and o.campaign_id = ${id} and o.lead_id = dms.lead_id
    )`
  await rerender(
    tx,
    step,
    sql`
      dms.campaign_id = ${id}
      and dms.status = 'queued'
      and not dms.is_follow_up
      and ${which}
      and ${hasOpener}
      and dms.message <> ${step.message}`,
  )
}

// Templates

/** Parses a message template. @throws Refusal INVALID_INPUT naming an unknown variable */
export function readTemplate(field: string, source: string): Template {
  const parsed = parseTemplate(source)
  if ('template' in parsed) return parsed.template
  throw invalidField(field, unknownText(parsed.unknown))
}

/** SQL over a lead's alias: the message for that lead. @param campaignId null: outside campaigns, without openers */
export function renderedMessage(
  lead: AliasOf<typeof leads>,
  template: Template,
  campaignId: string | null,
): SQL<string> {
  return compileTemplate(template, {
    name: sql`${lead.name}`,
    firstName: sql`${lead.firstName}`,
    twitterHandle: sql`${lead.twitterHandle}`,
    metadata: sql`${lead.metadata}`,
    opener: approvedOpener(lead, campaignId),
  })
}

/**
 * Compiles a template to one SQL expression over a row of leads, with the same result as
 * `fillSegment`. Text is passed as parameters, never as SQL.
 */
export function compileTemplate(
  template: Template,
  lead: { name: SQL; firstName: SQL; twitterHandle: SQL; metadata: SQL; opener: SQL },
): SQL<string> {
  const parts = template.map((segment) => {
    if (segment.kind === 'words') return sql`${segment.words}::text`
    if (segment.kind === 'handle') return sql`'@' || ltrim(${lead.twitterHandle}, '@')`
    if (segment.kind === 'name' || segment.kind === 'firstName')
      return sql`coalesce(nullif(${withoutBraces(trimmed(lead[segment.kind]))}, ''), ${segment.fallback}::text)`
    if (segment.kind === 'opener') return sql`coalesce(${lead.opener}, ${segment.fallback}::text)`
    return sql`coalesce((
      select ${withoutBraces(trimmed(sql`v.value #>> '{}'`))}
      from jsonb_each(case when jsonb_typeof(${lead.metadata}) = 'object' then ${lead.metadata} else '{}' end) v
      where jsonb_typeof(v.value) = 'string' and ${lowered(sql`v.key`)} = ${segment.key}::text
        and ${trimmed(sql`v.value #>> '{}'`)} <> ''
      order by v.key collate "C" limit 1
    ), ${segment.fallback}::text)`
  })
  return sql<string>`array_to_string(array[${sql.join([sql`''::text`, ...parts], sql`, `)}], '')`
}

function trimmed(text: SQL): SQL {
  return sql`btrim(${text}, ${BLANKS}::text)`
}

/** Removes braces: values stored before imports replaced them may contain some. */
function withoutBraces(text: SQL): SQL {
  return sql`translate(${text}, '{}', '()')`
}

/** Lowercases only A to Z, so that PostgreSQL and JavaScript agree in every locale. */
function lowered(text: SQL): SQL {
  return sql`translate(${text}, 'ABCDEFGHIJKLMNOPQRSTUVWXYZ', 'abcdefghijklmnopqrstuvwxyz')`
}
