import { RECOGNIZED_LABELS, type ReplyLabel } from '@x-automated/contract/leads/leads'
import { and, eq, lt, sql } from 'drizzle-orm'
import { z } from 'zod'
import { attemptEach } from '../../../attempt-each.ts'
import { storedText } from '../../../core/tables/replies.ts'
import type { Db } from '../../../db/open.ts'
import { settle } from './budget.ts'
import { cleanText, commandsModel } from './data.ts'
import { callModel, UNCHARGED, type WriterContext } from './engine.ts'
import { findModel } from './provider.ts'
import { writerOpinions } from './tables.ts'

/** With a confidence below this, at most about 70% of the classifier's labels are right (docs/classifier.md). */
const UNSURE = 0.7
/** How many replies one run asks about. */
const BATCH = 50
const TOKENS = 500

const Opinion = z.object({ label: z.enum(RECOGNIZED_LABELS) })

/** Labels a conversation by a reply (core/conversations/changes.ts). */
type RelabelReply = (
  db: Db,
  opinion: { workspaceId: string; conversationId: string; replyId: string; label: ReplyLabel },
) => Promise<void>

type Unsure = { workspaceId: string; conversationId: string; replyId: string; text: string }

/**
 * Asks the models that workspaces have connected for the labels of new replies that the classifier
 * is unsure about. Asks about each reply once and within the budget, and again only if no model was
 * reached.
 */
export async function giveSecondOpinions(context: WriterContext & { relabelReply: RelabelReply }): Promise<void> {
  const { rows } = await context.db.execute<Unsure>(sql`
    with unsure as (
      select c.workspace_id, c.id, r.id as reply_id, r.text from writer_providers p
        join conversations c on c.workspace_id = p.workspace_id and c.sort_at > now() - interval '1 hour'
        cross join lateral (
          select r.id, ${storedText(sql`r.text`)} as text from replies r
          where r.lead_id = c.lead_id and r.account_x_user_id = c.account_x_user_id and r.kind = 'reply'
          order by r.at desc, r.id desc limit 1
        ) r
      where c.confidence < ${UNSURE} and c.labelled_by is null and c.label is not null and r.text <> ''
        and not exists (select from writer_opinions o where o.workspace_id = c.workspace_id and o.reply_id = r.id)
      order by random() limit ${BATCH}
    ), asked as (
      insert into writer_opinions (workspace_id, reply_id) select workspace_id, reply_id from unsure
      on conflict do nothing returning workspace_id, reply_id
    )
    select u.workspace_id as "workspaceId", u.id as "conversationId", u.reply_id as "replyId", u.text
    from unsure u join asked using (workspace_id, reply_id)`)
  await attemptEach(rows, async (reply) => {
    let isAsked = false
    try {
      const label = await readLabel(context, reply)
      if (label) await context.relabelReply(context.db, { ...reply, label })
      isAsked = label !== undefined
    } finally {
      if (!isAsked)
        await context.db
          .delete(writerOpinions)
          .where(and(eq(writerOpinions.workspaceId, reply.workspaceId), eq(writerOpinions.replyId, reply.replyId)))
    }
  })
}

/** The model's label for a reply; null: the model is not asked or cannot tell; undefined: it was not reached. */
async function readLabel(
  context: WriterContext,
  { workspaceId, text }: Unsure,
): Promise<ReplyLabel | null | undefined> {
  const cleaned = cleanText(text, 2_000)
  const model = await findModel(context, workspaceId)
  // A reply that gives orders to models could choose its own label.
  if (model?.from !== 'workspace' || cleaned === '' || commandsModel(cleaned)) return null
  const elements = callModel(
    context,
    model,
    { workspaceId, userId: null },
    {
      form: '{"label": string}',
      element: Opinion,
      count: 1,
      task: [
        'Task: say what kind of reply the text below is, which answers a sales message.',
        `Labels: ${RECOGNIZED_LABELS.map((label) => `"${label}"`).join(', ')}`,
      ],
      data: [{ field: 'them', text: cleaned }],
      bounds: { allowed: '', maxLength: 0, language: null, kept: [], isAnswer: false, hasVariables: false },
      textsOf: () => [],
      maxOutputTokens: TOKENS,
    },
  )
  const first = await elements.next()
  let next = first
  while (!next.done) next = await elements.next()
  await settle(context.db, next.value.calls)
  if (!first.done) return first.value.label
  return next.value.fault && UNCHARGED.has(next.value.fault) ? undefined : null
}

/** Deletes records that are older than the replies to ask about. */
export async function purgeOpinions(db: Db): Promise<void> {
  await db.delete(writerOpinions).where(lt(writerOpinions.createdAt, sql`now() - interval '1 day'`))
}
