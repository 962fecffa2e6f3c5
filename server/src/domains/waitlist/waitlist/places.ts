import type { Achievement } from '@x-automated/contract/waitlist/waitlist'
import { and, eq, sql } from 'drizzle-orm'
import type { WaitlistContext } from '../../../ports.ts'
import { publishEvent } from '../../platform/webhooks/webhooks.ts'
import type { LockedWaitlist } from './lock.ts'
import { insertMember, LETTERS_AND_DIGITS, type Member, randomText } from './members.ts'
import { grantRewards, publishEarned } from './rewards.ts'
import { PIONEERS } from './rules.ts'
import { members } from './tables.ts'

interface Newcomer {
  email: string
  normalizedEmail: string
  country: string | null
  referredBy: string | null
}

/** Assigns the next place to a new member. @returns null if the mailbox already has a member */
export async function assignPlace(
  waitlist: LockedWaitlist,
  context: WaitlistContext,
  newcomer: Newcomer,
): Promise<Member | null> {
  const { tx, now } = waitlist
  const position = waitlist.joined + 1
  const member = await insertMember(tx, {
    ...newcomer,
    position,
    joinedAt: now,
    signupDate: now,
    confirmationMailedAt: now,
    achievements: achievementsAt(position),
    referralCode: () => randomText(LETTERS_AND_DIGITS, 8),
  })
  if (!member) return null
  waitlist.joined = position
  await grantRewards(waitlist, member, achievementsAt(position))
  await publishJoined(waitlist, context, member)
  return member
}

/** Assigns the next place to an existing member. @returns null if the member has joined in the meantime */
export async function assignPlaceToMember(
  waitlist: LockedWaitlist,
  context: WaitlistContext,
  memberId: string,
  country: string | null,
): Promise<Member | null> {
  const { tx, now } = waitlist
  const position = waitlist.joined + 1
  const [member] = await tx
    .update(members)
    .set({
      position,
      joinedAt: now,
      confirmationMailedAt: now,
      country: sql`coalesce(${members.country}, ${country})`,
      achievements: sql`${members.achievements} || ${sql.param(achievementsAt(position), members.achievements)}`,
    })
    .where(and(eq(members.id, memberId), eq(members.position, 0)))
    .returning()
  if (!member) return null
  waitlist.joined = position
  await grantRewards(waitlist, member, achievementsAt(position))
  await publishJoined(waitlist, context, member)
  return member
}

/** Publishes a join and the achievements it earned to webhooks. */
async function publishJoined({ tx, now }: LockedWaitlist, context: WaitlistContext, member: Member): Promise<void> {
  const { id, email, position, referredBy } = member
  const data = { memberId: id, email, position, referredBy, joinedAt: now.toISOString() }
  await publishEvent(tx, context.jobs, { event: 'member.joined', at: now, data, addressOf: id })
  await publishEarned(tx, context, now, id, achievementsAt(position), 0)
}

function achievementsAt(position: number): Achievement[] {
  return position <= PIONEERS ? ['pioneer'] : []
}
