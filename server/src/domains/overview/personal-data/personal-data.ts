import type { InputOf } from '@x-automated/contract/contract'
import { and, asc, eq, getTableColumns, inArray, ne, type SQL, sql } from 'drizzle-orm'
import type { PgColumn, PgTable } from 'drizzle-orm/pg-core'
import { Zip, ZipDeflate } from 'fflate'
import type { Actor, WorkspaceScope } from '../../../actor.ts'
import { campaignAnswer } from '../../../core/campaigns/campaign.ts'
import { deleteDraftsOf } from '../../../core/conversations/drafts.ts'
import { clearAuthor } from '../../../core/messages/counts.ts'
import { dmAnswer } from '../../../core/messages/read.ts'
import { campaigns } from '../../../core/tables/campaigns.ts'
import { conversationDrafts, conversationNotes, conversations } from '../../../core/tables/conversations.ts'
import { leads, leadTags, pastContacts } from '../../../core/tables/leads.ts'
import { leadListItems } from '../../../core/tables/list-entries.ts'
import { dms } from '../../../core/tables/messages.ts'
import { openers } from '../../../core/tables/openers.ts'
import { replies } from '../../../core/tables/replies.ts'
import { suppressions } from '../../../core/tables/suppressions.ts'
import { allowLongStatements } from '../../../db/long-statements.ts'
import type { Db } from '../../../db/open.ts'
import { transact } from '../../../db/transact.ts'
import type { Email } from '../../../emails/email.ts'
import type { JobQueue, SignUpContext } from '../../../ports.ts'
import { invalidField, Refusal } from '../../../refusal.ts'
import { deleteAnswers } from '../../../requests/once.ts'
import { idempotencyKeys } from '../../../requests/tables.ts'
import { deleteCodesTo } from '../../identity/account/codes.ts'
import { requireProof } from '../../identity/account/proof.ts'
import { deleteAccount } from '../../identity/auth/accounts.ts'
import { type AuthContext, endOtherSessions } from '../../identity/auth/sessions.ts'
import { deleteSignUps } from '../../identity/auth/sign-up.ts'
import { authIdentities, authSessions, authUsers } from '../../identity/auth/tables.ts'
import { deleteInvitationsTo } from '../../identity/people/invitations.ts'
import { workspaceInvitations } from '../../identity/people/tables.ts'
import { authFactors } from '../../identity/second-factors/tables.ts'
import { unlinkWorkspace } from '../../identity/sso/connections.ts'
import { ssoConnections, ssoDomains } from '../../identity/sso/tables.ts'
import { extensionPairings, workspaceMembers, workspaces } from '../../identity/workspaces/tables.ts'
import { deleteMembershipChanges, deleteWorkspace, endMemberships } from '../../identity/workspaces/workspaces.ts'
import { imports } from '../../leads/imports/tables.ts'
import { leadLists } from '../../leads/lists/tables.ts'
import { savedFilters } from '../../leads/saved-filters/tables.ts'
import { scrapes } from '../../leads/scrapes/tables.ts'
import { tags } from '../../leads/tags/tables.ts'
import { campaignDrafts } from '../../outreach/campaign-drafts/tables.ts'
import { conversationOffers } from '../../outreach/conversation-offers/tables.ts'
import { conversationSettings } from '../../outreach/replies/tables.ts'
import { replySettings, sendingLimits, sendingSettings } from '../../outreach/sending-settings/tables.ts'
import { snippets } from '../../outreach/snippets/tables.ts'
import { templates } from '../../outreach/templates/tables.ts'
import { writerAbouts, writerProviders, writerUsage } from '../../outreach/writer/tables.ts'
import { removeOf as removeKeys } from '../../platform/api-keys/api-keys.ts'
import { apiKeys } from '../../platform/api-keys/tables.ts'
import { endSubscriptions } from '../../platform/billing/plan.ts'
import { monthlyUsage, paidSubscriptions, subscriptions } from '../../platform/billing/tables.ts'
import { workspaceBranding } from '../../platform/branding/tables.ts'
import { jobs } from '../../platform/jobs/tables.ts'
import { notificationPreferences, notifications } from '../../platform/notifications/tables.ts'
import { disconnectAll } from '../../platform/x-account/disconnecting.ts'
import { xAccounts } from '../../platform/x-account/tables.ts'
import { members, referrals, rewardGrants } from '../../waitlist/waitlist/tables.ts'
import { anonymizeMember } from '../../waitlist/waitlist/waitlist.ts'
import { reports } from '../reports/tables.ts'

/** Rows per read, to limit memory. */
const BATCH = 1_000

/** Permanently deletes an account, its sessions and its workspaces. */
export async function remove(
  context: AuthContext & SignUpContext & Parameters<typeof disconnectAll>[0] & { jobs: JobQueue },
  actor: Actor,
  { confirmation, currentPassword }: InputOf<'personalData', 'remove'>,
) {
  const { db, auth, outbox, jobs, origin } = context
  const [user] = await db.select().from(authUsers).where(eq(authUsers.id, actor.userId))
  if (!user) throw new Refusal('UNAUTHORIZED')
  if (confirmation.trim().toLowerCase() !== user.email)
    throw invalidField('confirmation', 'must be the email address of your account')
  await requireProof(context, actor, currentPassword)
  // Revoke tokens at X first, because the rows that contain them are deleted below.
  for (const workspaceId of await ownedBy(db, user.id)) await disconnectAll(context, { ...actor, workspaceId })
  await transact(db, async (tx) => {
    // Deleting a workspace with a million leads exceeds the usual statement timeout.
    await allowLongStatements(tx)
    // Locked, so that no workspace is transferred to this user in the meantime.
    const memberships = await tx
      .select()
      .from(workspaceMembers)
      .where(eq(workspaceMembers.userId, user.id))
      .for('update')
    const owned = await ownedBy(tx, user.id)
    // Deleted workspaces must not be billed.
    await endSubscriptions(tx, jobs, owned)
    // Responses stored for Idempotency-Keys contain personal data.
    const ofKeys = tx
      .select({ scope: sql`'key:' || ${apiKeys.id}` })
      .from(apiKeys)
      .where(inArray(apiKeys.workspaceId, owned))
    await deleteAnswers(tx, inArray(idempotencyKeys.scope, ofKeys))
    for (const workspaceId of owned) {
      await unlinkWorkspace(tx, auth, workspaceId)
      // The user's own sessions are ended below.
      await endMemberships(tx, and(eq(workspaceMembers.workspaceId, workspaceId), ne(workspaceMembers.userId, user.id)))
      await deleteWorkspace(tx, workspaceId)
    }
    // As when a member leaves, their keys are removed. Keys that a workspace kept when they left it earlier stay.
    for (const { workspaceId } of memberships) await removeKeys(tx, workspaceId, user.id)
    // Done late, because it blocks all waitlist joins until the transaction ends.
    await anonymizeMember(tx, user.id)
    await endOtherSessions(tx, auth, { userId: user.id, except: null })
    await deleteAnswers(tx, eq(idempotencyKeys.scope, `user:${user.id}`))
    await deleteInvitationsTo(tx, user.email)
    await deleteMembershipChanges(tx, user.id)
    await deleteDraftsOf(tx, user.id)
    await deleteCodesTo(tx, user.email)
    await deleteSignUps(tx, user.email)
    await clearAuthor(tx, user.id)
    await deleteAccount(tx, user.id)
    await outbox.postAccount(tx, accountDeletedEmail(user.email, origin))
  })
  return { success: true as const }
}

/**
 * Streams all data of an account as a ZIP of JSON files, without secrets and internal columns.
 * @throws Refusal UNAUTHORIZED before the first chunk if the account was deleted
 */
export async function archiveOf(db: Db, actor: Actor): Promise<AsyncGenerator<Uint8Array>> {
  const { userId } = actor
  const [user] = await db.select().from(authUsers).where(eq(authUsers.id, userId))
  if (!user) throw new Refusal('UNAUTHORIZED')
  const ids: string[] = await ownedBy(db, userId)
  const inOwn = (column: PgColumn) => inArray(column, ids)
  const [member] = await db.select({ id: members.id }).from(members).where(eq(members.accountUserId, userId))
  const ownTags = db.select({ id: tags.id }).from(tags).where(inOwn(tags.workspaceId))
  const lists = db.select({ id: leadLists.id }).from(leadLists).where(inOwn(leadLists.workspaceId))

  return zipOf([
    ['account.json', [user][Symbol.iterator]()],
    [
      'sign-ins.json',
      rowsOf(db, authIdentities, and(eq(authIdentities.userId, userId), ne(authIdentities.providerId, 'credential'))),
    ],
    ['second-factors.json', rowsOf(db, authFactors, eq(authFactors.userId, userId))],
    ['sessions.json', rowsOf(db, authSessions, eq(authSessions.userId, userId))],
    ['workspaces.json', rowsOf(db, workspaces, inOwn(workspaces.id))],
    ['memberships.json', (await membershipsOf(db, userId))[Symbol.iterator]()],
    ['invitations.json', rowsOf(db, workspaceInvitations, inOwn(workspaceInvitations.workspaceId))],
    ['subscriptions.json', await allOf(db, subscriptions, inOwn(subscriptions.workspaceId))],
    ['payments.json', rowsOf(db, paidSubscriptions, inOwn(paidSubscriptions.workspaceId))],
    ['usage.json', await allOf(db, monthlyUsage, inOwn(monthlyUsage.workspaceId))],
    ['x-accounts.json', rowsOf(db, xAccounts, inOwn(xAccounts.workspaceId))],
    ['leads.json', rowsOf(db, leads, inOwn(leads.workspaceId))],
    ['imports.json', rowsOf(db, imports, inOwn(imports.workspaceId))],
    ['past-contacts.json', rowsOf(db, pastContacts, inOwn(pastContacts.workspaceId))],
    ['tags.json', rowsOf(db, tags, inOwn(tags.workspaceId))],
    ['lead-tags.json', rowsBy(db, leadTags, ['tagId', 'leadId'], inArray(leadTags.tagId, ownTags))],
    ['saved-filters.json', rowsOf(db, savedFilters, inOwn(savedFilters.workspaceId))],
    ['lead-lists.json', rowsOf(db, leadLists, inOwn(leadLists.workspaceId))],
    [
      'lead-list-items.json',
      rowsBy(db, leadListItems, ['leadListId', 'leadId'], inArray(leadListItems.leadListId, lists)),
    ],
    ['campaigns.json', campaignsOf(db, inOwn(campaigns.workspaceId))],
    ['messages.json', messagesOf(db, inOwn(dms.workspaceId))],
    ['openers.json', rowsBy(db, openers, ['workspaceId', 'id'], inOwn(openers.workspaceId))],
    ['jobs.json', rowsBy(db, jobs, ['workspaceId', 'id'], inOwn(jobs.workspaceId))],
    ['replies.json', rowsOf(db, replies, inOwn(replies.workspaceId))],
    ['conversations.json', rowsBy(db, conversations, ['workspaceId', 'id'], inOwn(conversations.workspaceId))],
    [
      'conversation-notes.json',
      rowsBy(db, conversationNotes, ['workspaceId', 'id'], inOwn(conversationNotes.workspaceId)),
    ],
    [
      'conversation-offers.json',
      rowsBy(db, conversationOffers, ['workspaceId', 'id'], inOwn(conversationOffers.workspaceId)),
    ],
    ['campaign-drafts.json', await allOf(db, campaignDrafts, eq(campaignDrafts.userId, userId))],
    ['drafts.json', await allOf(db, conversationDrafts, eq(conversationDrafts.userId, userId))],
    ['snippets.json', rowsBy(db, snippets, ['workspaceId', 'id'], inOwn(snippets.workspaceId))],
    ['templates.json', rowsBy(db, templates, ['workspaceId', 'id'], inOwn(templates.workspaceId))],
    ['ai-writer.json', await allOf(db, writerProviders, inOwn(writerProviders.workspaceId))],
    ['ai-writer-about.json', await allOf(db, writerAbouts, inOwn(writerAbouts.workspaceId))],
    ['ai-writer-usage.json', await allOf(db, writerUsage, inOwn(writerUsage.workspaceId))],
    ['conversation-settings.json', await allOf(db, conversationSettings, inOwn(conversationSettings.workspaceId))],
    ['suppressions.json', rowsOf(db, suppressions, inOwn(suppressions.workspaceId))],
    ['sending-limits.json', rowsOf(db, sendingLimits, inOwn(sendingLimits.workspaceId))],
    ['sending-settings.json', await allOf(db, sendingSettings, inOwn(sendingSettings.workspaceId))],
    ['reply-settings.json', await allOf(db, replySettings, inOwn(replySettings.workspaceId))],
    ['single-sign-on.json', rowsOf(db, ssoConnections, inOwn(ssoConnections.workspaceId))],
    ['single-sign-on-domains.json', rowsOf(db, ssoDomains, inOwn(ssoDomains.workspaceId))],
    ['api-keys.json', rowsBy(db, apiKeys, ['workspaceId', 'id'], inOwn(apiKeys.workspaceId))],
    ['branding.json', await allOf(db, workspaceBranding, inOwn(workspaceBranding.workspaceId))],
    ['client-reports.json', rowsBy(db, reports, ['workspaceId', 'id'], inOwn(reports.workspaceId))],
    ['extension-pairings.json', await allOf(db, extensionPairings, eq(extensionPairings.userId, userId))],
    ['notifications.json', rowsOf(db, notifications, eq(notifications.userId, userId))],
    [
      'notification-preferences.json',
      await allOf(db, notificationPreferences, eq(notificationPreferences.userId, userId)),
    ],
    ['scrapes.json', rowsOf(db, scrapes, inOwn(scrapes.workspaceId))],
    ['waitlist.json', member ? rowsOf(db, members, eq(members.id, member.id)) : [][Symbol.iterator]()],
    ['referrals.json', member ? referralsOf(db, member.id) : [][Symbol.iterator]()],
    ['rewards.json', member ? rowsOf(db, rewardGrants, eq(rewardGrants.memberId, member.id)) : [][Symbol.iterator]()],
  ])
}

/** The workspaces that an account owns, which it may export and delete. */
async function ownedBy(db: Db, userId: string): Promise<WorkspaceScope[]> {
  const owned = await db
    .select({ id: workspaceMembers.workspaceId })
    .from(workspaceMembers)
    .where(and(eq(workspaceMembers.userId, userId), eq(workspaceMembers.role, 'owner')))
  return owned.map(({ id }) => id as WorkspaceScope)
}

/** The workspaces of an account, with its role in each. */
function membershipsOf(db: Db, userId: string): Promise<Row[]> {
  return db
    .select({
      workspaceId: workspaces.id,
      name: workspaces.name,
      role: workspaceMembers.role,
      since: workspaceMembers.createdAt,
    })
    .from(workspaceMembers)
    .innerJoin(workspaces, eq(workspaces.id, workspaceMembers.workspaceId))
    .where(eq(workspaceMembers.userId, userId))
    .orderBy(asc(workspaceMembers.createdAt))
}

/** Columns left out of the export: secrets and internal state. */
const HIDDEN = new Set([
  'password',
  'accessToken',
  'refreshToken',
  'idToken',
  'token',
  'tokenHash',
  'keyHash',
  'sealedAccessToken',
  'sealedRefreshToken',
  'sealedSecret',
  'sealedToken',
  'sealedClientSecret',
  'sealedKey',
  'publicKey',
  'challenge',
  'xUserHash',
  'handleHash',
  'lease',
  'holder',
  'leaseExpiresAt',
  'workerId',
  'cursor',
  'version',
  'readNo',
])

type Row = Record<string, unknown>
type Rows = Iterator<Row> | AsyncGenerator<Row>

/** The exported columns of a table. */
function shownOf(table: PgTable) {
  return Object.fromEntries(Object.entries(getTableColumns(table)).filter(([name]) => !HIDDEN.has(name)))
}

/** Reads all rows in one query, for tables with few rows per workspace or account. */
async function allOf(db: Db, table: PgTable, where: SQL): Promise<Rows> {
  const rows: Row[] = await db.select(shownOf(table)).from(table).where(where)
  return rows[Symbol.iterator]()
}

/** Reads rows in batches, by their primary key. */
async function* rowsOf(db: Db, table: PgTable & { id: PgColumn }, where: SQL | undefined): AsyncGenerator<Row> {
  yield* rowsBy(db, table, ['id'], where)
}

async function* rowsBy(db: Db, table: PgTable, key: string[], where: SQL | undefined): AsyncGenerator<Row> {
  const all = getTableColumns(table)
  const keys = key.flatMap((name) => all[name] ?? [])
  let last: Row | undefined
  do {
    const after = key.map((name) => sql`${last?.[name]}`)
    const rows: Row[] = await db
      .select(shownOf(table))
      .from(table)
      .where(and(where, last && sql`(${sql.join(keys, sql`, `)}) > (${sql.join(after, sql`, `)})`))
      .orderBy(...keys.map((column) => asc(column)))
      .limit(BATCH)
    yield* rows
    last = rows.length < BATCH ? undefined : rows.at(-1)
  } while (last)
}

async function* campaignsOf(db: Db, where: SQL): AsyncGenerator<Row> {
  for await (const row of rowsOf(db, campaigns, where))
    yield { ...campaignAnswer(row as typeof campaigns.$inferSelect) }
}

async function* messagesOf(db: Db, where: SQL): AsyncGenerator<Row> {
  for await (const row of rowsOf(db, dms, where)) yield { ...dmAnswer(row as typeof dms.$inferSelect) }
}

/** A member's referrals, without the identity of those referred. */
async function* referralsOf(db: Db, memberId: string): AsyncGenerator<Row> {
  yield* await db
    .select({ status: referrals.status, country: referrals.country, createdAt: referrals.createdAt })
    .from(referrals)
    .where(eq(referrals.referrerId, memberId))
    .orderBy(asc(referrals.createdAt))
}

async function* zipOf(files: [name: string, rows: Rows][]): AsyncGenerator<Uint8Array> {
  let ready: Uint8Array[] = []
  const zip = new Zip((error, piece) => {
    if (error) throw error
    ready.push(piece)
  })
  const takeReady = () => {
    const pieces = ready
    ready = []
    return pieces
  }
  const bytes = new TextEncoder()
  for (const [name, rows] of files) {
    const file = new ZipDeflate(name, { level: 6 })
    zip.add(file)
    let text = '['
    let count = 0
    for (let next = await rows.next(); !next.done; next = await rows.next()) {
      text += `${count === 0 ? '' : ','}\n${JSON.stringify(next.value)}`
      count += 1
      if (text.length < 64 * 1024) continue
      file.push(bytes.encode(text))
      text = ''
      yield* takeReady()
    }
    file.push(bytes.encode(`${text}\n]\n`), true)
    yield* takeReady()
  }
  zip.end()
  yield* takeReady()
}

function accountDeletedEmail(to: string, origin: string): Email {
  return {
    to,
    subject: 'Your account was deleted',
    lines: ['Your X-Automated account and everything in it were deleted, as you asked.'],
    action: { label: 'X-Automated', link: origin },
    closing: "We won't email this address again.",
  }
}
