import { NO_ID } from '@x-automated/contract/fields'
import { formatNumber } from '@x-automated/contract/format'
import type { Verdict } from '@x-automated/contract/outreach/sequences'
import { verdictText } from '@x-automated/contract/outreach/verdict-text'
import { POSITIVE_LABELS } from '@x-automated/contract/reply-labels'
import { DAY_MS } from '@x-automated/contract/time'
import { and, eq, type SQL, sql } from 'drizzle-orm'
import { allowLongStatements } from '../../db/long-statements.ts'
import { one } from '../../db/one.ts'
import type { Db } from '../../db/open.ts'
import { transact } from '../../db/transact.ts'
import { blockNewClaims } from '../campaigns/pause.ts'
import { publishEvents } from '../neighbors.ts'
import { campaigns } from '../tables/campaigns.ts'
import {
  type Position,
  type StepTest,
  type StepTestState,
  stepTests,
  type VariantShare,
  type VersionStep,
} from '../tables/sequences.ts'
import { findSteps, queuedStep, unreadableIn } from './sequence.ts'
import { adaptiveShares, isSplitOff, seededRandom } from './variants.ts'
import { addBlocks, evidenceNeeded, NO_EVIDENCE, nextBlocks, type Outcome, type Pair, verdictOf } from './verdict.ts'

type Campaign = typeof campaigns.$inferSelect

/** Messages read per variant and pair at a time. */
const BATCH = 1_000

/** Continues every due test. Any number of processes may run this. @returns their number */
export async function judgeTests(db: Db): Promise<number> {
  for (let judged = 0; ; judged += 1) {
    const test = await takeDueTest(db)
    if (!test) return judged
    await transact(db, (tx) => judgeTest(tx, test))
  }
}

/** Reserves a test until its next check, so that a failing test does not block the others permanently. */
async function takeDueTest(db: Db): Promise<StepTest | undefined> {
  const due = sql`
    (select workspace_id, id from step_tests where next_at <= now() order by next_at limit 1 for update skip locked)`
  const [test] = await db
    .update(stepTests)
    .set({ nextAt: later(JUDGED_EVERY_MINUTES) })
    .where(sql`(${stepTests.workspaceId}, ${stepTests.id}) = ${due}`)
    .returning()
  return test
}

async function judgeTest(tx: Db, { id, workspaceId }: StepTest): Promise<void> {
  const isTest = and(eq(stepTests.workspaceId, workspaceId), eq(stepTests.id, id))
  const test = one(await tx.select().from(stepTests).where(isTest).for('update'))
  if (test.endedAt) return
  const campaign = one(await tx.select().from(campaigns).where(eq(campaigns.id, test.campaignId)))
  const set = test.allocation === 'adaptive' ? await rebalance(tx, campaign, test) : await judge(tx, campaign, test)
  await tx.update(stepTests).set(set).where(isTest)
  await publishEvents(tx, workspaceId, 'campaign', [campaign.id])
}

const later = (minutes: number) => sql`now() + make_interval(mins => ${minutes})`
const JUDGED_EVERY_MINUTES = 15
/** How often the tests of drafts are checked: rarely, because no reply window closes within a day of the launch. */
const DRAFTS_JUDGED_EVERY_MINUTES = 24 * 60
const REBALANCED_EVERY_MINUTES = 60

// Verdicts

async function judge(tx: Db, campaign: Campaign, test: StepTest) {
  const variantIds = test.variants.map(({ id }) => id)
  const needed = evidenceNeeded(variantIds.length)
  const pairs: StepTestState['pairs'] = []
  let isBehind = false
  for (const [index, a] of variantIds.entries())
    for (const b of variantIds.slice(index + 1)) {
      const stored = test.state.pairs.find((pair) => pair.a === a && pair.b === b)
      const pair = stored ?? { a, b, positive: NO_EVIDENCE, optOuts: NO_EVIDENCE, afterA: null, afterB: null }
      const ofA = await readOutcomes(tx, test, a, pair.afterA)
      const ofB = await readOutcomes(tx, test, b, pair.afterB)
      const count = Math.min(ofA.length, ofB.length)
      const blocks = (key: 'positive' | 'optedOut') =>
        nextBlocks(
          ofA.map((outcome) => outcome[key]),
          ofB.map((outcome) => outcome[key]),
        )
      isBehind ||= count === BATCH
      pairs.push({
        a,
        b,
        positive: addBlocks(pair.positive, blocks('positive'), needed),
        optOuts: addBlocks(pair.optOuts, blocks('optedOut'), evidenceNeeded(2)),
        afterA: ofA[count - 1]?.place ?? pair.afterA,
        afterB: ofB[count - 1]?.place ?? pair.afterB,
      })
    }
  const state = { ...test.state, pairs }
  if (isBehind) return { state, nextAt: sql`now()` }
  const people = await countPeople(tx, test)
  const step = await findStep(tx, campaign, test.stepId)
  const isOver = await isTestOver(tx, campaign, test, step?.number ?? 0)
  const split = test.variants.map(({ id, weight }) => ({ people: people.get(id)?.sent ?? 0, weight }))
  // Once the winner is sent to everyone, the shares differ from the weights.
  const splitOff = test.shares ? test.isSplitOff : isSplitOff(split)
  const toCome = await countToCome(tx, campaign, step?.number ?? 0)
  const firstAt = Math.min(...[...people.values()].flatMap(({ firstAt }) => (firstAt ? Date.parse(firstAt) : [])))
  const days = Math.max((Date.now() - firstAt) / DAY_MS, 1 / 24)
  const computed = verdictOf({
    variantIds,
    isOver,
    pairs: pairs.map((pair) => withPace(pair, people, test, { toCome, days })),
  })
  const verdict: Verdict | null =
    splitOff || !computed ? null : { ...computed, evidence: Math.min(computed.evidence, EVIDENCE_MAX) }
  const isDecided = verdict !== null && verdict.status !== 'collecting'
  if (isDecided && test.decidedAt === null) await notify(tx, campaign, verdict, step, people)
  const winner = verdict?.status === 'winner' && step?.step.switchToWinner ? verdict.variantId : null
  const shares = winner ? [{ id: winner, share: 1 }] : null
  if (step && shares && !test.shares) await chooseAgain(tx, campaign, test, step, shares)
  return {
    state,
    verdict,
    isSplitOff: splitOff,
    decidedAt: test.decidedAt ?? (isDecided ? sql`now()` : null),
    shares: test.shares ?? shares,
    nextAt: isOver ? null : later(campaign.queuedAt ? JUDGED_EVERY_MINUTES : DRAFTS_JUDGED_EVERY_MINUTES),
  }
}

/** Above this value, more evidence means nothing. */
const EVIDENCE_MAX = 1_000_000

type Figures = { sent: number; positive: number; optedOut: number; firstAt: string | null }
type People = Map<string, Figures>

/**
 * Adds to a pair how fast its blocks form and how many more can. @param toCome people who will
 * still be sent the step @param days since the step's first message
 */
function withPace(
  pair: StepTestState['pairs'][number],
  people: People,
  test: StepTest,
  { toCome, days }: { toCome: number; days: number },
): Pair {
  const sent = Math.min(people.get(pair.a)?.sent ?? 0, people.get(pair.b)?.sent ?? 0)
  const weights = test.variants.reduce((sum, { weight }) => sum + weight, 0)
  const weightOf = (id: string) => test.variants.find((variant) => variant.id === id)?.weight ?? 0
  const blocksToCome = (toCome * Math.min(weightOf(pair.a), weightOf(pair.b))) / weights
  return { ...pair, blocksPerDay: sent / days, blocksLeft: sent - pair.positive.blocks + blocksToCome }
}

/** SQL over a reply `r`: its label at `moment`. A person may have corrected it since. */
function labelAt(moment: SQL): SQL {
  return sql`coalesce((
    select coalesce(l.old_label, '')
    from conversations c
    join label_corrections l on l.workspace_id = c.workspace_id and l.conversation_id = c.id and l.at > ${moment}
    where c.workspace_id = r.workspace_id and c.lead_id = r.lead_id and c.account_x_user_id = r.account_x_user_id
      -- A correction applies to the latest reply.
      and not exists (select from replies n where n.lead_id = r.lead_id and n.account_x_user_id = r.account_x_user_id
        and n.kind = 'reply' and (n.at, n.id) > (r.at, r.id) and n.created_at < l.at)
    order by l.at limit 1), r.label)`
}

/** A variant's messages with closed windows, in order, with their outcome at that time. */
async function readOutcomes(
  tx: Db,
  { campaignId, windowDays, startedAt }: StepTest,
  variantId: string,
  after: Position | null,
) {
  const closesAt = sql`d.sent_at + make_interval(days => ${windowDays})`
  const hasLabel = (
    labels: readonly string[],
  ) => sql`exists (select from replies r where r.lead_id = d.lead_id and r.kind = 'reply'
    and r.at >= d.claimed_at and r.at <= ${closesAt} and ${labelAt(closesAt)} = any(${sql.param([...labels])}::text[]))::int`
  const { rows } = await tx.execute<{ id: string; at: string; positive: Outcome; optedOut: Outcome }>(sql`
    select d.id, d.sent_at as at, ${hasLabel(POSITIVE_LABELS)} as positive,
      ${hasLabel(['opted_out'])} as "optedOut"
    from dms d
    where d.campaign_id = ${campaignId} and d.variant_id = ${variantId} and d.sent_at is not null
      and (d.sent_at, d.id) > (${after?.at ?? startedAt.toISOString()}::timestamptz, ${after?.id ?? NO_ID}::uuid)
      and d.sent_at <= now() - make_interval(days => ${windowDays})
    order by d.sent_at, d.id limit ${BATCH}`)
  return rows.map(({ id, at, positive, optedOut }) => ({ place: { id, at }, positive, optedOut }))
}

/** The test's people by variant, counted from the quarter of an hour in which the test started. */
async function countPeople(tx: Db, { campaignId, startedAt }: StepTest): Promise<People> {
  const { rows } = await tx.execute<Figures & { id: string }>(sql`
    select variant_id as id, sum(sent)::int as sent, sum(positive)::int as positive, sum(opted_out)::int as "optedOut",
      min(slot) filter (where sent > 0) as "firstAt"
    from dm_activity
    where campaign_id = ${campaignId} and slot >= activity_slot(${startedAt.toISOString()}::timestamptz)
    group by 1`)
  return new Map(rows.map(({ id, ...figures }) => [id, figures]))
}

/** Counting stops at this number of people: a test that needs more takes too long to wait for. */
const TO_COME_MAX = 100_000

/** Counts the people who may still be sent a step, up to TO_COME_MAX. Reads only an index. */
async function countToCome(tx: Db, { id, workspaceId }: Campaign, stepNumber: number): Promise<number> {
  const { rows } = await tx.execute<{ count: number }>(sql`
    select count(*)::int as count from (
      select
      from enrollments
      where workspace_id = ${workspaceId} and campaign_id = ${id} and state in ('active', 'paused')
        and (last_step_number is null or last_step_number < ${stepNumber}) limit ${TO_COME_MAX}
    ) few`)
  return one(rows).count
}

async function findStep(tx: Db, campaign: Campaign, stepId: string) {
  const steps = await findSteps(tx, campaign)
  const step = steps.find(({ id }) => id === stepId)
  return step ? { step, number: steps.indexOf(step) + 1 } : null
}

/** Chooses variants again by `shares`, for everyone whose message of the step is queued and was never claimed. */
async function chooseAgain(
  tx: Db,
  { id }: Campaign,
  test: StepTest,
  { step, number }: { step: VersionStep; number: number },
  shares: readonly VariantShare[],
) {
  if (unreadableIn([step])) return
  await allowLongStatements(tx)
  await blockNewClaims(tx, id)
  const { variantId, message } = queuedStep(id, step, number, shares)
  await tx.execute(sql`
    update dms set message = ${message}, is_filled = true, variant_id = ${variantId}, updated_at = now()
    from leads l
    where dms.campaign_id = ${id} and dms.status = 'queued' and dms.step_id = ${step.id} and l.id = dms.lead_id
      and dms.lease_expires_at is null and dms.tried_at is null
      and dms.variant_id = any(${sql.param(test.variants.map((variant) => variant.id))}::uuid[])
      and dms.variant_id <> ${variantId}`)
}

/** Whether nobody else will be sent the step and every reply window has closed. */
async function isTestOver(tx: Db, campaign: Campaign, test: StepTest, stepNumber: number): Promise<boolean> {
  const { id, workspaceId, status, queuedAt } = campaign
  if (queuedAt === null) return false
  const { rows } = await tx.execute<{ isClosed: boolean }>(sql`
    select coalesce(max(last.sent_at) <= now() - make_interval(days => ${test.windowDays}), true) as "isClosed"
    from unnest(${sql.param(test.variants.map((variant) => variant.id))}::uuid[]) v(id) cross join lateral (
      select sent_at
      from dms
      where campaign_id = ${id} and variant_id = v.id and sent_at is not null
      order by sent_at desc, id desc
      limit 1
    ) last`)
  if (!one(rows).isClosed) return false
  if (status === 'archived' || status === 'completed') return true
  const waiting = await tx.execute(sql`
    select
    from enrollments
    where workspace_id = ${workspaceId} and campaign_id = ${id} and state in ('active', 'paused')
      and next_step_number <= ${stepNumber} limit 1`)
  return waiting.rows.length === 0
}

async function notify(
  tx: Db,
  { id, workspaceId, name }: Campaign,
  verdict: Verdict,
  step: { step: VersionStep; number: number } | null,
  people: People,
): Promise<void> {
  const variants = (step?.step.variants ?? []).flatMap((variant) => {
    const figures = people.get(variant.id)
    return variant.isActive && figures ? [{ id: variant.id, name: variant.name, ...figures }] : []
  })
  const facts = {
    campaignId: id,
    campaignName: name,
    step: formatNumber(step?.number ?? 1),
    reason: verdictText(verdict, variants),
  }
  await tx.execute(sql`select notify_members(${workspaceId}, 'test_decided', ${JSON.stringify(facts)}::jsonb)`)
}

// Adaptive shares

const isSending = ({ status, dmsQueuedCount }: Campaign) =>
  (status === 'active' || status === 'paused') && dmsQueuedCount > 0

/** Gives more people, including queued ones, to the variants that get more positive replies. */
async function rebalance(tx: Db, campaign: Campaign, test: StepTest) {
  const records = []
  let isBehind = false
  for (const { id } of test.variants) {
    const previous = test.state.records.find((record) => record.id === id) ?? {
      id,
      people: 0,
      positive: 0,
      after: null,
    }
    const outcomes = await readOutcomes(tx, test, id, previous.after)
    isBehind ||= outcomes.length === BATCH
    records.push({
      id,
      people: previous.people + outcomes.length,
      positive: previous.positive + outcomes.filter(({ positive }) => positive === 1).length,
      after: outcomes.at(-1)?.place ?? previous.after,
    })
  }
  const state = { ...test.state, records }
  if (isBehind) return { state, nextAt: sql`now()` }
  const seed = `${test.id} ${records.map(({ people }) => people).join(' ')}`
  const shares: VariantShare[] = adaptiveShares(records, seededRandom(seed))
  const step = await findStep(tx, campaign, test.stepId)
  if (step && isSending(campaign)) await chooseAgain(tx, campaign, test, step, shares)
  return { state, shares, nextAt: campaign.status === 'archived' ? null : later(REBALANCED_EVERY_MINUTES) }
}
