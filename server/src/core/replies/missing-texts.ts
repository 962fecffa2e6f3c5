import { REPLY_TEXT_MAX } from '@x-automated/contract/outreach/replies'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '@x-automated/contract/time'
import { eq, sql } from 'drizzle-orm'
import type { Db } from '../../db/open.ts'
import { transact } from '../../db/transact.ts'
import { X_KEEPS_DAYS, xAccounts } from '../../domains/platform/x-account/tables.ts'
import { XError } from '../../outside/x-errors.ts'
import type { JobQueue } from '../../ports.ts'
import { allowsTexts, type XAccount } from '../messages/accounts.ts'
import { publishEvents, withAccount } from '../neighbors.ts'
import { PAGE_SIZE, type WatchContext } from './pages.ts'

/*
 * Messages that arrived without consent have no text. After the consent, X is asked for those that
 * it still has, one conversation at a time, because a list of all messages would also cost the
 * messages of strangers.
 */

/** A conversation with messages whose text X still has and we do not. */
export type Missing = {
  leadId: string
  /** The X id of the lead. */
  personXUserId: string
  /** The number of messages without a text. */
  missing: number
  /** The time of the latest of them. */
  at: string
  /** The number of messages from X to request, so that the oldest of them is listed. */
  size: number
}

interface Page {
  limit: number
  /** Continues after this conversation. */
  before: { at: string; leadId: string } | null
}

/** Finds these conversations of an account, latest first. Encrypted messages have no text to read. */
export async function findMissing(
  db: Db,
  { id, workspaceId, xUserId }: Pick<XAccount, 'id' | 'workspaceId' | 'xUserId'>,
  { limit, before }: Page | { limit: null; before: null } = { limit: null, before: null },
): Promise<Missing[]> {
  const since = new Date(Date.now() - X_KEEPS_DAYS * DAY_MS).toISOString()
  const { rows } = await db.execute<Missing>(sql`
    select m.lead_id as "leadId", l.x_user_id as "personXUserId", m.missing, m.at::text, least(${PAGE_SIZE.most}::int, (
      select count(*) from replies r
      where r.lead_id = m.lead_id and r.account_x_user_id = ${xUserId} and r.at >= m.since
    ) + (
      select count(*) from dms d
      where d.lead_id = m.lead_id and d.x_account_id = ${id} and coalesce(d.sent_at, d.claimed_at) >= m.since
    ))::int as size
    from (
      select r.lead_id, count(*)::int as missing, max(r.at) as at, min(r.at) as since from replies r
      where r.workspace_id = ${workspaceId} and r.account_x_user_id = ${xUserId}
        and r.text is null and r.at > ${since}::timestamptz
      group by r.lead_id
    ) m
    join leads l on l.id = m.lead_id and l.x_user_id is not null
    join conversations c on c.workspace_id = ${workspaceId} and c.lead_id = m.lead_id
      and c.account_x_user_id = ${xUserId} and not c.is_encrypted
    where (m.at, m.lead_id) < (
      coalesce(${before?.at ?? null}::timestamptz, 'infinity'),
      coalesce(${before?.leadId ?? null}::uuid, 'ffffffff-ffff-ffff-ffff-ffffffffffff')
    )
    order by m.at desc, m.lead_id desc limit ${limit}`)
  return rows
}

/** X allows 15 such calls in 15 minutes. The others are for messages whose outcome is unknown. */
const CONVERSATIONS_AT_A_TIME = 10
const PAUSE_MS = 15 * MINUTE_MS

/** Reads the missing texts of an account in the background, the latest conversations first. */
export async function startReadingBack(
  db: Db,
  jobs: JobQueue,
  accountId: string,
  { before = null, inMs = 0 }: { before?: Page['before']; inMs?: number } = {},
): Promise<void> {
  const startAfterSeconds = Math.ceil(inMs / 1_000)
  await jobs.enqueue(db, 'read-back', { accountId, before }, { startAfterSeconds, key: accountId })
}

/** Reads the missing texts of a few conversations, and schedules the next ones. */
export async function readBack(
  context: WatchContext,
  { accountId, before }: { accountId: string; before: Page['before'] },
): Promise<void> {
  const { db } = context.database
  const [account] = await db.select().from(xAccounts).where(eq(xAccounts.id, accountId))
  if (account?.status === 'disconnected' || !account?.storesConversations) return
  const conversations = await findMissing(db, account, { limit: CONVERSATIONS_AT_A_TIME, before })
  let last = before
  for (const { leadId, at, personXUserId, size } of conversations) {
    try {
      const { messages } = await withAccount(context, accountId, (x, accessToken) =>
        x.listMessages(accessToken, personXUserId, { cursor: null, size }),
      )
      await storeTexts(db, account, messages)
    } catch (error) {
      if (!(error instanceof XError)) throw error
      const inMs = waitOf(error)
      if (inMs !== null) return startReadingBack(db, context.jobs, accountId, { before: last, inMs })
    }
    last = { at, leadId }
  }
  if (conversations.length === CONVERSATIONS_AT_A_TIME)
    await startReadingBack(db, context.jobs, accountId, { before: last, inMs: PAUSE_MS })
}

/** Errors after which the same call may succeed later. Others concern one conversation. */
const LATER = new Set<XError['kind']>(['rate-limit', 'funds', 'unavailable', 'unauthorized', 'account', 'app'])

/** How long to wait after an error; null: X does not show this conversation. */
function waitOf({ kind, retryAt }: XError): number | null {
  if (!LATER.has(kind)) return null
  return Math.min(HOUR_MS, Math.max(PAUSE_MS, (retryAt?.getTime() ?? 0) - Date.now()))
}

/** Stores texts of messages that have none, unless the consent was revoked in the meantime. */
async function storeTexts(
  db: Db,
  { workspaceId, xUserId }: Pick<XAccount, 'workspaceId' | 'xUserId'>,
  messages: readonly { id: string; text: string }[],
): Promise<void> {
  const rows = messages.map(({ id, text }) => ({ id, text: text.slice(0, REPLY_TEXT_MAX) }))
  await transact(db, async (tx) => {
    if (!(await allowsTexts(tx, workspaceId, xUserId))) return
    const { rowCount } = await tx.execute(sql`
      update replies r set text = x.text
      from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as x(id text, text text)
      where r.workspace_id = ${workspaceId} and r.x_event_id = x.id and r.account_x_user_id = ${xUserId}
        and r.text is null`)
    if (rowCount) await publishEvents(tx, workspaceId, 'conversation', [])
  })
}
