import type { InputOf } from '@x-automated/contract/contract'
import { TEMPLATE_NAME_MAX, type Template } from '@x-automated/contract/outreach/templates'
import { and, asc, desc, eq, getTableColumns, ilike, inArray, isNotNull, isNull, or, type SQL, sql } from 'drizzle-orm'
import { type Actor, authorOf, roleAllows } from '../../../actor.ts'
import { copyName } from '../../../copy-name.ts'
import { readTemplate } from '../../../core/messages/render.ts'
import { anywhere } from '../../../core/people/filter.ts'
import { campaigns } from '../../../core/tables/campaigns.ts'
import { one } from '../../../db/one.ts'
import type { Db } from '../../../db/open.ts'
import { Refusal } from '../../../refusal.ts'
import { authUsers } from '../../identity/auth/tables.ts'
import { factsOf, planOf } from '../../platform/billing/plan.ts'
import { messagesOf, sharingLimit, templateLimit } from './rules.ts'
import { findStarters, STARTERS, STARTERS_WRITTEN_AT, type Starter } from './starters.ts'
import { hasMessageLike, templates } from './tables.ts'

type Row = typeof templates.$inferSelect
/** A template as the contract defines it, with times as dates. */
type Answer = Omit<Template, 'createdAt' | 'updatedAt'> & { createdAt: Date; updatedAt: Date }

// Reading

/** SQL: viewers see shared templates, members also their own, admins all. */
function visibleTo(actor: Actor): SQL | undefined {
  const own = roleAllows(actor.role, 'member') ? eq(templates.authorId, authorOf(actor)) : undefined
  return and(
    eq(templates.workspaceId, actor.workspaceId),
    roleAllows(actor.role, 'admin') ? undefined : or(eq(templates.isShared, true), own),
  )
}

/** Lists templates, the last changed first and the starters at the end. */
export async function list(db: Db, actor: Actor, input: InputOf<'templates', 'list'>) {
  const { folder, isArchived, page, pageSize } = input
  const pattern = input.q?.trim() ? anywhere(input.q.trim()) : undefined
  const matches = and(
    visibleTo(actor),
    isArchived ? isNotNull(templates.archivedAt) : isNull(templates.archivedAt),
    folder === undefined ? undefined : eq(templates.folder, folder),
    pattern === undefined
      ? undefined
      : or(ilike(templates.name, pattern), ilike(templates.folder, pattern), hasMessageLike(pattern)),
  )
  const offset = (page - 1) * pageSize
  const [rows, count, folders] = await Promise.all([
    select(db, matches).orderBy(desc(templates.updatedAt), desc(templates.id)).limit(pageSize).offset(offset),
    db.$count(templates, matches),
    findFolders(db, actor),
  ])
  const starters = isArchived ? [] : findStarters(input)
  const visibleStarters = starters.slice(Math.max(0, offset - count), Math.max(0, offset + pageSize - count))
  const all = await withFigures(db, actor, [...rows.map(answerOf), ...visibleStarters.map(starterAnswer)])
  return { templates: all, folders, total: count + starters.length, page, pageSize }
}

async function findFolders(db: Db, actor: Actor): Promise<string[]> {
  const rows = await db
    .selectDistinct({ folder: sql<string>`${templates.folder}` })
    .from(templates)
    .where(and(visibleTo(actor), isNotNull(templates.folder)))
    .orderBy(asc(templates.folder))
  return rows.map(({ folder }) => folder)
}

const select = (db: Db, where: SQL | undefined) =>
  db
    .select({ ...getTableColumns(templates), authorName: authUsers.name })
    .from(templates)
    .leftJoin(authUsers, eq(authUsers.id, templates.authorId))
    .where(where)

type WithoutFigures = Omit<Answer, 'campaignCount' | 'replyRate' | 'positiveRate'>

function answerOf({ authorName, ...row }: Row & { authorName: string | null }): WithoutFigures {
  return {
    ...row,
    isStarter: false,
    isArchived: row.archivedAt !== null,
    author: authorName === null ? null : { id: row.authorId, name: authorName },
  }
}

function starterAnswer(starter: Starter): WithoutFigures {
  return {
    ...starter,
    folder: null,
    isShared: true,
    isStarter: true,
    isArchived: false,
    author: null,
    createdAt: STARTERS_WRITTEN_AT,
    updatedAt: STARTERS_WRITTEN_AT,
  }
}

/** Adds the figures of the campaigns started from each template. They come from the campaigns' counts. */
async function withFigures(db: Db, actor: Actor, all: readonly WithoutFigures[]): Promise<Answer[]> {
  const ids = all.map(({ id }) => id)
  const messaged = sql`sum(${campaigns.peopleMessaged})`
  // `least` ignores null, so without this condition a template that messaged nobody would have 100 percent.
  const share = (part: SQL) =>
    sql`case when ${messaged} > 0 then least(100, round(100.0 * sum(${part}) / ${messaged}, 1)) end`.mapWith(toRate)
  const rows =
    ids.length === 0
      ? []
      : await db
          .select({
            id: campaigns.templateId,
            campaignCount: sql<number>`count(*)::int`,
            replyRate: share(sql`${campaigns.peopleReplied}`),
            positiveRate: share(sql`${campaigns.peoplePositive}`),
          })
          .from(campaigns)
          .where(and(eq(campaigns.workspaceId, actor.workspaceId), inArray(campaigns.templateId, ids)))
          .groupBy(campaigns.templateId)
  const byId = new Map(rows.map(({ id, ...figures }) => [id, figures]))
  return all.map((template) => ({
    ...template,
    ...(byId.get(template.id) ?? { campaignCount: 0, replyRate: null, positiveRate: null }),
  }))
}

const toRate = (percent: string | null) => (percent === null ? null : Number(percent))

async function find(db: Db, actor: Actor, id: string): Promise<Answer> {
  const [row] = await select(db, and(visibleTo(actor), eq(templates.id, id)))
  if (!row) throw new Refusal('TEMPLATE_NOT_FOUND')
  return one(await withFigures(db, actor, [answerOf(row)]))
}

/** Checks that a campaign may be started from the template. @throws Refusal TEMPLATE_NOT_FOUND */
export async function requireTemplate(db: Db, actor: Actor, id: string): Promise<void> {
  if (STARTERS.some((starter) => starter.id === id)) return
  const [row] = await db
    .select({ id: templates.id })
    .from(templates)
    .where(and(visibleTo(actor), eq(templates.id, id)))
  if (!row) throw new Refusal('TEMPLATE_NOT_FOUND')
}

// Changing

/** @throws Refusal PLAN_LIMIT, INVALID_INPUT (placeholder) */
export async function create(db: Db, actor: Actor, input: InputOf<'templates', 'create'>): Promise<Answer> {
  readMessages(input.steps)
  return db.transaction(async (tx) => {
    if (input.isShared) await requireSharing(tx, actor)
    return insert(tx, actor, input)
  })
}

/** Copies a template. The copy is private to the caller. @throws Refusal TEMPLATE_NOT_FOUND, PLAN_LIMIT */
export async function duplicate(db: Db, actor: Actor, { id, ...input }: InputOf<'templates', 'duplicate'>) {
  return db.transaction(async (tx) => {
    const { name, folder, steps } = STARTERS.some((starter) => starter.id === id)
      ? starterAnswer(one(STARTERS.filter((starter) => starter.id === id)))
      : await find(tx, actor, id)
    const copy = { name: copyName(name, TEMPLATE_NAME_MAX), folder, steps, ...input, isShared: false }
    return insert(tx, actor, copy)
  })
}

async function insert(
  tx: Db,
  actor: Actor,
  input: Omit<InputOf<'templates', 'create'>, 'folder'> & { folder?: string | null | undefined },
): Promise<Answer> {
  await requireRoom(tx, actor, input)
  const row = { ...input, workspaceId: actor.workspaceId, authorId: actor.userId }
  return find(tx, actor, one(await tx.insert(templates).values(row).returning()).id)
}

/**
 * @throws Refusal TEMPLATE_NOT_FOUND, PLAN_LIMIT, INVALID_INPUT (placeholder); FORBIDDEN: the
 * caller is neither the author nor an admin, or it is a starter
 */
export async function update(
  db: Db,
  actor: Actor,
  { id, isArchived, ...changes }: InputOf<'templates', 'update'>,
): Promise<Answer> {
  if (changes.steps) readMessages(changes.steps)
  return db.transaction(async (tx) => {
    const before = await lock(tx, actor, id)
    if (changes.isShared && !before.isShared) await requireSharing(tx, actor)
    if (isArchived === false && before.archivedAt !== null) await requireRoom(tx, actor, { ...before, ...changes })
    const archivedAt = isArchived === undefined ? undefined : isArchived ? (before.archivedAt ?? new Date()) : null
    await tx
      .update(templates)
      .set({ ...changes, archivedAt, updatedAt: new Date() })
      .where(and(eq(templates.workspaceId, actor.workspaceId), eq(templates.id, id)))
    return find(tx, actor, id)
  })
}

/**
 * @throws Refusal TEMPLATE_NOT_FOUND; FORBIDDEN: the caller is neither the author nor an admin, or
 * it is a starter
 */
export async function remove(db: Db, actor: Actor, id: string): Promise<void> {
  await db.transaction(async (tx) => {
    await lock(tx, actor, id)
    await tx.delete(templates).where(and(eq(templates.workspaceId, actor.workspaceId), eq(templates.id, id)))
  })
}

async function lock(tx: Db, actor: Actor, id: string): Promise<Row> {
  if (STARTERS.some((starter) => starter.id === id))
    throw new Refusal('FORBIDDEN', "Starters can't be changed. Duplicate one to make it yours.")
  const [row] = await tx
    .select()
    .from(templates)
    .where(and(visibleTo(actor), eq(templates.id, id)))
    .for('update')
  if (!row) throw new Refusal('TEMPLATE_NOT_FOUND')
  if (row.authorId !== authorOf(actor) && !roleAllows(actor.role, 'admin'))
    throw new Refusal(
      'FORBIDDEN',
      'Only its author or an admin can change this template. Duplicate it to make it yours.',
    )
  return row
}

/** Checks that every text can be parsed and filled, so that no message has a gap. @throws Refusal INVALID_INPUT */
function readMessages(steps: Parameters<typeof messagesOf>[0]): void {
  for (const { path, text } of messagesOf(steps)) readTemplate(path, text)
}

// Plans

/**
 * Checks that there is room, and keeps others from adding templates until the transaction ends.
 * With the owner's Gold reward, private templates are unlimited and don't count. @throws Refusal
 * PLAN_LIMIT
 */
async function requireRoom(
  tx: Db,
  { workspaceId }: Actor,
  { isShared = false }: { isShared?: boolean | undefined },
): Promise<void> {
  await tx.execute(sql`select pg_advisory_xact_lock(hashtextextended('templates of ' || ${workspaceId}, 0))`)
  const { plan, achievements } = await factsOf(tx, workspaceId)
  const isGold = achievements.includes('gold')
  const counts = isGold ? eq(templates.isShared, true) : undefined
  const used = await tx.$count(
    templates,
    and(eq(templates.workspaceId, workspaceId), isNull(templates.archivedAt), counts),
  )
  const reached = templateLimit({ plan, isUnlimited: isGold && !isShared, used })
  if (reached) throw new Refusal('PLAN_LIMIT', reached.text, { details: { limit: reached.limit, used, plan } })
}

/** @throws Refusal PLAN_LIMIT */
async function requireSharing(tx: Db, { workspaceId }: Actor): Promise<void> {
  const plan = await planOf(tx, workspaceId)
  const text = sharingLimit(plan)
  if (text) throw new Refusal('PLAN_LIMIT', text, { details: { limit: 0, used: 1, plan } })
}
