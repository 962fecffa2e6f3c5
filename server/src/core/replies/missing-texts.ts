import { REPLY_TEXT_MAX } from '@x-automated/contract/outreach/replies'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '@x-automated/contract/time'
import { eq, type SQL, sql } from 'drizzle-orm'
import { alias } from 'drizzle-orm/pg-core'
import type { AliasOf } from '../../db/columns.ts'
import { one } from '../../db/one.ts'
import type { Db } from '../../db/open.ts'
import { storable } from '../../db/storable.ts'
import { transact } from '../../db/transact.ts'
import { X_KEEPS_DAYS, xAccounts } from '../../domains/platform/x-account/tables.ts'
import { XError } from '../../outside/x-errors.ts'
import type { JobQueue, Jobs } from '../../ports.ts'
import { allowsTexts, type XAccount } from '../messages/accounts.ts'
import { publishEvents, withAccount } from '../neighbors.ts'
import { replies } from '../tables/replies.ts'
import { PAGE_SIZE, type WatchContext } from './pages.ts'

/*
 * Messages that arrived without consent have no text. After the consent, X is asked for those that
 * it still has, one conversation at a time, because a list of all messages would also cost the
 * messages of strangers.
 */

type Job = Jobs['read-back']

/** The most conversations that one consent reads, and that its price includes. */
const CONVERSATIONS_MAX = 1_000

/** A conversation with messages whose text X still has and we do not. */
type ConversationGap = {
  leadId: string
  /** The X id of the lead. */
  personXUserId: string
  /** The number of messages without a text, up to the size of a page. */
  textCount: number
  /** The time of the latest of them. */
  at: string
  /** The number of messages from X to request, so that the oldest of them is listed. */
  size: number
}

interface GapPage {
  /** Messages after this time are ignored, so that new ones never add to the price. */
  until: string
  /** Continues after this conversation. */
  before: Job['before']
  limit: number
}

/** SQL: these conversations of an account, latest first. Encrypted messages have no text to read. */
function conversationGaps(
  { id, workspaceId, xUserId }: Pick<XAccount, 'id' | 'workspaceId' | 'xUserId'>,
  { until, before, limit }: GapPage,
): SQL {
  const since = new Date(Date.now() - X_KEEPS_DAYS * DAY_MS).toISOString()
  const isMissing = (r: AliasOf<typeof replies>) => sql`
    ${r.workspaceId} = ${workspaceId} and ${r.accountXUserId} = ${xUserId} and ${r.text} is null
      and ${r.at} > ${since}::timestamptz and ${r.at} <= ${until}::timestamptz`
  // The latest missing text of a conversation stands for it. An index lists them, so a page reads only
  // its own conversations.
  return sql`
    select latest.lead_id as "leadId", latest.x_user_id as "personXUserId", latest.at::text,
      least(${PAGE_SIZE.most}::int, gap.text_count)::int as "textCount", least(${PAGE_SIZE.most}::int, (
        select count(*) from replies r
        where r.lead_id = latest.lead_id and r.account_x_user_id = ${xUserId}
          and r.at between gap.since and ${until}::timestamptz
      ) + (
        select count(*) from dms d
        where d.lead_id = latest.lead_id and d.x_account_id = ${id}
          and coalesce(d.sent_at, d.claimed_at) between gap.since and ${until}::timestamptz
      ))::int as size
    from (
      select r.lead_id, l.x_user_id, r.at from replies r
      join leads l on l.id = r.lead_id and l.x_user_id is not null
      join conversations c on c.workspace_id = ${workspaceId} and c.lead_id = r.lead_id
        and c.account_x_user_id = ${xUserId} and not c.is_encrypted
      where ${isMissing(alias(replies, 'r'))} and (r.at, r.lead_id) < (
        coalesce(${before?.at ?? null}::timestamptz, 'infinity'),
        coalesce(${before?.leadId ?? null}::uuid, 'ffffffff-ffff-ffff-ffff-ffffffffffff')
      ) and not exists (
        select from replies later
        where ${isMissing(alias(replies, 'later'))} and later.lead_id = r.lead_id and (later.at, later.id) > (r.at, r.id)
      )
      order by r.at desc, r.lead_id desc limit ${limit}
    ) latest
    cross join lateral (
      select count(*) as text_count, min(m.at) as since from replies m
      where ${isMissing(alias(replies, 'm'))} and m.lead_id = latest.lead_id
    ) gap
    order by latest.at desc, latest.lead_id desc`
}

/** Counts the missing texts of an account. `listed`: the messages that X lists, and charges for, to show them. */
export async function countMissingTexts(
  db: Db,
  account: Pick<XAccount, 'id' | 'workspaceId' | 'xUserId'>,
): Promise<{ messages: number; conversations: number; listed: number }> {
  const gaps = conversationGaps(account, { until: new Date().toISOString(), before: null, limit: CONVERSATIONS_MAX })
  const { rows } = await db.execute<{ messages: number; conversations: number; listed: number }>(sql`
    select count(*)::int as conversations, coalesce(sum("textCount"), 0)::int as messages,
      coalesce(sum(size), 0)::int as listed
    from (${gaps}) gaps`)
  return one(rows)
}

/** X allows 15 such calls in 15 minutes. Five of the 15 stay free to settle messages whose outcome is unknown. */
const CONVERSATIONS_AT_A_TIME = 10
const PAUSE_MS = 15 * MINUTE_MS
/** After this many failures in a row that may be about the conversation, it is skipped. */
const FAILURES_MAX = 8

/** Reads the missing texts of an account in the background, the latest conversations first. */
export async function startReadingBack(db: Db, jobs: JobQueue, accountId: string): Promise<void> {
  const until = new Date().toISOString()
  const data = { accountId, until, before: null, left: CONVERSATIONS_MAX, failures: 0 }
  // Replaces the waiting job of an earlier consent, which may continue after conversations whose texts
  // were deleted since.
  await jobs.reschedule(db, 'read-back', data, { key: accountId, group: accountId })
}

/** Schedules the rest of a job, unless a new consent has started from the beginning in the meantime. */
async function continueLater({ database, jobs }: WatchContext, job: Job, inMs: number): Promise<void> {
  const { accountId } = job
  const startAfterSeconds = Math.ceil(inMs / 1_000)
  await jobs.enqueue(database.db, 'read-back', job, { startAfterSeconds, key: accountId, group: accountId })
}

/** Reads the missing texts of a few conversations, and schedules the next ones. */
export async function readBack(context: WatchContext, job: Job): Promise<void> {
  const { db } = context.database
  const { accountId, until } = job
  const account = await findAllowed(db, accountId)
  if (!account) return
  const limit = Math.min(CONVERSATIONS_AT_A_TIME, job.left)
  const { rows } = await db.execute<ConversationGap>(conversationGaps(account, { until, before: job.before, limit }))
  let { before, left, failures } = job
  for (const { leadId, at, personXUserId, size } of rows) {
    // After a revocation, nothing more is read and paid for.
    if (!(await findAllowed(db, accountId))) return
    try {
      const { messages } = await withAccount(context, accountId, (x, accessToken) =>
        x.listMessages(accessToken, personXUserId, { cursor: null, size }),
      )
      await storeTexts(db, account, messages)
    } catch (error) {
      if (!(error instanceof XError)) throw error
      if (error.kind === 'unknown') failures += 1
      if (LATER.has(error.kind) && failures < FAILURES_MAX)
        return continueLater(context, { accountId, until, before, left, failures }, waitOf(error))
    }
    before = { at, leadId }
    left -= 1
    failures = 0
  }
  if (rows.length === CONVERSATIONS_AT_A_TIME && left > 0)
    await continueLater(context, { accountId, until, before, left, failures }, PAUSE_MS)
}

/** The account, if its conversations may be read and stored. */
async function findAllowed(db: Db, accountId: string): Promise<XAccount | null> {
  const [account] = await db.select().from(xAccounts).where(eq(xAccounts.id, accountId))
  return account?.storesConversations && account.status !== 'disconnected' ? account : null
}

/** Errors after which the same call may succeed later. Others concern one conversation. */
const LATER = new Set<XError['kind']>([
  'rate-limit',
  'funds',
  'unavailable',
  'unauthorized',
  'account',
  'app',
  // Also about a conversation whose messages cannot be read, so only FAILURES_MAX times.
  'unknown',
])

function waitOf({ retryAt }: XError): number {
  return Math.min(HOUR_MS, Math.max(PAUSE_MS, (retryAt?.getTime() ?? 0) - Date.now()))
}

/** Stores texts of messages that have none, unless the consent was revoked in the meantime. */
async function storeTexts(
  db: Db,
  { workspaceId, xUserId }: Pick<XAccount, 'workspaceId' | 'xUserId'>,
  messages: readonly { id: string; text: string }[],
): Promise<void> {
  const rows = messages.map(({ id, text }) => ({ id, text: storable(text.slice(0, REPLY_TEXT_MAX)) }))
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
