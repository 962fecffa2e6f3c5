import { UNREAD_MAX } from '@x-automated/contract/notice-limits'
import { NOTICE_DAYS, NOTICE_KINDS, type NoticeFacts, type NoticeKind } from '@x-automated/contract/notices'
import { and, desc, eq, inArray, isNull, sql } from 'drizzle-orm'
import type { FastifyBaseLogger } from 'fastify'
import type { Actor } from '../../actor.ts'
import type { Channels } from '../../db/channels.ts'
import type { Db } from '../../db/open.ts'
import type { Outbox } from '../../jobs/mail.ts'
import { Refusal } from '../../refusal.ts'
import { createSealer } from '../../sealing.ts'
import { noticeMail } from './mails.ts'
import { KIND_WORDS, wordsOf } from './rules.ts'
import { noticePreferences, notices } from './tables.ts'

/** NOTIFY channel on which the database tells of notices; some of them are to be mailed. */
export const MEMBER_NOTICES_CHANNEL = 'member-notices'

const shownTo = ({ userId, workspaceId }: Actor) =>
  and(eq(notices.userId, userId), eq(notices.workspaceId, workspaceId), eq(notices.inApp, true))

/** One page of what the member is told in this workspace, newest first. */
export async function list(db: Db, actor: Actor, { page, pageSize }: { page: number; pageSize: number }) {
  const [rows, total, unread] = await Promise.all([
    db
      .select()
      .from(notices)
      .where(shownTo(actor))
      .orderBy(desc(notices.createdAt), desc(notices.id))
      .limit(pageSize)
      .offset((page - 1) * pageSize),
    db.$count(notices, shownTo(actor)),
    countUnread(db, actor),
  ])
  const shown = rows.map(({ id, kind, facts, readAt, createdAt }) => ({
    id,
    kind,
    ...wordsOf(kind, facts),
    readAt,
    createdAt,
  }))
  return { notices: shown, total, unread, page, pageSize }
}

/** How many are unread, up to UNREAD_MAX. */
export async function countUnread(db: Db, actor: Actor): Promise<number> {
  const { rows } = await db.execute<{ unread: number }>(sql`
    select count(*)::int as unread from (
      select from notices where user_id = ${actor.userId} and workspace_id = ${actor.workspaceId} and in_app and read_at is null
      limit ${UNREAD_MAX}
    ) few`)
  return rows[0]?.unread ?? 0
}

/** Marks those named as read, or all. @returns what is unread still */
export async function markRead(db: Db, actor: Actor, ids: string[] | undefined) {
  await db
    .update(notices)
    .set({ readAt: sql`now()` })
    .where(and(shownTo(actor), isNull(notices.readAt), ids && inArray(notices.id, ids)))
  return { success: true as const, unread: await countUnread(db, actor) }
}

/** Tells the owners of a workspace, as each of them wants to be told, in the caller's transaction. */
export async function tellOwners(tx: Db, workspaceId: string, kind: NoticeKind, facts: NoticeFacts): Promise<void> {
  await tx.execute(sql`
    insert into notices (workspace_id, user_id, kind, facts, in_app, mail)
    select m.workspace_id, m.user_id, ${kind}, ${JSON.stringify(facts)}::jsonb, coalesce(p.in_app, true), coalesce(p.mail, true)
    from workspace_members m left join notice_preferences p on p.user_id = m.user_id and p.kind = ${kind}
    where m.workspace_id = ${workspaceId} and m.role = 'owner' and (coalesce(p.in_app, true) or coalesce(p.mail, true))`)
  await tx.execute(sql`select pg_notify(${MEMBER_NOTICES_CHANNEL}, '')`)
}

// What one wants to be told

export async function listPreferences(db: Db, actor: Actor) {
  const rows = await db.select().from(noticePreferences).where(eq(noticePreferences.userId, actor.userId))
  return {
    preferences: NOTICE_KINDS.map((kind) => {
      const own = rows.find((row) => row.kind === kind)
      return { kind, inApp: own?.inApp ?? true, mail: own?.mail ?? true }
    }),
  }
}

/** Switches a kind on or off, in one way or both; what is left out stays. */
export async function setPreference(
  db: Db,
  actor: Actor,
  { kind, inApp, mail }: { kind: NoticeKind; inApp?: boolean; mail?: boolean },
) {
  await prefer(db, actor.userId, kind, { inApp, mail })
  return listPreferences(db, actor)
}

async function prefer(
  db: Db,
  userId: string,
  kind: NoticeKind,
  ways: { inApp?: boolean | undefined; mail?: boolean | undefined },
): Promise<void> {
  const set = {
    ...(ways.inApp === undefined ? {} : { inApp: ways.inApp }),
    ...(ways.mail === undefined ? {} : { mail: ways.mail }),
  }
  const insert = db.insert(noticePreferences).values({ userId, kind, ...set })
  const target = [noticePreferences.userId, noticePreferences.kind]
  if (Object.keys(set).length === 0) await insert.onConflictDoNothing()
  else await insert.onConflictDoUpdate({ target, set })
}

// Mails

interface MailContext {
  db: Db
  outbox: Outbox
  origin: string
  env: { authSecret: string }
}

/** Mails of one transaction. */
const BATCH = 100
const LOOK_EVERY_MS = 60_000

/**
 * Puts the mails of notices into the queue, each in the transaction that notes it: so each goes out once, whichever process comes first.
 * @returns how many
 */
export async function mailNotices({ db, outbox, origin, env }: MailContext): Promise<number> {
  return db.transaction(async (tx) => {
    const { rows } = await tx.execute<Due>(sql`
      with due as (
        select id from notices where mail and mailed_at is null order by created_at limit ${BATCH} for update skip locked
      )
      update notices n set mailed_at = now() from due, auth_users u, workspaces w
      where n.id = due.id and u.id = n.user_id and w.id = n.workspace_id
      returning n.kind, n.facts, n.user_id as "userId", u.email, w.name as workspace`)
    const sealer = unsubscribeSealer(env.authSecret)
    const mails = rows.map(({ kind, facts, userId, email, workspace }) => {
      const token = sealer.seal(`${userId} ${kind}`)
      const unsubscribeLink = `${origin}/api/notices/unsubscribe?token=${token}`
      return noticeMail({ email, workspace, origin, unsubscribeLink }, kind, wordsOf(kind, facts))
    })
    await outbox.postAll(tx, mails)
    return rows.length
  })
}

type Due = { kind: NoticeKind; facts: NoticeFacts; userId: string; email: string; workspace: string }

/** Mails notices whenever the database tells of some, and now and then, as a word may be missed. */
export function workOnNoticeMails(
  context: MailContext & { channels: Channels },
  log: FastifyBaseLogger,
): { close(): Promise<void> } {
  let closed = false
  let wanted = false
  let underWay: Promise<void> | null = null
  const run = async () => {
    while (wanted && !closed) {
      wanted = false
      while (!closed && (await mailNotices(context)) === BATCH);
    }
  }
  const look = () => {
    wanted = true
    underWay ??= run()
      .catch((error) => log.warn({ err: error }, 'mailing notices failed and is tried again within a minute'))
      .finally(() => {
        underWay = null
      })
  }
  const stop = context.channels.subscribe(MEMBER_NOTICES_CHANNEL, look)
  const timer = setInterval(look, LOOK_EVERY_MS)
  look()
  return {
    async close() {
      closed = true
      clearInterval(timer)
      stop()
      await underWay
    },
  }
}

function unsubscribeSealer(secret: string) {
  return createSealer(secret, 'x-automated notices unsubscribe')
}

/** Ends mails of one kind to one person. @returns what they are about. @throws Refusal INVALID_CODE */
export async function unsubscribe(
  { db, env }: { db: Db; env: { authSecret: string } },
  token: string,
): Promise<string> {
  const [userId = '', name] = opened(env.authSecret, token).split(' ')
  const kind = NOTICE_KINDS.find((one) => one === name)
  if (!kind) throw new Refusal('INVALID_CODE')
  const { rows } = await db.execute(sql`select from auth_users where id = ${userId}`)
  // Whoever has deleted their account gets no mails anyway.
  if (rows.length > 0) await prefer(db, userId, kind, { mail: false })
  return KIND_WORDS[kind]
}

function opened(secret: string, token: string): string {
  try {
    return unsubscribeSealer(secret).open(token)
  } catch {
    throw new Refusal('INVALID_CODE')
  }
}

/** Forgets notices that are older than NOTICE_DAYS. */
export async function forgetOldNotices(db: Db): Promise<void> {
  await db.delete(notices).where(sql`${notices.createdAt} < now() - make_interval(days => ${NOTICE_DAYS})`)
}
