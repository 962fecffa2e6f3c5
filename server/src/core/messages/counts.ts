import { type SQL, sql } from 'drizzle-orm'
import { alias } from 'drizzle-orm/pg-core'
import type { AliasOf } from '../../db/columns.ts'
import type { Db } from '../../db/open.ts'
import { lockRows } from '../../db/transact.ts'
import { changedRows, type RowChange } from '../people/lead-counts.ts'
import { dms } from '../tables/messages.ts'

// The counts of messages, in campaigns and in dm_activity. Every statement that changes messages updates the counts.

const IS_FIRST = sql`sent_at is not null and step = 0 and enrollment_id is not null`
const IS_SKIPPED = sql`status = 'failed' and reason is not null`

/** The count columns of `campaigns`, each with SQL for the messages that it counts. */
const OF_CAMPAIGN = {
  dms_queued_count: sql`status = 'queued'`,
  firsts_queued_count: sql`status = 'queued' and not is_follow_up and not is_held`,
  dms_sent_count: sql`status in ('sent', 'delivered', 'replied')`,
  dms_failed_count: sql`status = 'failed'`,
  dms_skipped_count: IS_SKIPPED,
  dms_delivered_count: sql`status in ('delivered', 'replied')`,
  dms_replied_count: sql`status = 'replied'`,
  people_messaged: IS_FIRST,
  people_skipped: sql`${IS_SKIPPED} and step = 0 and enrollment_id is not null`,
  people_replied: sql`${IS_FIRST} and person_answers & 1 > 0`,
  people_positive: sql`${IS_FIRST} and person_answers & 2 > 0`,
}

/** The count columns of `dm_activity`, each with SQL for the messages that it counts. */
const OF_ACTIVITY = {
  sent: sql`sent_at is not null`,
  delivered: sql`status in ('delivered', 'replied')`,
  replied: sql`status = 'replied'`,
  failed: sql`status = 'failed'`,
  skipped: IS_SKIPPED,
  answered: sql`sent_at is not null and answers & 1 > 0`,
  positive: sql`sent_at is not null and answers & 2 > 0`,
  opted_out: sql`sent_at is not null and answers & 4 > 0`,
  people: IS_FIRST,
  people_replied: sql`${IS_FIRST} and person_answers & 1 > 0`,
  people_positive: sql`${IS_FIRST} and person_answers & 2 > 0`,
  people_opted_out: sql`${IS_FIRST} and person_answers & 4 > 0`,
}

type Counts = Record<string, SQL>

const listed = (counts: Counts, text: (name: SQL, isCounted: SQL) => SQL, separator = sql`, `) =>
  sql.join(
    Object.entries(counts).map(([name, isCounted]) => text(sql`${sql.identifier(name)}`, isCounted)),
    separator,
  )
const sums = (counts: Counts) =>
  listed(counts, (name, isCounted) => sql`coalesce(sum(n) filter (where ${isCounted}), 0)::int as ${name}`)
const isAny = (counts: Counts) => listed(counts, (name) => sql`${name} <> 0`, sql` or `)

const ACTIVITY_KEY = sql`workspace_id, campaign_id, activity_slot(coalesce(sent_at, created_at)) as slot,
  coalesce(variant_id, '00000000-0000-0000-0000-000000000000') as variant_id,
  coalesce(x_account_id, '00000000-0000-0000-0000-000000000000') as x_account_id,
  coalesce(user_id, '00000000-0000-0000-0000-000000000000') as user_id`
const IN_ACTIVITY = sql`(sent_at is not null or status = 'failed')`

/** SQL: the columns of a message that its counts depend on. */
export function countedColumns(message: AliasOf<typeof dms> = dms): SQL {
  const { id, workspaceId, campaignId, userId, xAccountId, variantId, enrollmentId, step } = message
  const { status, reason, sentAt, createdAt, isFollowUp, isHeld, answers, personAnswers } = message
  return sql.join(
    [
      ...[id, workspaceId, campaignId, userId, xAccountId, variantId, enrollmentId, step],
      ...[status, reason, sentAt, createdAt, isFollowUp, isHeld, answers, personAnswers],
    ].map((column) => sql`${column}`),
    sql`, `,
  )
}

/**
 * SQL: the assignments that add the counts of `d` to a campaign. They read the campaign's newest
 * row, `locked`: PostgreSQL first checks constraints with the row of its snapshot, which may be
 * older.
 */
export const addedToCampaign: SQL = listed(OF_CAMPAIGN, (name) => sql`${name} = locked.${name} + d.${name}`)

/**
 * SQL: the CTEs `message_changes` and, summed by campaign, `campaign_changes`.
 * @param change CTEs that have `countedColumns`
 */
export function sumMessages(change: RowChange): SQL {
  return sql`message_changes as (${changedRows((part) => countedColumns(alias(dms, part)), change)}
    ), campaign_changes as (
      select campaign_id, ${sums(OF_CAMPAIGN)} from message_changes group by campaign_id
    )`
}

/** SQL: adds `message_changes` to dm_activity. @param campaigns the CTE that locks campaigns */
export function countActivity(campaigns: string): SQL {
  return sql`
    insert into dm_activity as a (workspace_id, campaign_id, slot, variant_id, x_account_id, user_id,
      ${listed(OF_ACTIVITY, (name) => name)})
    select * from (
      select ${ACTIVITY_KEY}, ${sums(OF_ACTIVITY)}
      from message_changes
      where ${IN_ACTIVITY} and (select count(*) from ${sql.identifier(campaigns)}) >= 0
      group by 1, 2, 3, 4, 5, 6
    ) d
    where ${isAny(OF_ACTIVITY)}
    order by campaign_id, slot, variant_id, x_account_id, user_id
    on conflict (campaign_id, slot, variant_id, x_account_id, user_id)
    do update set ${listed(OF_ACTIVITY, (name) => sql`${name} = a.${name} + excluded.${name}`)}`
}

/**
 * SQL: the last CTEs of a statement that changes messages, which count the changes.
 * @param change CTEs that have `countedColumns`
 * @param enrollments a CTE with campaign_id, opened (how many more of the campaign's enrollments
 * are open) and next_at (when one is due). If given, `counted_campaigns` has its campaigns, too
 */
export function countMessages(change: RowChange, enrollments?: string): SQL {
  const source = enrollments
    ? sql`
      select coalesce(m.campaign_id, e.campaign_id) as campaign_id,
        ${listed(OF_CAMPAIGN, (name) => sql`coalesce(m.${name}, 0) as ${name}`)}, coalesce(e.opened, 0) as opened, e.next_at
      from campaign_changes m
      full join ${sql.identifier(enrollments)} e on e.campaign_id = m.campaign_id`
    : sql`
      select *
      from campaign_changes
      where ${isAny(OF_CAMPAIGN)}`
  const ofEnrollments = enrollments
    ? sql`, open_enrollments = locked.open_enrollments + d.opened,
        follow_up_due_at = least(locked.follow_up_due_at, d.next_at)`
    : sql``
  return sql`${sumMessages(change)}, changed_campaigns as (${source}
    ), counted_campaigns as (
      update campaigns c
      set ${addedToCampaign}${ofEnrollments}
      from changed_campaigns d
      join (
        select *
        from campaigns
        where id in (select campaign_id from changed_campaigns)
        order by id
        for no key update
      ) locked on locked.id = d.campaign_id
      where c.id = d.campaign_id
      returning c.id
    ), counted_activity as (${countActivity('counted_campaigns')})`
}

/**
 * Changes messages and their counts. Locks the messages by ascending id.
 * @param which SQL over `dms` @param set SQL: assignments
 * @param returning SQL over `countedColumns` @returns one row per changed message
 */
export async function updateMessages<Row extends Record<string, unknown> = { id: string }>(
  tx: Db,
  which: SQL,
  set: SQL,
  returning: SQL = sql`id`,
): Promise<Row[]> {
  const { rows } = await tx.execute<Row>(sql`
    with old as (
      select ${countedColumns()}
      from dms
      where ${which}
      order by id
      for no key update
    ), changed as (
      update dms
      set ${set}
      where id in (select id from old)
      returning ${countedColumns()}
    ), ${countMessages({ before: 'old', after: 'changed' })}
    select ${returning}
    from changed`)
  return rows as Row[]
}

/** Deletes messages, and subtracts them from the counts. @param which SQL over `dms` */
export async function deleteMessages(tx: Db, which: SQL): Promise<void> {
  await tx.execute(sql`
    with old as (
      select id
      from dms
      where ${which}
      order by id
      for update
    ), deleted as (
      delete from dms
      using old
      where dms.id = old.id
      returning ${countedColumns()}
    ), ${countMessages({ before: 'deleted' })}
    select from deleted`)
}

/** Recounts the messages of campaigns, after they were changed without counting. @param which SQL over `campaigns` */
export async function recountMessages(db: Db, which: SQL = sql`true`): Promise<void> {
  const chosen = sql`(select id from campaigns where ${which})`
  await db.transaction(async (tx) => {
    await lockRows(tx, 'campaigns', which)
    await tx.execute(sql`delete from dm_activity where campaign_id in ${chosen}`)
    await tx.execute(sql`
      with messages as (
        select ${countedColumns()}
        from dms
        where campaign_id in ${chosen}
      ), ${sumMessages({ after: 'messages' })}, counted as (
        update campaigns c
        set ${listed(OF_CAMPAIGN, (name) => sql`${name} = coalesce(d.${name}, 0)`)}
        from ${chosen} chosen
        left join campaign_changes d on d.campaign_id = chosen.id
        where c.id = chosen.id
        returning c.id
      )
      ${countActivity('counted')}`)
  })
}

/**
 * Clears the author of messages before the author's account is deleted. Until the transaction ends,
 * no message can name that author again.
 */
export async function clearAuthor(tx: Db, userId: string): Promise<void> {
  await lockRows(tx, 'auth_users', sql`id = ${userId}`, 'update')
  await updateMessages(tx, sql`user_id = ${userId}`, sql`user_id = null`)
}
