import { EARLY_FEATURES, type EarlyFeature, earlyIn, RELEASE } from '@x-automated/contract/platform/early-features'
import { and, asc, eq, sql } from 'drizzle-orm'
import { type Actor, roleAllows } from '../../../actor.ts'
import { one } from '../../../db/one.ts'
import type { Db } from '../../../db/open.ts'
import type { Env } from '../../../env.ts'
import { workspaceMembers } from '../../identity/workspaces/tables.ts'
import { rewardUrl } from './rules.ts'
import { rewardGrants } from './tables.ts'

/** The owner's rewards from the waitlist, oldest first. They apply in every workspace that the person owns. */
function earnedBy(db: Db, workspaceId: string) {
  const { achievement, months, earnedAt, grantedAt, confirmed, needed, startsAt } = rewardGrants
  return db
    .select({ achievement, months, earnedAt, grantedAt, confirmed, needed, startsAt })
    .from(rewardGrants)
    .innerJoin(workspaceMembers, eq(workspaceMembers.userId, rewardGrants.accountUserId))
    .where(isOwned(workspaceId))
    .orderBy(asc(grantedAt), asc(earnedAt), asc(months), asc(achievement))
}

/** The rewards that apply in a workspace, that is, those that are not held. */
export async function givenTo(db: Db, workspaceId: string) {
  const earned = await earnedBy(db, workspaceId)
  return earned.flatMap(({ achievement, months, grantedAt }) => (grantedAt ? [{ achievement, months, grantedAt }] : []))
}

const isOwned = (workspaceId: string) =>
  and(eq(workspaceMembers.workspaceId, workspaceId), eq(workspaceMembers.role, 'owner'))

/** Whether the owner is a pioneer, was referred or has referred someone. */
async function hasEarlyAccess(db: Db, workspaceId: string): Promise<boolean> {
  const { rows } = await db.execute<{ isEarly: boolean }>(sql`
    select exists (
      select from workspace_members w join users u on u.account_user_id = w.user_id
      where w.workspace_id = ${workspaceId} and w.role = 'owner' and (
        'pioneer' = any(u.achievements) or u.referred_by is not null
        or exists (select from referral_counts c where c.period = 'alltime' and c.member_id = u.id and c.referral_count > 0))
    ) as "isEarly"`)
  return one(rows).isEarly
}

/** Whether a workspace has a feature: it is open to everyone, or this workspace gets it early. */
export async function hasFeature(
  db: Db,
  workspaceId: string,
  key: string,
  { release = RELEASE, features = EARLY_FEATURES }: { release?: string; features?: readonly EarlyFeature[] } = {},
): Promise<boolean> {
  return !earlyIn(release, features).some((feature) => feature.key === key) || hasEarlyAccess(db, workspaceId)
}

/** The rewards of the workspace's owner, and the features that the workspace gets early. */
export async function rewards(
  { db, env }: { db: Db; env: Pick<Env, 'prioritySupportEmail' | 'strategyCallUrl'> },
  { workspaceId, role }: Actor,
) {
  const [earned, isEarly] = [await earnedBy(db, workspaceId), await hasEarlyAccess(db, workspaceId)]
  const isOwner = roleAllows(role, 'owner')
  return {
    rewards: earned.map(({ achievement, earnedAt, grantedAt, confirmed, needed, startsAt }) => ({
      achievement,
      earnedAt,
      status: grantedAt ? ('given' as const) : ('held' as const),
      confirmed,
      needed,
      startsAt: grantedAt ?? startsAt,
      url: isOwner && grantedAt ? rewardUrl(achievement, env) : null,
    })),
    hasEarlyAccess: isEarly,
    early: isEarly ? earlyIn(RELEASE) : [],
  }
}
