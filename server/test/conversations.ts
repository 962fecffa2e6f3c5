import { idOfHandle } from '@x-automated/stand-ins/x/ids'
import type { PgUpdateSetSource } from 'drizzle-orm/pg-core'
import { receive } from '../src/core/replies/receive.ts'
import { conversationCounts, conversationDrafts, conversations } from '../src/core/tables/conversations.ts'
import { conversationOffers } from '../src/domains/outreach/conversation-offers/tables.ts'
import type { XHappening } from '../src/outside/x-delivery.ts'
import type { Person } from './makers.ts'
import { matching, type Which, type Writer } from './matching.ts'
import type { TestApp } from './open-app.ts'
import { launch, makeList, openHandles } from './outreach.ts'

let lastEvent = 10n ** 18n

/** Delivers a message as X does. @param text '' for an encrypted one @param seconds from now until it is written */
export async function say(app: TestApp, from: string, to: string, text: string, seconds = 1): Promise<void> {
  const [senderId, recipientId] = [idOfHandle(from), idOfHandle(to)]
  lastEvent += 1n
  const at = new Date(Date.now() + seconds * 1_000)
  const handles = { [senderId]: from, [recipientId]: to }
  const ids = { eventId: String(lastEvent), senderId, recipientId }
  const event: XHappening = { kind: 'message', ...ids, at, text, isEncrypted: text === '', handles }
  await receive(app.db, [event])
}

/** Creates leads, and a campaign of the workspace that has messaged them. */
export async function messaged(app: TestApp, person: Person, count = 1) {
  const list = await makeList(app, person, openHandles(count))
  const campaign = await launch(person, list, { channel: 'extension' })
  for (let sent = 0; sent < count; sent += 1) {
    const { body } = await person.call('POST', `/campaigns/${campaign.id}/claim`, { holder: 'test' })
    await person.client.campaigns.recordOutcome({ id: body.dmId, lease: body.lease, wasSent: true })
  }
  return { campaign, handles: list.handles, leadIds: list.leadIds }
}

type Conversations = Which<typeof conversations>

/** Inserts a lead's conversation with the X account '1'. @param at when its last message was sent */
export async function insertConversation(
  { db }: Writer,
  {
    at = new Date(),
    ...values
  }: Partial<typeof conversations.$inferInsert> & { workspaceId: string; leadId: string; at?: Date },
): Promise<typeof conversations.$inferSelect> {
  const plain = { accountXUserId: '1', lastMessageId: values.leadId, lastMessageAt: at, sortAt: at }
  const [conversation] = await db
    .insert(conversations)
    .values({ ...plain, ...values })
    .returning()
  return conversation!
}

/** Deletes the conversations. */
export async function deleteConversations({ db }: Writer, which: Conversations): Promise<void> {
  await db.delete(conversations).where(matching(conversations, which))
}

/** Marks the newest message of the conversations as ours. */
export async function answerLast(to: Writer, which: Conversations): Promise<void> {
  await change(to, which, { isLastOurs: true })
}

/** Sets whether the conversations are encrypted. */
export async function encrypt(to: Writer, which: Conversations, isEncrypted = true): Promise<void> {
  await change(to, which, { isEncrypted })
}

/** Sets the end of the conversations' snooze to a second ago. */
export async function endSnooze(to: Writer, which: Conversations): Promise<void> {
  await change(to, which, { snoozedUntil: new Date(Date.now() - 1_000) })
}

/** Sets the conversations' label and the classifier's confidence in it. */
export async function classify(
  to: Writer,
  which: Conversations,
  label: (typeof conversations.$inferSelect)['label'],
  confidence: number,
): Promise<void> {
  await change(to, which, { label, confidence })
}

async function change({ db }: Writer, which: Conversations, set: PgUpdateSetSource<typeof conversations>) {
  await db.update(conversations).set(set).where(matching(conversations, which))
}

/** Inserts offers of people who are not leads, each a second older than the previous one. @returns the offers */
export async function insertOffers(
  { db }: Writer,
  { workspaceId }: { workspaceId: string },
  xAccountId: string,
  people: readonly { xUserId: string; twitterHandle: string }[],
): Promise<(typeof conversationOffers.$inferSelect)[]> {
  const at = (index: number) => new Date(Date.now() - index * 1_000)
  const rows = people.map((person, index) => ({ workspaceId, xAccountId, ...person, at: at(index) }))
  return db.insert(conversationOffers).values(rows).returning()
}

/** Backdates the offered people's messages to `days` days ago. */
export async function ageOffers({ db }: Writer, which: Which<typeof conversationOffers>, days: number): Promise<void> {
  const at = new Date(Date.now() - days * 86_400_000)
  await db.update(conversationOffers).set({ at }).where(matching(conversationOffers, which))
}

/** Stores a member's draft of a reply. */
export async function insertDraft({ db }: Writer, draft: typeof conversationDrafts.$inferInsert): Promise<void> {
  await db.insert(conversationDrafts).values(draft)
}

/** Inserts an open and unread conversation, and counts it as the workspace's only one. */
export async function insertCounted({ db }: Writer, workspaceId: string, leadId: string): Promise<void> {
  await db.insert(conversationCounts).values({ workspaceId, open: 1, unread: 1 })
  await insertConversation({ db }, { workspaceId, leadId })
}
