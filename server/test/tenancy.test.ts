import { randomUUID } from 'node:crypto'
import { idOfHandle } from '@x-automated/stand-ins/x/ids'
import { beforeAll, describe, expect, it } from 'vitest'
import { trustSession } from '../src/domains/identity/auth/sessions.ts'
import { insertConversation, insertOffers } from './conversations.ts'
import { linkIdentity } from './credentials.ts'
import { connectX, makePerson, type Person, prove, subscribe } from './makers.ts'
import { openApp, type TestApp } from './open-app.ts'
import { insertOpener } from './openers.ts'
import { type Operation, operations } from './operations.ts'
import { insertReply } from './replies.ts'
import { addFactor } from './second-factors.ts'

// Tenancy: every operation treats the ids of another workspace as if they did not exist.

let app: TestApp
let owner: Person
let stranger: Person
/** Ids of the owner's objects, one for each kind of object that ids refer to. */
let theirs: Record<
  | 'lead'
  | 'opener'
  | 'job'
  | 'suppression'
  | 'reply'
  | 'conversation'
  | 'list'
  | 'tag'
  | 'filter'
  | 'campaign'
  | 'enrollment'
  | 'dm'
  | 'scrape'
  | 'import'
  | 'account'
  | 'session'
  | 'pairing'
  | 'identity'
  | 'factor'
  | 'domain'
  | 'person'
  | 'invitation'
  | 'snippet'
  | 'template'
  | 'draft'
  | 'note'
  | 'offer'
  | 'key'
  | 'report',
  string
>

beforeAll(async () => {
  // Everything that the owner can see is read twice per operation.
  app = await openApp({ x: true, unlimitedCalls: true })
  owner = await makePerson(app)
  stranger = await makePerson(app)
  const account = await connectX(app, owner)
  await connectX(app, stranger)
  const csv = 'twitter_handle,name\nsecret_lead,Secret Lead\n'
  await owner.call('POST', '/leads/import', csv, { 'content-type': 'text/csv' })
  const lead = (await owner.client.leads.list({})).leads[0]!
  const tag = await owner.client.tags.create({ name: 'Secret tag' })
  await owner.client.tags.apply({ leadIds: [lead.id], add: [tag.id] })
  const filter = await owner.client.savedFilters.create({ name: 'Secret filter', filter: { tag: tag.id } })
  const list = await owner.client.lists.create({ name: 'Secret list' })
  await owner.client.lists.addLeads({ id: list.id, leadIds: [lead.id] })
  const campaign = await owner.client.campaigns.create({
    name: 'Secret campaign',
    leadListId: list.id,
    messageTemplate: 'A secret for {lead_name}',
    status: 'draft',
    channel: 'extension',
  })
  await owner.client.campaigns.queue({ id: campaign.id })
  const dm = (await owner.client.campaigns.dms({ id: campaign.id })).dms[0]!
  const enrollment = (await owner.client.enrollments.list({ id: campaign.id })).enrollments[0]!
  const scrape = await owner.client.scrapes.create({ twitterHandle: 'f20_secret', type: 'followers', keywords: [] })
  const identity = await linkIdentity(app, owner.id, 'google')
  const factor = await addFactor(app, owner.id, 'Secret factor')
  await owner.client.suppressions.create({ handles: ['secret_person'] })
  const suppression = (await owner.client.suppressions.list({})).suppressions[0]!
  const { code } = await owner.client.extension.createCode()
  await owner.call('POST', '/extension/pair', { code, version: '1' })
  const { workspaceId } = owner
  const reply = await insertReply(app, { workspaceId, leadId: lead.id, text: 'A secret reply' })
  const accountXUserId = idOfHandle(account.handle)
  const last = { accountXUserId, lastMessageId: reply.id }
  const conversation = await insertConversation(app, { workspaceId, leadId: lead.id, ...last })
  const domain = await owner.client.sso.addDomain({ domain: 'secret.example' })
  const colleague = await makePerson(app, { in: owner, role: 'member' })
  await Promise.all([owner, stranger].map((person) => subscribe(app, person)))
  await prove(app, owner)
  const invitation = await owner.client.people.invite({ email: 'secret@example.org', role: 'admin' })
  const note = await owner.client.notes.create({ id: conversation.id, text: 'A secret note' })
  const [offer] = await insertOffers(app, owner, account.id, [{ xUserId: '2', twitterHandle: 'secret_sender' }])
  const opener = await insertOpener(app, { workspaceId, campaignId: campaign.id, leadId: lead.id }, 'A secret opener')
  theirs = {
    lead: lead.id,
    list: list.id,
    tag: tag.id,
    filter: filter.id,
    campaign: campaign.id,
    enrollment: enrollment.id,
    dm: dm.id,
    scrape: scrape.id,
    import: (await owner.client.imports.list({})).imports[0]!.id,
    suppression: suppression.id,
    reply: reply!.id,
    conversation: conversation.id,
    account: account.id,
    session: owner.actor.sessionId,
    pairing: (await owner.client.extension.list()).pairings[0]!.id,
    identity: identity,
    factor: factor.id,
    domain: domain.id,
    person: colleague.id,
    invitation: invitation.id,
    note: note.id,
    offer: offer!.id,
    template: (
      await owner.client.templates.create({
        name: 'Secret template',
        steps: [{ variants: [{ messageTemplate: 'A secret message' }] }],
      })
    ).id,
    opener: opener,
    draft: (await owner.client.campaignDrafts.save({ id: randomUUID(), version: 0, name: 'Secret draft' })).id,
    job: (await owner.client.openers.create({ id: campaign.id, filter: {} })).id,
    key: (await owner.client.apiKeys.create({ name: 'Secret key', scopes: ['leads:read'] })).id,
    report: (await owner.client.reports.create({ kind: 'campaign', campaignId: campaign.id })).id,
    snippet: (await owner.client.snippets.create({ shortcut: 'secret', text: 'A secret text' })).id,
  }
})

/** The kind of object, by the start of the path. */
const KINDS: Record<string, keyof typeof theirs> = {
  leads: 'lead',
  lists: 'list',
  tags: 'tag',
  filters: 'filter',
  campaigns: 'campaign',
  enrollments: 'enrollment',
  dms: 'dm',
  scrapes: 'scrape',
  imports: 'import',
  suppressions: 'suppression',
  replies: 'reply',
  conversations: 'conversation',
  'x-accounts': 'account',
  sessions: 'session',
  pairings: 'pairing',
  identities: 'identity',
  factors: 'factor',
  domains: 'domain',
  people: 'person',
  invitations: 'invitation',
  snippets: 'snippet',
  templates: 'template',
  'campaign-drafts': 'draft',
  notes: 'note',
  'conversation-offers': 'offer',
  openers: 'opener',
  jobs: 'job',
  'api-keys': 'key',
  reports: 'report',
}
const idIn = (operation: Operation) => {
  const kind = KINDS[/^\/(?:auth\/|sso\/|extension\/|workspace\/)?([\w-]+)\//.exec(operation.path)?.[1] ?? '']
  if (!kind) throw new Error(`${operation.name}: add the kind of id in ${operation.path} to KINDS`)
  return theirs[kind]
}
const bodies = (): Record<string, unknown> => ({
  'lists.update': { name: 'stolen' },
  'conversations.update': { status: 'done' },
  'conversations.answer': { text: 'Stolen', afterMessageId: theirs.reply },
  'conversations.saveDraft': { text: 'Stolen' },
  'tags.update': { name: 'stolen' },
  'tags.merge': { into: theirs.tag },
  'savedFilters.update': { name: 'stolen' },
  'lists.members': { leadIds: [theirs.lead] },
  'lists.addLeads': { leadIds: [theirs.lead] },
  'lists.removeLeads': { leadIds: [theirs.lead] },
  'campaigns.update': { status: 'archived' },
  'campaignDrafts.save': { version: 1, name: 'Stolen' },
  'xAccount.consent': { storesConversations: false, offersUnknownSenders: false },
  'people.update': { role: 'viewer' },
  'snippets.update': { text: 'stolen' },
  'templates.update': { name: 'stolen' },
  'templates.duplicate': {},
  'notes.create': { text: 'stolen' },
  'notes.update': { text: 'stolen' },
  'campaigns.claim': { holder: 'stranger' },
  'secondFactors.rename': { name: 'stolen' },
  'secondFactors.verify': { code: '123456' },
  'campaigns.recordOutcome': { lease: theirs.dm, wasSent: true },
  'campaigns.confirm': { lease: theirs.dm },
  'campaigns.release': { lease: theirs.dm },
  'openers.estimate': { filter: {} },
  'openers.create': { filter: {} },
  'openers.approve': { openers: [{ id: theirs.opener, version: 1 }] },
  'openers.update': { text: 'Stolen', isApproved: true },
  'sequences.save': { version: 1, steps: [{ variants: [{ messageTemplate: 'Stolen' }] }] },
})

// Operators' objects have no workspace. conventions.test.ts checks that others get 404.
const onOne = operations.filter(({ path, access }) => path.includes('{') && access !== 'operator')

/** Returns everything that the owner can see, as JSON. */
async function ownersView() {
  const { client } = await makePerson(app, { in: owner, role: 'viewer' })
  return JSON.stringify([
    await client.leads.list({}),
    await client.leads.find({ id: theirs.lead }),
    await client.leads.history({ id: theirs.lead }),
    await client.tags.list(),
    await client.savedFilters.list(),
    await client.lists.list({}),
    await client.lists.leads({ id: theirs.list }),
    await client.campaigns.list({}),
    await client.campaigns.dms({ id: theirs.campaign }),
    await client.enrollments.list({ id: theirs.campaign }),
    await client.messages.leads({}),
    await client.analytics.find({}),
    await client.scrapes.list({}),
    await client.suppressions.list({}),
    await owner.client.conversations.list({}),
    await owner.client.conversations.find({ id: theirs.conversation }),
    await client.xAccount.status(),
    await client.xAccount.list(),
    (await owner.client.account.listSessions()).sessions.map(({ id }) => id),
    await owner.client.identities.list(),
    (await owner.client.extension.list()).pairings.map(({ id }) => id),
    await owner.client.secondFactors.list(),
    await owner.client.sso.find(),
    // Only this person: the list also has the viewers that this function adds.
    (await owner.client.people.list({})).people.find(({ id }) => id === theirs.person),
    await owner.client.people.listInvitations(),
    await owner.client.apiKeys.list(),
    await owner.client.reports.list({}),
    await owner.client.branding.find(),
    await owner.client.snippets.list(),
    await owner.client.templates.list({}),
    await owner.client.conversationOffers.list({}),
    await owner.client.campaignDrafts.find({ id: theirs.draft }),
    await owner.client.openers.list({ id: theirs.campaign }),
    await client.jobs.list({}),
  ])
}

describe("with another workspace's ids", () => {
  it.each(onOne.map((operation) => [operation.name, operation] as const))(
    'returns 404 from %s as for unknown ids, and changes nothing',
    async (_, operation) => {
      const before = await ownersView()
      const body = operation.method === 'GET' ? undefined : bodies()[operation.name]
      const path = (id: string) => operation.path.replace(/\{\w+\}/, id)
      const response = await stranger.call(operation.method, path(idIn(operation)), body)
      const missing = await stranger.call(operation.method, path('01900000-0000-7000-8000-000000000000'), body)
      expect(response.status).toBe(404)
      expect(response.body).toEqual(missing.body)
      expect(await ownersView()).toBe(before)
    },
  )

  it('returns 404 from GET /scrapes/{id}/events', async () => {
    expect((await stranger.call('GET', `/scrapes/${theirs.scrape}/events`)).status).toBe(404)
  })

  it('rejects their leads in a list, and their list, X account and template in a campaign', async () => {
    const list = await stranger.client.lists.create({ name: 'Mine' })
    expect(await stranger.client.lists.addLeads({ id: list.id, leadIds: [theirs.lead] })).toEqual({
      success: true,
      changed: 0,
      cursor: null,
    })
    const campaign = { name: 'Mine', messageTemplate: 'Hi', status: 'draft' }
    const withList = await stranger.call('POST', '/campaigns', { ...campaign, leadListId: theirs.list })
    expect([withList.status, withList.body.code]).toEqual([404, 'LEAD_LIST_NOT_FOUND'])
    const withAccount = await stranger.call('POST', '/campaigns', {
      ...campaign,
      leadListId: list.id,
      xAccountId: theirs.account,
    })
    expect([withAccount.status, withAccount.body.code]).toEqual([404, 'X_ACCOUNT_NOT_FOUND'])
    const withTemplate = await stranger.call('POST', '/campaigns', {
      ...campaign,
      leadListId: list.id,
      templateId: theirs.template,
    })
    expect([withTemplate.status, withTemplate.body.code]).toEqual([404, 'TEMPLATE_NOT_FOUND'])
  })

  it('sends no message to their lead and shows no numbers of their campaign', async () => {
    const before = await ownersView()
    const body = { message: 'Hi', templateVariables: { name: 'Secret', handle: 'secret_lead' } }
    const sent = await stranger.call('POST', '/messages/send', { ...body, leadId: theirs.lead })
    expect([sent.status, sent.body.code]).toEqual([404, 'LEAD_NOT_FOUND'])
    const figures = await stranger.call('GET', `/analytics?campaignId=${theirs.campaign}`)
    expect([figures.status, figures.body.code]).toEqual([404, 'CAMPAIGN_NOT_FOUND'])
    expect(await ownersView()).toBe(before)
  })

  it('cannot change their tags or leads', async () => {
    const { client } = stranger
    const mine = await client.tags.create({ name: 'Mine' })
    const before = await ownersView()
    const tagged = await stranger.call('POST', '/leads/tags', { filter: {}, add: [theirs.tag] })
    expect([tagged.status, tagged.body.code]).toEqual([404, 'TAG_NOT_FOUND'])
    const merged = await stranger.call('POST', `/tags/${mine.id}/merge`, { into: theirs.tag })
    expect([merged.status, merged.body.code]).toEqual([404, 'TAG_NOT_FOUND'])
    const leadIds = [theirs.lead]
    expect(await client.tags.apply({ leadIds, add: [mine.id] })).toMatchObject({ changed: 0 })
    expect(await client.leads.setBasis({ leadIds, basis: 'asked' })).toMatchObject({ changed: 0 })
    expect(await client.leads.removeMany({ leadIds })).toMatchObject({ removed: 0, removalId: null })
    expect(await client.leads.list({ tag: theirs.tag })).toMatchObject({ total: 0, leads: [] })
    expect(await ownersView()).toBe(before)
  })

  it('cannot switch to their workspace, own it or transfer it', async () => {
    const before = await ownersView()
    const switched = await stranger.call('POST', '/workspace/switch', { workspaceId: owner.workspaceId })
    expect([switched.status, switched.body.code]).toEqual([404, 'WORKSPACE_NOT_FOUND'])
    await trustSession(app.db, stranger.actor.sessionId)
    const transferred = await stranger.call('POST', '/workspace/owner', { personId: theirs.person })
    expect([transferred.status, transferred.body.code]).toEqual([404, 'PERSON_NOT_FOUND'])
    expect(await ownersView()).toBe(before)
  })

  it('finds and queues nothing by their list', async () => {
    expect(await stranger.client.leads.list({ listId: theirs.list })).toMatchObject({ total: 0, leads: [] })
    expect(await stranger.client.leads.queue({ filter: { listId: theirs.list } })).toMatchObject({ queued: 0 })
    expect(await stranger.client.leads.queue({ leadIds: [theirs.lead] })).toMatchObject({ queued: 0 })
  })
})

it('lists nothing of another workspace', async () => {
  const seen = await Promise.all([
    stranger.call('GET', '/leads'),
    stranger.call('GET', '/leads/export'),
    stranger.call('GET', '/lists'),
    stranger.call('GET', '/tags'),
    stranger.call('GET', '/filters'),
    stranger.call('GET', '/campaigns'),
    stranger.call('GET', '/messages/leads'),
    stranger.call('GET', '/analytics'),
    stranger.call('GET', '/scrapes'),
    stranger.call('GET', '/suppressions'),
    stranger.call('GET', '/reports'),
    stranger.call('GET', '/workspace/branding'),
    stranger.call('GET', '/snippets'),
    stranger.call('GET', '/templates'),
    stranger.call('GET', '/conversation-offers'),
    stranger.call('GET', '/jobs'),
    stranger.call('GET', '/session/status'),
    stranger.call('GET', '/x-accounts'),
    stranger.call('GET', '/workspace/people'),
    stranger.call('GET', '/workspace/invitations'),
    stranger.call('POST', '/claim', { holder: 'stranger' }),
  ])
  expect(new Set(seen.slice(0, -1).map((response) => response.status))).toEqual(new Set([200]))
  expect(seen.at(-1)?.status).toBe(204)
  const text = JSON.stringify(seen.map((response) => response.body))
  expect(text).not.toMatch(/secret/i)
  for (const id of Object.values(theirs)) expect(text).not.toContain(id)
})
