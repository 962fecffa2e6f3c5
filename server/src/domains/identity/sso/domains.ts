import { randomBytes } from 'node:crypto'
import type { InputOf } from '@x-automated/contract/contract'
import { DOMAIN_RECORD } from '@x-automated/contract/identity/sso-problems'
import { and, eq, isNull, sql } from 'drizzle-orm'
import type { Actor } from '../../../actor.ts'
import { one } from '../../../db/one.ts'
import type { Db } from '../../../db/open.ts'
import { isUniqueViolation } from '../../../db/unique-violation.ts'
import { type Dns, DnsUnavailable } from '../../../outside/dns.ts'
import { invalidField, Refusal } from '../../../refusal.ts'
import type { Limits } from '../../../requests/limits.ts'
import type { ProviderContext } from './engine.ts'
import { isProvedBy } from './rules.ts'
import { ssoDomains } from './tables.ts'

const DOMAINS_MAX = 50

/** The context of changes to a workspace's single sign-on. */
export type AdminContext = ProviderContext & { db: Db; limits: Limits; dns: Dns }

/** A domain with the TXT record that verifies it. */
export function shownDomain(domain: typeof ssoDomains.$inferSelect) {
  return { ...domain, record: DOMAIN_RECORD + domain.token }
}

/** Adds a domain, or returns the existing one. @throws Refusal INVALID_INPUT: too many */
export async function addDomain(db: Db, { workspaceId, userId }: Actor, { domain }: InputOf<'sso', 'addDomain'>) {
  const isIt = and(eq(ssoDomains.workspaceId, workspaceId), eq(ssoDomains.domain, domain))
  if ((await db.$count(ssoDomains, eq(ssoDomains.workspaceId, workspaceId))) >= DOMAINS_MAX)
    throw invalidField('domain', `A workspace can have ${DOMAINS_MAX} domains.`)
  const token = randomBytes(18).toString('base64url')
  await db.insert(ssoDomains).values({ workspaceId, userId, domain, token }).onConflictDoNothing()
  return shownDomain(one(await db.select().from(ssoDomains).where(isIt)))
}

/** Verifies a domain by its TXT record. */
export async function verifyDomain({ db, dns, limits }: AdminContext, { workspaceId }: Actor, id: string) {
  const isOwn = and(eq(ssoDomains.id, id), eq(ssoDomains.workspaceId, workspaceId))
  const [domain] = await db.select().from(ssoDomains).where(isOwn)
  if (!domain) throw new Refusal('SSO_DOMAIN_NOT_FOUND')
  if (domain.verifiedAt) return shownDomain(domain)
  await limits.consume('lookUpByWorkspace', workspaceId)
  const records = await dns.txt(domain.domain).catch((error: unknown) => {
    if (!(error instanceof DnsUnavailable)) throw error
    throw new Refusal('UNAVAILABLE', 'DNS is not responding. Please try again in a moment.', {
      retryAfterSeconds: 5,
      cause: error,
    })
  })
  if (!isProvedBy(records, domain.token)) throw new Refusal('SSO_DOMAIN_UNPROVED')
  try {
    const [verified] = await db
      .update(ssoDomains)
      .set({ verifiedAt: sql`now()` })
      .where(and(isOwn, isNull(ssoDomains.verifiedAt)))
      .returning()
    // If no row was updated, a parallel request has verified or removed the domain.
    const row = verified ?? (await db.select().from(ssoDomains).where(isOwn))[0]
    if (!row) throw new Refusal('SSO_DOMAIN_NOT_FOUND')
    return shownDomain(row)
  } catch (error) {
    throw isUniqueViolation(error) ? new Refusal('SSO_DOMAIN_TAKEN', undefined, { cause: error }) : error
  }
}

/** @throws Refusal SSO_DOMAIN_NOT_FOUND */
export async function removeDomain(db: Db, { workspaceId }: Actor, id: string): Promise<void> {
  const isOwn = and(eq(ssoDomains.id, id), eq(ssoDomains.workspaceId, workspaceId))
  const removed = await db.delete(ssoDomains).where(isOwn).returning({ id: ssoDomains.id })
  if (removed.length === 0) throw new Refusal('SSO_DOMAIN_NOT_FOUND')
}
