import { NO_ID } from '@x-automated/contract/fields'
import { eq } from 'drizzle-orm'
import { beforeAll, beforeEach, expect, it } from 'vitest'
import { insertConversation } from '../../../../test/conversations.ts'
import { ageRemovals } from '../../../../test/jobs.ts'
import { makeLeads } from '../../../../test/leads.ts'
import { makePerson, type Person } from '../../../../test/makers.ts'
import { notifyOfReply } from '../../../../test/notifications.ts'
import { openApp, type TestApp } from '../../../../test/open-app.ts'
import { insertAccount } from '../../../../test/x-accounts.ts'
import { purgeRemovals } from '../../../core/people/removal.ts'
import { conversationDrafts, labelCorrections } from '../../../core/tables/conversations.ts'
import { leads } from '../../../core/tables/leads.ts'
import { notifications } from '../../platform/notifications/tables.ts'

let app: TestApp
let person: Person
let member: Person
beforeAll(async () => {
  app = await openApp()
})
beforeEach(async () => {
  person = await makePerson(app)
  member = await makePerson(app, { in: person, role: 'member' })
  await insertAccount(app, person, '1', 'sender')
})

async function makeConversation(lead: { xUserId: string | null; twitterHandle: string }, at = new Date()) {
  const [made] = await makeLeads(app, person, [lead])
  const { id } = await insertConversation(app, { workspaceId: person.workspaceId, leadId: made!.id, at })
  return { id, leadId: made!.id }
}
const note = (id: string, text: string, by = member) => by.call('POST', `/conversations/${id}/notes`, { text })
const notesOf = async (leadId: string) =>
  (await person.client.leads.history({ id: leadId })).events.flatMap((event) =>
    event.kind === 'note' ? [event.text] : [],
  )

it('a note has its author and text, and can be changed', async () => {
  const { id } = await makeConversation({ xUserId: '7', twitterHandle: 'ana' })
  const { status, body } = await note(id, 'Prefers calls')
  expect([status, body]).toEqual([
    200,
    {
      id: expect.any(String),
      text: 'Prefers calls',
      author: { id: member.id, name: expect.any(String) },
      createdAt: expect.any(String),
      updatedAt: expect.any(String),
    },
  ])
  expect(await member.client.notes.update({ id: body.id, text: 'Prefers email' })).toMatchObject({
    text: 'Prefers email',
    createdAt: body.createdAt,
  })
})

it('a note is changed and deleted by its author and admins, not by others', async () => {
  const { id } = await makeConversation({ xUserId: '7', twitterHandle: 'ana' })
  const { body } = await note(id, 'Mine')
  const viewer = await makePerson(app, { in: person, role: 'viewer' })
  for (const other of [await makePerson(app, { in: person, role: 'member' }), viewer]) {
    expect((await other.call('PATCH', `/notes/${body.id}`, { text: 'Theirs' })).status).toBe(403)
    expect((await other.call('DELETE', `/notes/${body.id}`)).status).toBe(403)
  }
  expect((await note(id, 'No', viewer)).status).toBe(403)
  expect((await person.call('DELETE', `/notes/${body.id}`)).status).toBe(204)
  expect((await member.call('DELETE', `/notes/${body.id}`)).body.code).toBe('NOTE_NOT_FOUND')
})

it.each([{}, { text: ' ' }, { text: 'x'.repeat(10_001) }])('returns 400 for invalid input %#', async (body) => {
  const { id } = await makeConversation({ xUserId: '7', twitterHandle: 'ana' })
  expect((await member.call('POST', `/conversations/${id}/notes`, body)).status).toBe(400)
})

it('notes are in the history of the lead, without texts for viewers', async () => {
  const { id, leadId } = await makeConversation({ xUserId: '7', twitterHandle: 'ana' })
  const { body } = await note(id, 'A private thought')
  const viewer = await makePerson(app, { in: person, role: 'viewer' })
  const eventOf = async ({ client }: Person) =>
    (await client.leads.history({ id: leadId })).events.find(({ kind }) => kind === 'note')
  expect(await eventOf(member)).toMatchObject({ noteId: body.id, text: 'A private thought' })
  expect(await eventOf(viewer)).toMatchObject({ noteId: body.id, text: null })
})

it('a corrected label is in the history of the lead', async () => {
  const { id, leadId } = await makeConversation({ xUserId: '7', twitterHandle: 'ana' })
  await member.client.conversations.update({ id, label: 'meeting' })
  const { events } = await person.client.leads.history({ id: leadId })
  expect(events).toContainEqual({ kind: 'labelled', at: expect.anything(), label: 'meeting' })
})

it('notes are deleted with their lead and come back if that is undone', async () => {
  const { id, leadId } = await makeConversation({ xUserId: '7', twitterHandle: 'ana' })
  const { body } = await note(id, 'Keep me')
  const { removalId } = await person.client.leads.removeMany({ leadIds: [leadId] })
  expect((await member.call('PATCH', `/notes/${body.id}`, { text: 'x' })).status).toBe(404)
  await person.client.leads.restore({ removalId: removalId! })
  expect(await notesOf(leadId)).toEqual(['Keep me'])
  await person.client.leads.remove({ id: leadId })
  expect((await member.call('PATCH', `/notes/${body.id}`, { text: 'x' })).status).toBe(404)
})

it('drafts come back with their lead, except those of members who may no longer write', async () => {
  const { id, leadId } = await makeConversation({ xUserId: '7', twitterHandle: 'ana' })
  const other = await makePerson(app, { in: person, role: 'member' })
  for (const { id: userId, client } of [member, other])
    await client.conversations.saveDraft({ id, text: `From ${userId}` })
  const { removalId } = await person.client.leads.removeMany({ leadIds: [leadId] })
  await person.client.people.update({ id: other.id, role: 'viewer' })
  await person.client.leads.restore({ removalId: removalId! })
  const drafts = await app.db.select().from(conversationDrafts).where(eq(conversationDrafts.conversationId, id))
  expect(drafts.map(({ text }) => text)).toEqual([`From ${member.id}`])
})

it('corrections of labels are deleted with their lead, once that cannot be undone', async () => {
  const first = await makeConversation({ xUserId: '7', twitterHandle: 'ana' })
  const other = await makeConversation({ xUserId: '8', twitterHandle: 'bob' })
  for (const { id } of [first, other]) await member.client.conversations.update({ id, label: 'meeting' })
  const count = () => app.db.$count(labelCorrections, eq(labelCorrections.workspaceId, person.workspaceId))
  await person.client.leads.removeMany({ leadIds: [first.leadId] })
  await purgeRemovals(app.db)
  expect(await count()).toBe(2)
  await ageRemovals(app, {}, 120)
  await purgeRemovals(app.db)
  expect(await count()).toBe(1)
  await person.client.leads.remove({ id: other.leadId })
  expect(await count()).toBe(0)
})

it('notifications lead to the inbox once their conversation was merged', async () => {
  const { id } = await makeConversation({ xUserId: '7', twitterHandle: 'ana' })
  const facts = [id, NO_ID].map((conversationId) => ({ leadName: 'Ana', conversationId }))
  for (const entry of facts) await notifyOfReply(app, person, entry)
  const { notifications: listed } = await person.client.notifications.list({})
  expect(listed.map(({ path }) => path).sort()).toEqual(['/inbox', `/inbox/${id}`])
})

it('notifications no longer name a lead that was deleted', async () => {
  const { id, leadId } = await makeConversation({ xUserId: '7', twitterHandle: 'ana' })
  const facts = { leadName: 'Ana', label: 'meeting', conversationId: id } as const
  await notifyOfReply(app, person, facts)
  await person.client.leads.removeMany({ leadIds: [leadId] })
  const [notification] = await app.db
    .select()
    .from(notifications)
    .where(eq(notifications.workspaceId, person.workspaceId))
  expect(notification?.facts).toEqual({ label: 'meeting' })
  const { notifications: listed } = await person.client.notifications.list({})
  expect(listed).toMatchObject([{ title: 'A lead replied', path: '/inbox' }])
})

it('notes move to the lead that is kept if two are merged', async () => {
  const survivor = await makeConversation({ xUserId: '7', twitterHandle: 'ana' })
  const duplicate = await makeConversation({ xUserId: null, twitterHandle: 'ana_new' })
  await note(survivor.id, 'One')
  const { body } = await note(duplicate.id, 'Two')
  await makeLeads(app, person, [{ xUserId: '7', twitterHandle: 'ana_new' }])
  const left = await app.db.select().from(leads).where(eq(leads.workspaceId, person.workspaceId))
  expect(left).toHaveLength(1)
  expect((await notesOf(left[0]!.id)).sort()).toEqual(['One', 'Two'])
  expect((await member.call('PATCH', `/notes/${body.id}`, { text: 'Still here' })).status).toBe(200)
})
