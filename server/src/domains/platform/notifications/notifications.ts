import type { InputOf } from '@x-automated/contract/contract'
import { UNREAD_MAX } from '@x-automated/contract/platform/notification-limits'
import {
  DEFAULT_REPLY_LABELS,
  NOTIFICATION_DAYS,
  NOTIFICATION_KINDS,
  type NotificationFacts,
  type NotificationKind,
} from '@x-automated/contract/platform/notifications'
import { DAY_MS } from '@x-automated/contract/time'
import { and, desc, eq, inArray, isNull, sql } from 'drizzle-orm'
import type { FastifyBaseLogger } from 'fastify'
import type { Actor } from '../../../actor.ts'
import type { NewReply } from '../../../core/neighbors.ts'
import type { Channels } from '../../../db/channels.ts'
import { one } from '../../../db/one.ts'
import type { Db } from '../../../db/open.ts'
import { Refusal } from '../../../refusal.ts'
import type { RequestContext } from '../../../requests/context.ts'
import { createSealer } from '../../../sealing.ts'
import { findNames } from '../../identity/people/members.ts'
import { publishEvents } from '../events/events.ts'
import { EVENTS_CHANNEL } from '../events/recording.ts'
import { digestEmail, notificationEmail } from './emails.ts'
import { KIND_TOPICS, notificationText } from './rules.ts'
import { notificationPreferences, notifications } from './tables.ts'

/** NOTIFY channel on which the database announces new notifications, some of them to be emailed. */
export const MEMBER_NOTIFICATIONS_CHANNEL = 'member-notifications'

const visibleTo = ({ userId, workspaceId }: Actor) =>
  and(eq(notifications.userId, userId), eq(notifications.workspaceId, workspaceId), eq(notifications.inApp, true))

const shownByBrowser = ({ userId, workspaceId }: Actor) =>
  and(eq(notifications.userId, userId), eq(notifications.workspaceId, workspaceId), eq(notifications.browser, true))

/** One page of the member's notifications in this workspace, newest first. */
export async function list(db: Db, actor: Actor, { page, pageSize, browser }: InputOf<'notifications', 'list'>) {
  const listed = browser ? shownByBrowser(actor) : visibleTo(actor)
  const [rows, total, unread] = await Promise.all([
    db
      .select()
      .from(notifications)
      .where(listed)
      .orderBy(desc(notifications.createdAt), desc(notifications.id))
      .limit(pageSize)
      .offset((page - 1) * pageSize),
    db.$count(notifications, listed),
    countUnread(db, actor),
  ])
  const [open, names] = await Promise.all([existing(db, actor, rows), namesIn(db, rows)])
  const items = rows.map(({ id, kind, facts, readAt, createdAt }) => ({
    id,
    kind,
    ...notificationText(
      kind,
      open.has(facts.conversationId) ? facts : { ...facts, conversationId: undefined },
      names.get(facts.personId ?? ''),
    ),
    readAt,
    createdAt,
  }))
  return { notifications: items, total, unread, page, pageSize }
}

/** The names of people in notifications, by id. */
function namesIn(db: Db, rows: readonly { facts: NotificationFacts }[]) {
  return findNames(
    db,
    rows.flatMap(({ facts }) => facts.personId ?? []),
  )
}

/** The conversations that notifications link to and that still exist, that is, were neither merged nor deleted. */
async function existing(db: Db, { workspaceId }: Actor, rows: readonly { facts: NotificationFacts }[]) {
  const linked = rows.flatMap(({ facts }) => facts.conversationId ?? [])
  if (linked.length === 0) return new Set<string | undefined>()
  const result = await db.execute<{ id: string }>(sql`
    select id from conversations where workspace_id = ${workspaceId} and id = any(${sql.param(linked)}::uuid[])`)
  return new Set<string | undefined>(result.rows.map(({ id }) => id))
}

/** Counts unread notifications, up to UNREAD_MAX. */
export async function countUnread(db: Db, actor: Actor): Promise<number> {
  const { rows } = await db.execute<{ unread: number }>(sql`
    select count(*)::int as unread from (
      select
      from notifications
      where user_id = ${actor.userId} and workspace_id = ${actor.workspaceId} and in_app and read_at is null
      limit ${UNREAD_MAX}
    ) unread`)
  return one(rows).unread
}

/** Marks the given notifications as read, or all of them. @returns how many remain unread */
export async function markRead(db: Db, actor: Actor, ids: string[] | undefined) {
  await db
    .update(notifications)
    .set({ readAt: sql`now()` })
    .where(and(visibleTo(actor), isNull(notifications.readAt), ids && inArray(notifications.id, ids)))
  // Informs the person's other devices.
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
    select m.workspace_id, m.user_id, ${kind}, ${JSON.stringify(facts)}::jsonb, coalesce(p.in_app, true),
      coalesce(p.email, true)
    from workspace_members m left join notification_preferences p on p.user_id = m.user_id and p.kind = ${kind}
    where m.workspace_id = ${workspaceId} and m.role = 'owner' and (coalesce(p.in_app, true) or coalesce(p.email, true))
    returning id, user_id as "userId"`)
  await publishToEach(tx, workspaceId, rows)
  await tx.execute(sql`select pg_notify(${MEMBER_NOTIFICATIONS_CHANNEL}, '')`)
}

/** Publishes each person's notification to that person. */
async function publishToEach(tx: Db, workspaceId: string, rows: readonly { id: string; userId: string }[]) {
  await tx.execute(sql`
    select pg_notify(${EVENTS_CHANNEL}, concat_ws(' ', ${workspaceId}::text, 'notification', n.id, n."userId"))
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as n(id text, "userId" text)`)
}

/**
 * Notifies members of replies by their preferences, in the transaction that stores the replies.
 * Viewers have no inbox.
 */
export async function notifyReplies(tx: Db, workspaceId: string, replies: readonly NewReply[]): Promise<void> {
  // Older replies were found late, for instance after the account was connected again.
  const recent = replies.filter(({ at }) => at.getTime() >= Date.now() - DAY_MS)
  if (recent.length === 0) return
  const isChosen = sql`r.label is null or r.label = any(coalesce(p.labels, ${sql.param(DEFAULT_REPLY_LABELS)}::text[]))`
  const { rows } = await tx.execute<{ id: string; userId: string }>(sql`
    insert into notifications (workspace_id, user_id, kind, facts, in_app, email, browser, is_digest)
    select m.workspace_id, m.user_id, 'lead_replied', jsonb_strip_nulls(jsonb_build_object(
        'leadName', coalesce(nullif(l.name, ''), '@' || l.twitter_handle), 'label', r.label, 'conversationId', c.id)),
      coalesce(p.in_app, true), coalesce(p.email, true), coalesce(p.browser, false),
      coalesce(p.frequency = 'daily', false)
    from jsonb_to_recordset(${JSON.stringify(recent)}::jsonb) as r("leadId" uuid, "accountXUserId" text, label text)
      join workspace_members m on m.workspace_id = ${workspaceId} join leads l on l.id = r."leadId"
      left join conversations c on c.workspace_id = m.workspace_id
        and c.lead_id = l.id
        and c.account_x_user_id = r."accountXUserId"
      left join notification_preferences p on p.user_id = m.user_id and p.kind = 'lead_replied'
    where m.role <> 'viewer' and (${isChosen}) and (coalesce(p.in_app, true) or coalesce(p.email, true) or p.browser)
    order by m.user_id
    returning id, user_id as "userId"`)
  await publishToEach(tx, workspaceId, rows)
  if (rows.length > 0) await tx.execute(sql`select pg_notify(${MEMBER_NOTIFICATIONS_CHANNEL}, '')`)
}

// Preferences

export async function listPreferences(db: Db, actor: Actor) {
  const rows = await db.select().from(notificationPreferences).where(eq(notificationPreferences.userId, actor.userId))
  return {
    preferences: NOTIFICATION_KINDS.map((kind) => {
      const own = rows.find((row) => row.kind === kind)
      const channels = { kind, inApp: own?.inApp ?? true, email: own?.email ?? true }
      if (kind !== 'lead_replied') return channels
      return {
        ...channels,
        browser: own?.browser ?? false,
        frequency: own?.frequency ?? ('immediate' as const),
        labels: own?.labels ?? DEFAULT_REPLY_LABELS,
      }
    }),
  }
}

/** Turns a kind on or off in the app, by email, or both; omitted channels keep their setting. */
export async function setPreference(
  db: Db,
  actor: Actor,
  { kind, ...change }: InputOf<'notifications', 'setPreference'>,
) {
  await savePreference(db, actor.userId, kind, change)
  return listPreferences(db, actor)
}

async function savePreference(
  db: Db,
  userId: string,
  kind: NotificationKind,
  change: Omit<InputOf<'notifications', 'setPreference'>, 'kind'>,
): Promise<void> {
  const set = Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined))
  const insert = db.insert(notificationPreferences).values({ userId, kind, ...set })
  const target = [notificationPreferences.userId, notificationPreferences.kind]
  if (Object.keys(set).length === 0) await insert.onConflictDoNothing()
  else await insert.onConflictDoUpdate({ target, set })
}

// Emails

type EmailContext = Pick<RequestContext, 'db' | 'outbox' | 'origin' | 'env'>

/** Maximum number of emails queued in one transaction. */
const BATCH = 100
const POLL_MS = 60_000

/** Queues due emails and marks them in one transaction. @returns the number of emails */
export async function queueNotificationEmails({ db, outbox, origin, env }: EmailContext): Promise<number> {
  return db.transaction(async (tx) => {
    const { rows } = await tx.execute<Due & { isWanted: boolean }>(sql`
      with due as (
        select id
        from notifications
        where email and emailed_at is null and not is_digest
        order by created_at
        limit ${BATCH}
        for update skip locked
      )
      update notifications n set emailed_at = now() from due, auth_users u, workspaces w
      where n.id = due.id and u.id = n.user_id and w.id = n.workspace_id
      returning n.kind, n.facts, n.user_id as "userId", u.email, w.name as workspace, exists (
        select from workspace_members m where m.workspace_id = n.workspace_id and m.user_id = n.user_id
          and (n.kind <> 'lead_replied' or m.role <> 'viewer')) as "isWanted"`)
    const names = await namesIn(tx, rows)
    const sealer = unsubscribeSealer(env.authSecret)
    // Former members get nothing, and viewers get no replies.
    const wanted = rows.filter(({ isWanted }) => isWanted)
    const emails = wanted.map(({ kind, facts, userId, email, workspace }) => {
      const token = sealer.seal(`${userId} ${kind}`)
      const unsubscribeLink = `${origin}/api/notifications/unsubscribe?token=${token}`
      return notificationEmail(
        { email, workspace, origin, unsubscribeLink },
        kind,
        notificationText(kind, facts, names.get(facts.personId ?? '')),
      )
    })
    await outbox.postAll(tx, emails)
    return rows.length
  })
}

/** Maximum number of digests queued in one transaction. */
const DIGESTS = 20
/** Maximum number of replies named in such an email. */
const DIGEST_LINES = 20

/** Emails the replies of a day, which starts with the first reply. @returns the number of emails */
export async function queueDigests({ db, outbox, origin, env }: EmailContext): Promise<number> {
  return db.transaction(async (tx) => {
    const { rows } = await tx.execute<Due & { count: number; all: NotificationFacts[] }>(sql`
      with waiting as (
        select distinct user_id, workspace_id from notifications
        where email and emailed_at is null and is_digest and created_at < now() - interval '1 day' limit ${DIGESTS}
      ), due as (
        update notifications n set emailed_at = now() from waiting w
        where n.user_id = w.user_id
          and n.workspace_id = w.workspace_id
          and n.email
          and n.emailed_at is null
          and n.is_digest
        returning n.user_id, n.workspace_id, n.facts, n.created_at
      )
      select d.user_id as "userId", u.email, w.name as workspace, count(*)::int as count,
        to_jsonb((array_agg(d.facts order by d.created_at))[1:${sql`${DIGEST_LINES}`.inlineParams()}]) as all
      from due d join auth_users u on u.id = d.user_id join workspaces w on w.id = d.workspace_id
        join workspace_members m on m.workspace_id = d.workspace_id and m.user_id = d.user_id and m.role <> 'viewer'
      group by d.user_id, u.email, d.workspace_id, w.name`)
    const sealer = unsubscribeSealer(env.authSecret)
    const emails = rows.map(({ userId, email, workspace, count, all }) => {
      const unsubscribeLink = `${origin}/api/notifications/unsubscribe?token=${sealer.seal(`${userId} lead_replied`)}`
      const texts = all.map((facts) => notificationText('lead_replied', facts))
      return digestEmail({ email, workspace, origin, unsubscribeLink }, texts, count)
    })
    await outbox.postAll(tx, emails)
    return rows.length
  })
}

type Due = { kind: NotificationKind; facts: NotificationFacts; userId: string; email: string; workspace: string }

/** Emails notifications when the database announces them, and every minute in case an announcement was lost. */
export function startNotificationEmails(
  context: EmailContext & { channels: Channels },
  log: FastifyBaseLogger,
): { close(): Promise<void> } {
  let closed = false
  let requested = false
  let isMinute = true
  let running: Promise<void> | null = null
  const run = async () => {
    while (requested && !closed) {
      requested = false
      while (!closed && (await queueNotificationEmails(context)) === BATCH);
      if (!isMinute) continue
      isMinute = false
      while (!closed && (await queueDigests(context)) === DIGESTS);
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
  const timer = setInterval(() => {
    isMinute = true
    check()
  }, POLL_MS)
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

/** Stops emails of one kind to one person. @returns the topic of these emails */
export async function unsubscribe(
  { db, env }: { db: Db; env: { authSecret: string } },
  token: string,
): Promise<string> {
  const [userId = '', name] = openToken(env.authSecret, token).split(' ')
  const kind = NOTIFICATION_KINDS.find((candidate) => candidate === name)
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
