import { NOTIFICATION_KINDS } from '@x-automated/contract/platform/notifications'
import { eq, sql } from 'drizzle-orm'
import { strFromU8, unzipSync } from 'fflate'
import { beforeAll, describe, expect, it } from 'vitest'
import { beginSignUp, mailTo, makeAccount, openLink, PASSWORD, signIn, statusOf } from '../../../../test/accounts.ts'
import { insertApiKeys } from '../../../../test/api-keys.ts'
import { pauseNow } from '../../../../test/campaigns.ts'
import { insertDraft } from '../../../../test/conversations.ts'
import { linkIdentity } from '../../../../test/credentials.ts'
import { makeLeads } from '../../../../test/leads.ts'
import { call, connectX, makePerson, type Person, prove, subscribe } from '../../../../test/makers.ts'
import { markFailed } from '../../../../test/messages.ts'
import { openApp, type TestApp } from '../../../../test/open-app.ts'
import { insertReports } from '../../../../test/reports.ts'
import { insertConnection } from '../../../../test/sso.ts'
import { joinWorkspace, saveColor } from '../../../../test/team.ts'
import { whileWaiting } from '../../../../test/while-waiting.ts'
import { leads } from '../../../core/tables/leads.ts'
import { authIdentities, authSignUps, authUsers } from '../../identity/auth/tables.ts'

let app: TestApp
beforeAll(async () => {
  app = await openApp({ mailbox: true, workers: true })
})

/** Creates a person with data of every kind. */
async function withData(leadCount = 3) {
  const person = await makeAccount(app)
  const rows = await makeLeads(app, person, leadCount)
  const list = await person.client.lists.create({ name: 'My list' })
  await person.client.lists.addLeads({ id: list.id, leadIds: rows.slice(0, 3).map(({ id }) => id) })
  await connectX(app, person)
  const campaign = await person.client.campaigns.create({
    name: 'My campaign',
    leadListId: list.id,
    messageTemplate: 'Hello {lead_name}',
    status: 'draft',
    channel: 'extension',
  })
  await person.client.campaigns.queue({ id: campaign.id })
  await call(app, 'POST', '/waitlist/join', { email: person.email })
  await person.call('GET', '/dashboard')
  await linkIdentity(app, person.id, 'google', { email: person.email, idToken: 'a-secret' })
  const { workspaceId } = person
  await person.client.sendingSettings.saveOptOutWords({ words: ['stop'] })
  await insertDraft(app, { workspaceId, conversationId: campaign.id, userId: person.id, text: 'Not sent' })
  await person.client.replies.saveSettings({ keepTextsDays: 90 })
  await insertApiKeys(app, workspaceId, person.id, ['CRM'])
  await saveColor(app, workspaceId, '#1d7a3c')
  await insertReports(app, person, 1, new Date('2100-01-01'))
  await person.client.snippets.create({ shortcut: 'price', text: 'It costs $50.' })
  await person.client.writer.saveAbout({ text: 'We make tools.' })
  await person.client.writer.saveProvider({ kind: 'openai', model: 'gpt-5', apiKey: 'a-secret' })
  await person.client.notifications.setPreference({ kind: NOTIFICATION_KINDS[0], email: false })
  return person
}

async function archiveOf(person: Person) {
  const response = await fetch(`${app.url}/auth/user/export`, { headers: { authorization: `Bearer ${person.token}` } })
  const files = unzipSync(new Uint8Array(await response.arrayBuffer()))
  const text = Object.fromEntries(Object.entries(files).map(([name, bytes]) => [name, strFromU8(bytes)]))
  return {
    answer: response,
    text,
    file: (name: string) => JSON.parse(text[name] ?? 'null') as Record<string, unknown>[],
  }
}

describe('GET /auth/user/export', () => {
  it('returns all data of the account as a ZIP, without secrets and data of others', async () => {
    const person = await withData()
    const provider = { kind: 'oidc', issuer: 'https://id.example', clientId: 'client', scopes: 'openid' } as const
    await insertConnection(app, person, { ...provider, sealedClientSecret: 'a-secret' })
    const other = await makePerson(app)
    await makeLeads(app, other, [{ name: "Somebody else's lead" }])
    const { answer: response, text, file } = await archiveOf(person)
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'application/zip'])
    expect(response.headers.get('content-disposition')).toContain('attachment')
    expect(Object.fromEntries(Object.keys(text).map((name) => [name, file(name).length]))).toEqual({
      'account.json': 1,
      'sign-ins.json': 1,
      'second-factors.json': 0,
      'sessions.json': 1,
      'workspaces.json': 1,
      'memberships.json': 1,
      'invitations.json': 0,
      'subscriptions.json': 0,
      'payments.json': 0,
      'usage.json': expect.any(Number),
      'x-accounts.json': 1,
      'leads.json': 3,
      'imports.json': 0,
      'past-contacts.json': 0,
      'tags.json': 0,
      'lead-tags.json': 0,
      'saved-filters.json': 0,
      'sending-limits.json': 0,
      'sending-settings.json': 0,
      'reply-settings.json': 1,
      'single-sign-on.json': 1,
      'single-sign-on-domains.json': 0,
      'api-keys.json': 1,
      'branding.json': 1,
      'client-reports.json': 1,
      'extension-pairings.json': 0,
      'notifications.json': 0,
      'notification-preferences.json': 1,
      'lead-lists.json': 1,
      'lead-list-items.json': 3,
      'campaigns.json': 1,
      'messages.json': 3,
      'openers.json': 0,
      'jobs.json': 0,
      'replies.json': 0,
      'conversations.json': 0,
      'conversation-notes.json': 0,
      'conversation-offers.json': 0,
      'campaign-drafts.json': 0,
      'drafts.json': 1,
      'snippets.json': 1,
      'templates.json': 0,
      'ai-writer.json': 1,
      'ai-writer-about.json': 1,
      'ai-writer-usage.json': 0,
      'conversation-settings.json': 1,
      'suppressions.json': 0,
      'scrapes.json': 0,
      'waitlist.json': 1,
      'referrals.json': 0,
      'rewards.json': 1,
    })
    expect(file('account.json')[0]).toMatchObject({ id: person.id, email: person.email })
    expect(file('messages.json')[0]).toMatchObject({ message: expect.stringContaining('Hello Lead') })
    const all = Object.values(text).join()
    for (const hidden of ['a-secret', 'sealed', 'password', '"token"', 'lease', 'Somebody else', other.id])
      expect(all).not.toContain(hidden)
  })

  it('renders why campaigns were paused and messages skipped, as the API does', async () => {
    const person = await withData()
    const { workspaceId } = person
    await pauseNow(app, { workspaceId }, { reason: { code: 'x_disconnected', params: {} } })
    await markFailed(app, { workspaceId }, { reason: { code: 'no_basis', params: {} } })
    const { file } = await archiveOf(person)
    expect(file('campaigns.json').map(({ pauseReason }) => pauseReason)).toEqual([
      'This X account is disconnected. Connect it again, then resume.',
    ])
    expect(file('messages.json').map(({ errorMessage }) => errorMessage)).toEqual(
      Array(3).fill('Skipped: this person has no contact basis. Set one on the leads page.'),
    )
  })

  it('exports each row once if there are several batches', async () => {
    const person = await makePerson(app)
    await makeLeads(app, person, 2_345)
    const rows = (await archiveOf(person)).file('leads.json')
    expect([rows.length, new Set(rows.map(({ id }) => id)).size]).toEqual([2_345, 2_345])
  })

  it('returns 401 without a token', async () => {
    expect((await call(app, 'GET', '/auth/user/export')).status).toBe(401)
  })
})

describe('DELETE /auth/user', () => {
  const remove = (person: Person, body: object) => person.call('DELETE', '/auth/user', body)

  it('deletes the account and its workspace immediately and anonymizes its waitlist entry', async () => {
    const person = await withData()
    const elsewhere = (await signIn(app, person.email)).body
    const response = await remove(person, { confirmation: ` ${person.email.toUpperCase()}`, currentPassword: PASSWORD })
    expect([response.status, response.body]).toEqual([200, { success: true }])
    expect([await statusOf(app, person.token), await statusOf(app, elsewhere.token)]).toEqual([401, 401])
    expect((await call(app, 'POST', '/auth/refresh', { refreshToken: elsewhere.refreshToken })).status).toBe(401)
    expect((await signIn(app, person.email)).body.code).toBe('INVALID_CREDENTIALS')
    expect(await app.db.$count(authUsers, eq(authUsers.id, person.id))).toBe(0)
    expect(await app.db.$count(leads, eq(leads.workspaceId, person.workspaceId))).toBe(0)
    expect((await call(app, 'POST', '/waitlist/position', { email: person.email })).status).toBe(404)
    await mailTo(app, person.email, /account was deleted/)
  })

  it('deletes pending sign-ups, so that no link of theirs recreates the account', async () => {
    const email = 'gone@example.com'
    const strangers = await beginSignUp(app, email)
    const { token, cookie } = await beginSignUp(app, email)
    await openLink(app, token, cookie)
    const { body } = await signIn(app, email)
    const headers = { authorization: `Bearer ${body.token}` }
    const removal = { confirmation: email, currentPassword: PASSWORD }
    expect((await call(app, 'DELETE', '/auth/user', removal, headers)).status).toBe(200)
    expect((await signIn(app, email)).body.code).toBe('INVALID_CREDENTIALS')
    for (const signUp of [{ token, cookie }, strangers])
      expect((await openLink(app, signUp.token, signUp.cookie)).searchParams.get('error')).toBe('INVALID_CODE')
    expect(await app.db.$count(authSignUps, eq(authSignUps.email, email))).toBe(0)
  })

  it('deletes the API keys of its teams, except those that an admin kept or adopted', async () => {
    const person = await makeAccount(app)
    const joinTeam = async () => {
      const owner = await makePerson(app)
      await subscribe(app, owner)
      await prove(app, owner)
      const { workspaceId } = owner
      await joinWorkspace(app, workspaceId, person.id, 'admin')
      const [keyId] = await insertApiKeys(app, workspaceId, person.id, ['First', 'Second'])
      return { owner, keyId: keyId! }
    }
    const [{ owner, keyId }, present] = [await joinTeam(), await joinTeam()]
    await owner.client.people.remove({ id: person.id, keepApiKeys: true })
    await owner.client.apiKeys.adopt({ id: keyId })
    const response = await remove(person, { confirmation: person.email, currentPassword: PASSWORD })
    expect(response.status).toBe(200)
    const { keys } = await owner.client.apiKeys.list()
    expect(keys.map(({ name, status, createdBy }) => [name, status, createdBy?.id])).toEqual(
      expect.arrayContaining([
        ['First', 'active', owner.id],
        ['Second', 'suspended', undefined],
      ]),
    )
    const second = keys.find(({ name }) => name === 'Second')!
    expect(await owner.client.apiKeys.adopt({ id: second.id })).toMatchObject({ status: 'active' })
    expect(await present.owner.client.apiKeys.list()).toEqual({ keys: [] })
  })

  it('leaves no row in any table that identifies the account', async () => {
    const person = await withData()
    await person.call('POST', '/lists', { name: 'Kept' }, { 'idempotency-key': person.id })
    await subscribe(app, person)
    await prove(app, person)
    const { key } = await person.client.apiKeys.create({ name: 'CRM', scopes: ['lists:write'] })
    const byKey = { authorization: `Bearer ${key}`, 'idempotency-key': person.id }
    await call(app, 'POST', '/lists', { name: `List of ${person.email}` }, byKey)
    await call(app, 'POST', '/auth/otp', { email: person.email })
    await remove(person, { confirmation: person.email, currentPassword: PASSWORD })
    const { rows: tables } = await app.db.execute<{ name: string }>(
      sql`select table_name as name from information_schema.tables where table_schema = 'public' and table_type = 'BASE TABLE'`,
    )
    const named = []
    for (const { name } of tables) {
      const row = sql`${sql.identifier(name)}`
      const { rows } = await app.db.execute(
        sql`select 1 from ${row} as r where r::text like ${`%${person.id}%`} or r::text like ${`%${person.email}%`} or r::text like ${`%${person.workspaceId}%`} limit 1`,
      )
      // call_counts has rate limit counts of the last minutes, by an id that no longer exists.
      if (rows.length > 0 && name !== 'call_counts') named.push(name)
    }
    expect(named).toEqual([])
  })

  it('lets others join the waitlist while it deletes a workspace, and unlinks its single sign-on', async () => {
    const person = await withData()
    const other = await makePerson(app)
    const saml = { kind: 'saml' as const, issuer: 'i', ssoUrl: 'https://i.example', certificates: ['c'] }
    const connectionId = await insertConnection(app, person, saml)
    const providerId = `sso:${connectionId}`
    await linkIdentity(app, other.id, providerId, { email: other.email })
    const response = await whileWaiting(app, {
      lock: `select 1 from leads where workspace_id = '${person.workspaceId}' for update`,
      work: () => remove(person, { confirmation: person.email, currentPassword: PASSWORD }),
      async others() {
        const email = `late-${person.id}@example.com`
        expect((await call(app, 'POST', '/waitlist/join', { email })).status).toBe(200)
      },
    })
    expect(response.status).toBe(200)
    expect(await app.db.$count(authIdentities, eq(authIdentities.providerId, providerId))).toBe(0)
  })

  it('returns 400 for a wrong confirmation or password, 403 without reauthentication, and deletes nothing', async () => {
    const person = await makeAccount(app)
    const confirmation = person.email
    const responses = [
      await remove(person, { confirmation: 'somebody@example.com', currentPassword: PASSWORD }),
      await remove(person, { confirmation, currentPassword: 'Wrong-one1' }),
      await remove(person, { confirmation }),
    ]
    expect(responses.map(({ status, body }) => [status, body.code])).toEqual([
      [400, 'INVALID_INPUT'],
      [400, 'INVALID_CREDENTIALS'],
      [403, 'REAUTHENTICATION_NEEDED'],
    ])
    expect(await statusOf(app, person.token)).toBe(200)
  })
})
