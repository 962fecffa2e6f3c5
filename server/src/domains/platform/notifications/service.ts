import type { InputOf } from '@x-automated/contract/contract'
import { UNREAD_MAX } from '@x-automated/contract/platform/notification-limits'
import {
  NOTIFICATION_DAYS,
  NOTIFICATION_KINDS,
  type NotificationFacts,
  type NotificationKind,
} from '@x-automated/contract/platform/notifications'
import { and, desc, eq, inArray, isNull, sql } from 'drizzle-orm'
import type { FastifyBaseLogger } from 'fastify'
import type { Actor } from '../../../actor.ts'
import type { Channels } from '../../../db/channels.ts'
import { one } from '../../../db/one.ts'
import type { Db } from '../../../db/open.ts'
import { Refusal } from '../../../refusal.ts'
import type { RequestContext } from '../../../requests/context.ts'
import { createSealer } from '../../../sealing.ts'
import { publishEvents } from '../events/service.ts'
import { notificationEmail } from './emails.ts'
import { KIND_TOPICS, notificationText } from './rules.ts'
import { notificationPreferences, notifications } from './tables.ts'

/** NOTIFY channel on which the database announces new notifications, some of them to be emailed. */
export const MEMBER_NOTIFICATIONS_CHANNEL = 'member-notifications'

const visibleTo = ({ userId, workspaceId }: Actor) =>
  and(eq(notifications.userId, userId), eq(notifications.workspaceId, workspaceId), eq(notifications.inApp, true))

/** One page of the member's notifications in this workspace, newest first. */
export async function list(db: Db, actor: Actor, { page, pageSize }: InputOf<'notifications', 'list'>) {
  const [rows, total, unread] = await Promise.all([
    db
      .select()
      .from(notifications)
      .where(visibleTo(actor))
      .orderBy(desc(notifications.createdAt), desc(notifications.id))
      .limit(pageSize)
      .offset((page - 1) * pageSize),
    db.$count(notifications, visibleTo(actor)),
    countUnread(db, actor),
  ])
  const shown = rows.map(({ id, kind, facts, readAt, createdAt }) => ({
    id,
    kind,
    ...notificationText(kind, facts),
    readAt,
    createdAt,
  }))
  return { notifications: shown, total, unread, page, pageSize }
}

/** Counts unread notifications, up to UNREAD_MAX. */
export async function countUnread(db: Db, actor: Actor): Promise<number> {
  const { rows } = await db.execute<{ unread: number }>(sql`
    select count(*)::int as unread from (
      select from notifications where user_id = ${actor.userId} and workspace_id = ${actor.workspaceId} and in_app and read_at is null
      limit ${UNREAD_MAX}
    ) unread`)
  return one(rows).unread
}

/** Marks the given notifications as read, or all. @returns how many remain unread */
export async function markRead(db: Db, actor: Actor, ids: string[] | undefined) {
  await db
    .update(notifications)
    .set({ readAt: sql`now()` })
    .where(and(visibleTo(actor), isNull(notifications.readAt), ids && inArray(notifications.id, ids)))
  // For other devices.
  await publishEvents(db, actor.workspaceId, 'notification', ids ?? [], actor.userId)
  return { success: true as const, unread: await countUnread(db, actor) }
}

/** Notifies the owners of a workspace by their preferences, in the caller's transaction. */
export async function notifyOwners(
  tx: Db,
  workspaceId: string,
  kind: NotificationKind,
  facts: NotificationFacts,
): Promise<void> {
  const { rows } = await tx.execute<{ id: string; userId: string }>(sql`
    insert into notifications (workspace_id, user_id, kind, facts, in_app, email)
    select m.workspace_id, m.user_id, ${kind}, ${JSON.stringify(facts)}::jsonb, coalesce(p.in_app, true), coalesce(p.email, true)
    from workspace_members m left join notification_preferences p on p.user_id = m.user_id and p.kind = ${kind}
    where m.workspace_id = ${workspaceId} and m.role = 'owner' and (coalesce(p.in_app, true) or coalesce(p.email, true))
    returning id, user_id as "userId"`)
  for (const { id, userId } of rows) await publishEvents(tx, workspaceId, 'notification', [id], userId)
  await tx.execute(sql`select pg_notify(${MEMBER_NOTIFICATIONS_CHANNEL}, '')`)
}

// Preferences

export async function listPreferences(db: Db, actor: Actor) {
  const rows = await db.select().from(notificationPreferences).where(eq(notificationPreferences.userId, actor.userId))
  return {
    preferences: NOTIFICATION_KINDS.map((kind) => {
      const own = rows.find((row) => row.kind === kind)
      return { kind, inApp: own?.inApp ?? true, email: own?.email ?? true }
    }),
  }
}

/** Turns a kind on or off in the app, by email, or both; omitted channels keep their setting. */
export async function setPreference(
  db: Db,
  actor: Actor,
  { kind, inApp, email }: InputOf<'notifications', 'setPreference'>,
) {
  await savePreference(db, actor.userId, kind, { inApp, email })
  return listPreferences(db, actor)
}

async function savePreference(
  db: Db,
  userId: string,
  kind: NotificationKind,
  channels: { inApp?: boolean | undefined; email?: boolean | undefined },
): Promise<void> {
  const set = {
    ...(channels.inApp === undefined ? {} : { inApp: channels.inApp }),
    ...(channels.email === undefined ? {} : { email: channels.email }),
  }
  const insert = db.insert(notificationPreferences).values({ userId, kind, ...set })
  const target = [notificationPreferences.userId, notificationPreferences.kind]
  if (Object.keys(set).length === 0) await insert.onConflictDoNothing()
  else await insert.onConflictDoUpdate({ target, set })
}

// Emails

type EmailContext = Pick<RequestContext, 'db' | 'outbox' | 'origin' | 'env'>

/** Emails queued in one transaction. */
const BATCH = 100
const POLL_MS = 60_000

/** Queues due emails and marks them in one transaction. @returns how many */
export async function queueNotificationEmails({ db, outbox, origin, env }: EmailContext): Promise<number> {
  return db.transaction(async (tx) => {
    const { rows } = await tx.execute<Due>(sql`
      with due as (
        select id from notifications where email and emailed_at is null order by created_at limit ${BATCH} for update skip locked
      )
      update notifications n set emailed_at = now() from due, auth_users u, workspaces w
      where n.id = due.id and u.id = n.user_id and w.id = n.workspace_id
      returning n.kind, n.facts, n.user_id as "userId", u.email, w.name as workspace`)
    const sealer = unsubscribeSealer(env.authSecret)
    const emails = rows.map(({ kind, facts, userId, email, workspace }) => {
      const token = sealer.seal(`${userId} ${kind}`)
      const unsubscribeLink = `${origin}/api/notifications/unsubscribe?token=${token}`
      return notificationEmail({ email, workspace, origin, unsubscribeLink }, kind, notificationText(kind, facts))
    })
    await outbox.postAll(tx, emails)
    return rows.length
  })
}

type Due = { kind: NotificationKind; facts: NotificationFacts; userId: string; email: string; workspace: string }

/** Emails notifications when the database announces them, and every minute in case one was lost. */
export function startNotificationEmails(
  context: EmailContext & { channels: Channels },
  log: FastifyBaseLogger,
): { close(): Promise<void> } {
  let closed = false
  let requested = false
  let running: Promise<void> | null = null
  const run = async () => {
    while (requested && !closed) {
      requested = false
      while (!closed && (await queueNotificationEmails(context)) === BATCH);
    }
  }
  const check = () => {
    requested = true
    running ??= run()
      .catch((error) => log.warn({ err: error }, 'could not queue notification emails; retrying within a minute'))
      .finally(() => {
        running = null
      })
  }
  const unsubscribeFromChannel = context.channels.subscribe(MEMBER_NOTIFICATIONS_CHANNEL, check)
  const timer = setInterval(check, POLL_MS)
  check()
  return {
    async close() {
      closed = true
      clearInterval(timer)
      unsubscribeFromChannel()
      await running
    },
  }
}

// Do not change the purpose: links in emails that were already sent are sealed with it.
function unsubscribeSealer(secret: string) {
  return createSealer(secret, 'x-automated notices unsubscribe')
}

/** Stops emails of one kind to one person. @returns what they are about */
export async function unsubscribe(
  { db, env }: { db: Db; env: { authSecret: string } },
  token: string,
): Promise<string> {
  const [userId = '', name] = openToken(env.authSecret, token).split(' ')
  const kind = NOTIFICATION_KINDS.find((one) => one === name)
  if (!kind) throw new Refusal('INVALID_CODE')
  const { rows } = await db.execute(sql`select from auth_users where id = ${userId}`)
  // A deleted account gets no emails anyway.
  if (rows.length > 0) await savePreference(db, userId, kind, { email: false })
  return KIND_TOPICS[kind]
}

function openToken(secret: string, token: string): string {
  try {
    return unsubscribeSealer(secret).open(token)
  } catch {
    throw new Refusal('INVALID_CODE')
  }
}

/** Deletes notifications older than NOTIFICATION_DAYS. */
export async function purgeOldNotifications(db: Db): Promise<void> {
  await db
    .delete(notifications)
    .where(sql`${notifications.createdAt} < now() - make_interval(days => ${NOTIFICATION_DAYS})`)
}
