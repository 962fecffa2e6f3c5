import { randomUUID } from 'node:crypto'
import { inArray, type SQL, sql } from 'drizzle-orm'
import type { PgUpdateSetSource } from 'drizzle-orm/pg-core'
import { countedColumns, countMessages, deleteMessages as deletingMessages } from '../src/core/messages/counts.ts'
import { dms } from '../src/core/tables/messages.ts'
import type { Db } from '../src/db/open.ts'
import { matching, type Which, type Writer } from './matching.ts'

// Changes messages as a sender and X would. Each function changes all messages that `which` selects.

type Messages = Which<typeof dms>
type Message = typeof dms.$inferSelect
type Time = Date | SQL
type Change = PgUpdateSetSource<typeof dms>

/** Marks the messages as accepted by X. */
export async function markSent(
  to: Writer,
  which: Messages,
  sentAt: Time = new Date(),
  more: Change = {},
): Promise<void> {
  await change(to, which, { status: 'sent', sentAt, ...more })
}

/** Marks the messages as delivered by X. */
export async function markDelivered(to: Writer, which: Messages, sentAt = new Date()): Promise<void> {
  await change(to, which, { status: 'delivered', sentAt })
}

/** Marks the messages as replied to. */
export async function markReplied(
  to: Writer,
  which: Messages,
  repliedAt = new Date(),
  more: Change = {},
): Promise<void> {
  await change(to, which, { status: 'replied', repliedAt, ...more })
}

/** Marks the messages as failed, or as skipped if `more` has a reason. */
export async function markFailed(to: Writer, which: Messages, more: Change = {}): Promise<Message[]> {
  return change(to, which, { status: 'failed', ...more })
}

/** Sets when a sender claimed the messages; `more` can add a lease. */
export async function markClaimed(
  to: Writer,
  which: Messages,
  claimedAt: Time | null = new Date(),
  more: Change = {},
): Promise<void> {
  await change(to, which, { claimedAt, ...more })
}

/** Moves claims into the past by this number of seconds. */
export async function backdateClaims(to: Writer, which: Messages, seconds: number): Promise<void> {
  await change(to, which, { claimedAt: sql`claimed_at - make_interval(secs => ${seconds})` })
}

/** Lets the messages' leases end in `seconds` seconds; by default, a second ago. */
export async function endLeases(to: Writer, which: Messages, seconds = -1): Promise<void> {
  await change(to, which, { leaseExpiresAt: sql`now() + make_interval(secs => ${seconds})` })
}

/** Sets when the messages are due. */
export async function makeDue(to: Writer, which: Messages, dueAt: Time = new Date()): Promise<void> {
  await change(to, which, { dueAt })
}

/** Sets whether the messages are held. */
export async function holdMessages(to: Writer, which: Messages, isHeld = true): Promise<void> {
  await change(to, which, { isHeld })
}

/** Turns the messages into follow-ups from this X account. */
export async function makeFollowUps(to: Writer, which: Messages, xAccountId: string, more: Change = {}): Promise<void> {
  await change(to, which, { isFollowUp: true, xAccountId, ...more })
}

/** Changes the messages' text, recipient, variant or outcome. */
export async function rewrite(to: Writer, which: Messages, more: Change): Promise<void> {
  await change(to, which, more)
}

/** Makes it unknown whether X got the messages. @param leaseExpiresAt if set, a sender still holds them until then */
export async function loseOutcome(to: Writer, which: Messages, leaseExpiresAt?: Date): Promise<void> {
  const lease = { lease: randomUUID(), holder: 'worker:0', leaseExpiresAt }
  await change(to, which, { outcomeUnknown: true, ...(leaseExpiresAt && lease) })
}

/** Removes claims and unknown outcomes, as if no sender had claimed the messages. */
export async function returnToQueue(to: Writer, which: Messages): Promise<void> {
  await change(to, which, { outcomeUnknown: false, lease: null, holder: null, leaseExpiresAt: null })
}

/** Gives the messages another lease, as if another sender had claimed them. */
export async function changeHolder(to: Writer, which: Messages, more: Change = {}): Promise<void> {
  await change(to, which, { lease: randomUUID(), ...more })
}

/** Makes the messages wait until `until`, because the lead's inbox is unclear; null: it is clear. */
export async function waitForInbox(to: Writer, which: Messages, until: Date | null): Promise<void> {
  await change(to, which, { dueAt: until ?? new Date(), inboxUnclearUntil: until })
}

/** Inserts messages as a campaign would have left them. */
export async function insertMessages({ db }: Writer, rows: (typeof dms.$inferInsert)[]): Promise<Message[]> {
  const { rows: added } = await db.execute<{ id: string }>(sql`
    with added as ${db.insert(dms).values(rows).returning()}, ${countMessages({ after: 'added' })}
    select id from added`)
  return read(db, added)
}

/** Deletes the messages. */
export async function deleteMessages({ db }: Writer, which: Messages): Promise<void> {
  await deletingMessages(db, matching(dms, which) ?? sql`true`)
}

async function change({ db }: Writer, which: Messages, set: Change): Promise<Message[]> {
  const changes = db.update(dms).set(set).where(sql`id in (select id from old)`).returning()
  const { rows: changed } = await db.execute<{ id: string }>(sql`
    with old as (
      select ${countedColumns()}
      from dms
      where ${matching(dms, which) ?? sql`true`}
      order by id
      for no key update
    ), changed as ${changes}, ${countMessages({ before: 'old', after: 'changed' })}
    select id from changed`)
  return read(db, changed)
}

const read = (db: Db, rows: readonly { id: string }[]): Promise<Message[]> =>
  db
    .select()
    .from(dms)
    .where(
      inArray(
        dms.id,
        rows.map(({ id }) => id),
      ),
    )
    .orderBy(dms.id)

/** Copies up to this number of messages as later ones to the same people. */
export async function copyMessages(
  { db }: Writer,
  which: SQL,
  { limit, isFollowUp }: { limit: number; isFollowUp: boolean },
): Promise<void> {
  await db.execute(sql`
    with added as (
      insert into dms (workspace_id, user_id, lead_id, campaign_id, step, message, status, sent_at, is_follow_up)
      select workspace_id, user_id, lead_id, campaign_id, step + 1 + (random() * 1000000)::int, message, status,
        sent_at, ${isFollowUp}::boolean
      from dms
      where ${which}
      limit ${limit}::int
      returning ${countedColumns()}
    ), ${countMessages({ after: 'added' })}
    select from added`)
}

/** Marks the messages as accepted by X, but leaves the counts unchanged. */
export async function markSentUncounted({ db }: Writer, which: Messages): Promise<void> {
  await db.update(dms).set({ status: 'sent', sentAt: new Date() }).where(matching(dms, which))
}
