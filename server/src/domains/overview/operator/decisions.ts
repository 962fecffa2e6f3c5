import type { InputOf } from '@x-automated/contract/contract'
import { asc, eq, sql } from 'drizzle-orm'
import type { Db } from '../../../db/open.ts'
import { Refusal } from '../../../refusal.ts'
import { credit, type Referral, revertCredit, storeDecision } from '../../waitlist/waitlist/credits.ts'
import { invitationEmail } from '../../waitlist/waitlist/emails.ts'
import { changeWaitlist, type LockedWaitlist } from '../../waitlist/waitlist/lock.ts'
import { addresseeOf, markNextInvited } from '../../waitlist/waitlist/members.ts'
import { scheduleRewards } from '../../waitlist/waitlist/rewards.ts'
import { members, referrals } from '../../waitlist/waitlist/tables.ts'
import { type Done, note, type OperatorContext, offsetOf } from './log.ts'

/** SQL: the referral waits for an operator, either to be credited or to count for rewards. */
export const isHeld = sql`(${referrals.status} = 'held'
  or (${referrals.status} = 'credited' and ${referrals.rewardHold} is not null and ${referrals.rewardAllowed} is null))`

/** Referrals held for review, oldest first. */
export async function listHeld(db: Db, paging: InputOf<'operator', 'held'>) {
  const referrer = db.select({ id: members.id, email: members.email }).from(members).as('referrer')
  const [held, total] = await Promise.all([
    db
      .select({
        memberId: referrals.memberId,
        email: members.email,
        referrerEmail: referrer.email,
        reason: sql<
          NonNullable<Referral['holdReason']>
        >`case ${referrals.status} when 'held' then ${referrals.holdReason} else ${referrals.rewardHold} end`,
        country: referrals.country,
        createdAt: referrals.createdAt,
      })
      .from(referrals)
      .innerJoin(members, eq(members.id, referrals.memberId))
      .innerJoin(referrer, eq(referrer.id, referrals.referrerId))
      .where(isHeld)
      .orderBy(asc(referrals.createdAt), asc(referrals.memberId))
      .limit(paging.pageSize)
      .offset(offsetOf(paging)),
    db.$count(referrals, isHeld),
  ])
  return { held, total, ...paging }
}

// Deciding

/**
 * Credits a held referral now or, if confirmation is required, once the member confirms. Lets a
 * referral that is already credited count for rewards, too. @throws Refusal REFERRAL_NOT_FOUND,
 * REFERRAL_STATE
 */
export async function releaseReferral(context: OperatorContext, operatorId: string, memberId: string) {
  return decide(
    context,
    { operatorId, action: 'release', memberId },
    ['held', 'credited'],
    async (waitlist, referral) => {
      const { tx, now } = waitlist
      if (referral.status === 'credited') return decideReward(tx, referral, true)
      const decision = { decidedAt: now, decidedBy: operatorId, rewardAllowed: true }
      await storeDecision(tx, memberId, decision)
      const [member] = await tx.select().from(members).where(eq(members.id, memberId))
      if (context.env.waitlistConfirmRequired && !member?.confirmedAt)
        await storeDecision(tx, memberId, { status: 'unconfirmed' })
      else await credit(waitlist, context, referral)
    },
  )
}

/** Refuses to credit a held referral, or to count a credited one for rewards. @throws Refusal REFERRAL_NOT_FOUND, REFERRAL_STATE */
export async function refuseReferral(context: OperatorContext, operatorId: string, memberId: string) {
  return decide(context, { operatorId, action: 'refuse', memberId }, ['held', 'credited'], ({ tx, now }, referral) => {
    if (referral.status === 'credited') return decideReward(tx, referral, false)
    return storeDecision(tx, memberId, { status: 'refused', decidedAt: now, decidedBy: operatorId })
  })
}

/**
 * Decides whether a credited referral counts for rewards. @param isAllowed null: holds it again
 * @throws Refusal REFERRAL_STATE: its reward is not held or, for null, was not decided
 */
async function decideReward(tx: Db, referral: Referral, isAllowed: boolean | null): Promise<void> {
  const { memberId, referrerId, rewardHold, rewardAllowed } = referral
  if (!rewardHold || (isAllowed === null) === (rewardAllowed === null)) throw new Refusal('REFERRAL_STATE')
  await storeDecision(tx, memberId, { rewardAllowed: isAllowed })
  await scheduleRewards(tx, referrerId)
}

/**
 * Holds a decided referral again. Reverts its credit, but the referrer keeps the position gained. If
 * only the reward was held, holds the reward again.
 */
export async function undoDecision(context: OperatorContext, operatorId: string, memberId: string) {
  const decided: Referral['status'][] = ['credited', 'refused', 'unconfirmed']
  return decide(context, { operatorId, action: 'undo', memberId }, decided, async (waitlist, referral) => {
    if (!referral.holdReason) return decideReward(waitlist.tx, referral, null)
    if (!referral.decidedAt) throw new Refusal('REFERRAL_STATE')
    await revertCredit(waitlist, referral)
    await storeDecision(waitlist.tx, memberId, {
      status: 'held',
      decidedAt: null,
      decidedBy: null,
      rewardAllowed: null,
    })
  })
}

async function decide(
  context: OperatorContext,
  done: Done & { memberId: string },
  from: Referral['status'][],
  decision: (waitlist: LockedWaitlist, referral: Referral) => Promise<unknown>,
) {
  await changeWaitlist(context.db, async (waitlist) => {
    const [referral] = await waitlist.tx.select().from(referrals).where(eq(referrals.memberId, done.memberId))
    if (!referral) throw new Refusal('REFERRAL_NOT_FOUND')
    if (!from.includes(referral.status)) throw new Refusal('REFERRAL_STATE')
    await decision(waitlist, referral)
    await note({ ...context, db: waitlist.tx }, done)
  })
  return { success: true as const }
}

/** Invites the next members by position and emails them. Parallel calls invite nobody twice. */
export async function inviteNext(context: OperatorContext, operatorId: string, howMany: number) {
  const invited = await changeWaitlist(context.db, async ({ tx, now }) => {
    const reached = await markNextInvited({ tx, now }, howMany)
    const addressees = reached.map((member) => addresseeOf(context, member)).filter((to) => to !== null)
    await context.outbox.postAll(tx, addressees.map(invitationEmail))
    if (reached.length > 0) await note({ ...context, db: tx }, { operatorId, action: 'invite', count: reached.length })
    return reached.length
  })
  return { success: true as const, invited }
}
