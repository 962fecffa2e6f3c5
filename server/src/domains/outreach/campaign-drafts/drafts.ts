import { isDeepStrictEqual } from 'node:util'
import type { InputOf } from '@x-automated/contract/contract'
import { NO_ID } from '@x-automated/contract/fields'
import { CAMPAIGN_DRAFT_DAYS, CAMPAIGN_DRAFTS_MAX } from '@x-automated/contract/outreach/campaign-drafts'
import { and, desc, eq, lt, sql } from 'drizzle-orm'
import type { Actor } from '../../../actor.ts'
import { one } from '../../../db/one.ts'
import type { Db } from '../../../db/open.ts'
import { transact } from '../../../db/transact.ts'
import { invalidField, Refusal } from '../../../refusal.ts'
import { campaignDrafts } from './tables.ts'

const isOwn = ({ workspaceId, userId }: Actor) =>
  and(eq(campaignDrafts.workspaceId, workspaceId), eq(campaignDrafts.userId, userId))
const isDraft = (actor: Actor, id: string) => and(isOwn(actor), eq(campaignDrafts.id, id))

const toAnswer = ({ id, version, updatedAt, fields }: typeof campaignDrafts.$inferSelect) => ({
  ...fields,
  id,
  version,
  updatedAt,
})

/** The caller's drafts, newest first. */
export async function list(db: Db, actor: Actor) {
  const rows = await db.select().from(campaignDrafts).where(isOwn(actor)).orderBy(desc(campaignDrafts.updatedAt))
  return { drafts: rows.map(({ id, fields, updatedAt }) => ({ id, name: fields.name ?? '', updatedAt })) }
}

/** @throws Refusal DRAFT_NOT_FOUND */
export async function find(db: Db, actor: Actor, id: string) {
  const [row] = await db.select().from(campaignDrafts).where(isDraft(actor, id))
  if (!row) throw new Refusal('DRAFT_NOT_FOUND')
  return toAnswer(row)
}

/**
 * Creates a draft, or replaces it if it has this version. Saving the same fields again changes
 * nothing, in case the response was lost. @throws Refusal DRAFT_NOT_FOUND, TOO_MANY; DRAFT_CHANGED:
 * it has another version; INVALID_INPUT
 */
export async function save(db: Db, actor: Actor, { id, version, ...fields }: InputOf<'campaignDrafts', 'save'>) {
  const { workspaceId, userId } = actor
  return transact(db, async (tx) => {
    await tx.execute(sql`select pg_advisory_xact_lock(hashtextextended('campaign drafts of ' || ${userId}, 0))`)
    const [existing] = await tx.select().from(campaignDrafts).where(isDraft(actor, id)).for('update')
    if (existing?.version === version + 1 && isDeepStrictEqual(existing.fields, toJson(fields)))
      return toAnswer(existing)
    if (existing && existing.version !== version) throw new Refusal('DRAFT_CHANGED')
    if (existing) {
      const change = { fields, version: version + 1, updatedAt: sql`now()` }
      return toAnswer(one(await tx.update(campaignDrafts).set(change).where(isDraft(actor, id)).returning()))
    }
    if (version > 0) throw new Refusal('DRAFT_NOT_FOUND')
    if (id === NO_ID) throw invalidField('id', 'must not be the nil UUID')
    if ((await tx.$count(campaignDrafts, isOwn(actor))) >= CAMPAIGN_DRAFTS_MAX)
      throw new Refusal('TOO_MANY', `You have ${CAMPAIGN_DRAFTS_MAX} campaign drafts. Delete one first.`)
    return toAnswer(one(await tx.insert(campaignDrafts).values({ workspaceId, userId, id, fields }).returning()))
  })
}

/** Converts fields to what the database returns: without undefined keys. */
const toJson = (fields: object): unknown => JSON.parse(JSON.stringify(fields))

/** @throws Refusal DRAFT_NOT_FOUND */
export async function remove(db: Db, actor: Actor, id: string): Promise<void> {
  if (!(await removeIfAny(db, actor, id))) throw new Refusal('DRAFT_NOT_FOUND')
}

/** Deletes a draft. @returns whether there was one */
export async function removeIfAny(db: Db, actor: Actor, id: string): Promise<boolean> {
  const { rowCount } = await db.delete(campaignDrafts).where(isDraft(actor, id))
  return (rowCount ?? 0) > 0
}

/** Runs `work` and, in the same transaction, `removal` of the draft that the input names. */
export async function withoutDraft<Input extends { draftId?: string | undefined }, Result>(
  db: Db,
  actor: Actor,
  { draftId, ...input }: Input,
  removal: (db: Db, actor: Actor, id: string) => Promise<unknown>,
  work: (db: Db, input: Omit<Input, 'draftId'>) => Promise<Result>,
): Promise<Result> {
  if (draftId === undefined) return work(db, input)
  return transact(db, async (tx) => {
    const result = await work(tx, input)
    await removal(tx, actor, draftId)
    return result
  })
}

/** Deletes drafts that nobody has changed for CAMPAIGN_DRAFT_DAYS. */
export async function purgeOldDrafts(db: Db): Promise<void> {
  await db
    .delete(campaignDrafts)
    .where(lt(campaignDrafts.updatedAt, sql`now() - make_interval(days => ${CAMPAIGN_DRAFT_DAYS}::int)`))
}
