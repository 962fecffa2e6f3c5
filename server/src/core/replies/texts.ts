import { KEEP_TEXTS_DAYS } from '@x-automated/contract/outreach/replies'
import { and, eq, ne, type SQL, sql } from 'drizzle-orm'
import type { Actor } from '../../actor.ts'
import type { Db } from '../../db/open.ts'
import { Refusal } from '../../refusal.ts'
import { isStoredAnswer } from '../tables/messages.ts'
import { DELETED_TEXT, replies } from '../tables/replies.ts'

// Deletes texts of conversations, on request or after a time.

/** Deletes the text of a reply, but keeps its record. @throws Refusal REPLY_NOT_FOUND */
export async function removeText(db: Db, actor: Actor, id: string): Promise<void> {
  const changed = await db
    .update(replies)
    .set({ text: DELETED_TEXT })
    .where(and(eq(replies.id, id), eq(replies.workspaceId, actor.workspaceId)))
    .returning({ id: replies.id })
  if (changed.length === 0) throw new Refusal('REPLY_NOT_FOUND')
}

/** Deletes the texts of an X account's conversations, including those of leads whose deletion can be undone. */
export async function deleteTexts(
  tx: Db,
  { workspaceId }: Actor,
  accountId: string,
  accountXUserId: string,
): Promise<void> {
  await tx.execute(sql`
    update dms
    set message = ''
    where workspace_id = ${workspaceId} and x_account_id = ${accountId} and ${isStoredAnswer}`)
  await tx
    .update(replies)
    .set({ text: null })
    .where(
      and(
        eq(replies.workspaceId, workspaceId),
        eq(replies.accountXUserId, accountXUserId),
        ne(replies.text, DELETED_TEXT),
      ),
    )
  await tx.execute(sql`
    update removed_leads r set replies = (
      select jsonb_agg(
        case
          when kept ->> 'account_x_user_id' = ${accountXUserId} and kept ->> 'text' <> ${DELETED_TEXT}
          then kept || '{"text": null}'
          else kept end
      )
      from jsonb_array_elements(r.replies) kept
    )
    from lead_removals m where m.id = r.removal_id and m.workspace_id = ${workspaceId} and r.replies <> '[]'`)
}

/** Texts per transaction, so that none holds locks for long. */
const PART = 1_000

/** Deletes texts older than their workspace's limit. @param part texts per transaction */
export async function purgeOldTexts(db: Db, part = PART): Promise<void> {
  for (const { table, set, texts, at } of [
    { table: sql`replies`, set: sql`text = null`, texts: sql`text is not null`, at: sql`at` },
    { table: sql`dms`, set: sql`message = ''`, texts: isStoredAnswer, at: sql`created_at` },
  ]) {
    const old = (workspaceId: SQL, days: SQL) =>
      sql`${table} where ${texts} and workspace_id = ${workspaceId} and ${at} < now() - make_interval(days => ${days})`
    const keepDays = sql`coalesce(s.keep_texts_days, ${KEEP_TEXTS_DAYS.default}::int)`
    const { rows } = await db.execute<{ id: string; days: number }>(sql`
      select w.id, ${keepDays} as days from workspaces w left join conversation_settings s on s.workspace_id = w.id
      where exists (select from ${old(sql`w.id`, keepDays)})`)
    for (const { id, days } of rows) {
      const some = sql`
        select id from ${old(sql`${id}`, sql`${days}::int`)} order by ${at} limit ${part} for no key update skip locked`
      let deleted: number
      do deleted = (await db.execute(sql`update ${table} set ${set} where id in (${some})`)).rowCount ?? 0
      while (deleted === part)
    }
  }
}
