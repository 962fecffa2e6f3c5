import { API_KEYS_MAX } from '@x-automated/contract/platform/api-keys'
import { SCOPES, type Scope } from '@x-automated/contract/route'
import { eq } from 'drizzle-orm'
import { beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { clearScopes, expireApiKey, insertApiKeys } from '../../../../test/api-keys.ts'
import { makeLeads } from '../../../../test/leads.ts'
import { call, makePerson, type Person, prove, subscribe } from '../../../../test/makers.ts'
import { openApp, type TestApp } from '../../../../test/open-app.ts'
import { operations, pathWith } from '../../../../test/operations.ts'
import { backdateProof } from '../../../../test/sessions.ts'
import { unsubscribe } from '../../../../test/subscriptions.ts'
import { changeRole } from '../../../../test/team.ts'
import { leadLists } from '../../leads/lists/tables.ts'
import { notifications } from '../notifications/tables.ts'
import { apiKeys } from './tables.ts'

let app: TestApp
beforeAll(async () => {
  app = await openApp()
})

const _SUSPENSION = '0100_suspended_api_keys'
const SOME_ID = '01900000-0000-7000-8000-000000000000'

async function makeSubscriber(): Promise<Person> {
  const person = await makePerson(app)
  await subscribe(app, person)
  await prove(app, person)
  return person
}

/** Creates a subscriber with an admin who may create keys. */
async function makeTeam() {
  const owner = await makeSubscriber()
  const admin = await makePerson(app, { in: owner, role: 'admin' })
  await prove(app, admin)
  return { owner, admin }
}

/** The notifications of a person about keys, newest first. */
async function noticesOf(person: Person) {
  const { notifications } = await person.client.notifications.list({})
  return notifications.filter(({ kind }) => kind.startsWith('api_key'))
}

/** Creates a key. @returns its id, the key, and calls with it */
async function makeKey(person: Person, scopes: Scope[] = [...SCOPES], more: { expiresAt?: string } = {}) {
  const { id, key } = await person.client.apiKeys.create({ name: 'CRM', scopes, ...more })
  const authorization = `Bearer ${key}`
  return {
    id,
    key,
    call: (method: string, path: string, sent?: unknown, headers: Record<string, string> = {}) =>
      call(app, method, path, sent, { authorization, ...headers }),
  }
}

describe('POST /api-keys', () => {
  it('returns the key once, and stores only its hash', async () => {
    const person = await makeSubscriber()
    const expiresAt = new Date(Date.now() + 86_400_000).toISOString()
    const created = await person.client.apiKeys.create({ name: 'CRM', scopes: ['leads:read'], expiresAt })
    const { key, ...withoutKey } = created
    expect(created).toEqual({
      id: expect.any(String),
      name: 'CRM',
      key: expect.stringMatching(/^xa_live_[0-9A-Za-z]{49}$/),
      start: key.slice(0, 12),
      scopes: ['leads:read'],
      status: 'active',
      createdBy: { id: person.id, name: expect.any(String) },
      createdAt: expect.any(String),
      expiresAt,
      lastUsedAt: null,
      suspendedAt: null,
    })
    expect(await person.client.apiKeys.list()).toEqual({ keys: [withoutKey] })
    expect(JSON.stringify(await app.db.select().from(apiKeys))).not.toContain(key.slice(12))
  })

  it('is refused below Agency, beyond the limit, to a member, and for invalid input', async () => {
    const free = await makePerson(app)
    const wanted = { name: 'CRM', scopes: ['leads:read'] }
    expect(await free.call('POST', '/api-keys', wanted)).toMatchObject({ status: 403, body: { code: 'PLAN_LIMIT' } })
    const person = await makeSubscriber()
    const member = await makePerson(app, { in: person, role: 'member' })
    expect((await member.call('POST', '/api-keys', wanted)).body.code).toBe('FORBIDDEN')
    for (const wrong of [
      { scopes: [] },
      { scopes: ['leads:read', 'leads:read'] },
      { scopes: ['billing:read'] },
      { name: ' ' },
      { expiresAt: '2026-01-01T00:00:00Z' },
    ])
      expect((await person.call('POST', '/api-keys', { ...wanted, ...wrong })).body.code).toBe('INVALID_INPUT')
    const names = Array.from({ length: API_KEYS_MAX }, (_, n) => `old ${n}`)
    await insertApiKeys(app, person.workspaceId, person.id, names)
    expect(await person.call('POST', '/api-keys', wanted)).toMatchObject({ status: 409, body: { code: 'TOO_MANY' } })
  })
})

describe('a new API key', () => {
  it('needs a fresh proof', async () => {
    const person = await makePerson(app)
    await subscribe(app, person)
    const wanted = { name: 'CRM', scopes: ['leads:read'] }
    expect(await person.call('POST', '/api-keys', wanted)).toMatchObject({
      status: 403,
      body: { code: 'REAUTHENTICATION_NEEDED' },
    })
    const session = { id: person.actor.sessionId }
    await backdateProof(app, session, 601)
    expect((await person.call('POST', '/api-keys', wanted)).body.code).toBe('REAUTHENTICATION_NEEDED')
    await backdateProof(app, session, 60)
    expect((await person.call('POST', '/api-keys', wanted)).status).toBe(200)
  })

  it('is emailed to the owner', async () => {
    const { owner, admin } = await makeTeam()
    await makeKey(admin)
    const [notice] = await noticesOf(owner)
    const by = admin.email.split('@')[0]
    expect(notice).toMatchObject({
      kind: 'api_key_created',
      title: 'An API key was created',
      text: `${by} created “CRM”.`,
    })
    const [row] = await app.db
      .select()
      .from(notifications)
      .where(eq(notifications.id, notice?.id ?? ''))
    expect(row?.email).toBe(true)
    expect(await noticesOf(admin)).toEqual([])
  })

  it('is refused to an admin who was demoted a moment ago', async () => {
    const { admin } = await makeTeam()
    await changeRole(app, { workspaceId: admin.workspaceId, userId: admin.id }, 'member')
    expect((await admin.call('POST', '/api-keys', { name: 'CRM', scopes: ['leads:read'] })).body.code).toBe('FORBIDDEN')
  })
})

describe('an API key whose creator is no longer an admin', () => {
  it.each(['member', 'viewer'] as const)(
    'is suspended once they are a %s, whatever they become later',
    async (role) => {
      const { owner, admin } = await makeTeam()
      const key = await makeKey(admin)
      const others = await makeKey(owner)
      await owner.client.people.update({ id: admin.id, role })
      expect(await key.call('GET', '/lists')).toMatchObject({ status: 401, body: { code: 'UNAUTHORIZED' } })
      await owner.client.people.update({ id: admin.id, role: 'admin' })
      expect((await key.call('GET', '/lists')).status).toBe(401)
      expect((await others.call('GET', '/lists')).status).toBe(200)
      const { keys } = await owner.client.apiKeys.list()
      expect(keys.map(({ status, createdBy }) => [status, createdBy?.id])).toEqual([
        ['active', owner.id],
        ['suspended', admin.id],
      ])
      expect((await noticesOf(owner))[0]).toMatchObject({
        kind: 'api_key_suspended',
        title: 'An API key was suspended',
      })
      const { needs } = await owner.client.today.find({})
      expect(needs).toContainEqual({
        code: 'key_suspended',
        params: { count: 1, name: 'CRM' },
        path: '/settings?tab=api',
      })
    },
  )

  it.each([
    ['removed', (owner: Person, { id }: Person) => owner.call('DELETE', `/workspace/people/${id}`)],
    ['leaves', (_: Person, admin: Person) => admin.call('POST', '/workspace/leave')],
    ['leaves with a body', (_: Person, admin: Person) => admin.call('POST', '/workspace/leave', {})],
    [
      'deletes the account',
      async (_: Person, admin: Person) => {
        return admin.call('DELETE', '/auth/user', { confirmation: admin.email })
      },
    ],
  ])('is deleted if they are gone (%s)', async (_, end) => {
    const { owner, admin } = await makeTeam()
    const key = await makeKey(admin)
    expect((await end(owner, admin)).status).toBeLessThan(300)
    expect((await key.call('GET', '/lists')).status).toBe(401)
    expect(await owner.client.apiKeys.list()).toEqual({ keys: [] })
  })

  it.each([
    ['removed', (owner: Person, { id }: Person) => owner.client.people.remove({ id, keepApiKeys: true })],
    ['leaves', (_: Person, admin: Person) => admin.client.people.leave({ keepApiKeys: true })],
  ])('is suspended instead if it is kept (%s)', async (_, end) => {
    const { owner, admin } = await makeTeam()
    const key = await makeKey(admin)
    await end(owner, admin)
    expect((await key.call('GET', '/lists')).status).toBe(401)
    expect((await owner.client.apiKeys.list()).keys).toMatchObject([{ id: key.id, status: 'suspended' }])
  })

  it('stays if the call that should suspend it has the choice in its query string', async () => {
    const { owner, admin } = await makeTeam()
    const key = await makeKey(admin)
    const refused = await owner.call('DELETE', `/workspace/people/${admin.id}?keepApiKeys=true`)
    expect([refused.status, refused.body.details]).toEqual([
      400,
      [{ field: 'keepApiKeys', problem: 'Keep API keys must be in the body, not in the query string.' }],
    ])
    expect((await key.call('GET', '/lists')).status).toBe(200)
  })

  it('stays if ownership passes on, because the former owner is an admin', async () => {
    const { owner, admin } = await makeTeam()
    const key = await makeKey(owner)
    await owner.client.people.transfer({ personId: admin.id })
    expect((await key.call('GET', '/lists')).status).toBe(200)
  })
})

describe('POST /api-keys/{id}/adopt', () => {
  it('makes a suspended key work again, for the adopting admin, and notifies the owner', async () => {
    const { owner, admin } = await makeTeam()
    const key = await makeKey(admin)
    await owner.client.people.remove({ id: admin.id, keepApiKeys: true })
    const other = await makePerson(app, { in: owner, role: 'admin' })
    expect(await other.client.apiKeys.adopt({ id: key.id })).toMatchObject({
      id: key.id,
      status: 'active',
      suspendedAt: null,
      createdBy: { id: other.id },
    })
    expect((await key.call('POST', '/lists', { name: 'Adopted' })).status).toBe(200)
    const [list] = await app.db.select().from(leadLists).where(eq(leadLists.name, 'Adopted'))
    expect(list?.userId).toBe(other.id)
    expect((await noticesOf(owner))[0]?.title).toBe('An API key was adopted')
    await owner.client.people.update({ id: other.id, role: 'member' })
    expect((await key.call('GET', '/lists')).status).toBe(401)
  })

  it('returns 409 for a key that works, 404 for an unknown one, and refuses members and keys', async () => {
    const { owner, admin } = await makeTeam()
    const key = await makeKey(admin)
    const path = `/api-keys/${key.id}/adopt`
    expect(await owner.call('POST', path)).toMatchObject({ status: 409, body: { code: 'API_KEY_STATE' } })
    expect((await owner.call('POST', `/api-keys/${SOME_ID}/adopt`)).body.code).toBe('API_KEY_NOT_FOUND')
    expect((await (await makePerson(app)).call('POST', path)).body.code).toBe('API_KEY_NOT_FOUND')
    await owner.client.people.update({ id: admin.id, role: 'member' })
    const member = await makePerson(app, { in: owner, role: 'member' })
    expect((await member.call('POST', path)).body.code).toBe('FORBIDDEN')
    expect((await (await makeKey(owner)).call('POST', path)).body.code).toBe('FORBIDDEN')
    expect((await key.call('POST', path)).status).toBe(401)
  })
})

describe('an API key', () => {
  it('acts as a member of its workspace, with its own limit and idempotency keys', async () => {
    const person = await makeSubscriber()
    const key = await makeKey(person)
    const response = await key.call('POST', '/lists', { name: 'From a program' }, { 'idempotency-key': 'one' })
    expect(response.status).toBe(200)
    const limit = ['limit', 'remaining', 'reset'].map((name) => Number(response.headers.get(`ratelimit-${name}`)))
    expect(limit).toEqual([600, 599, expect.any(Number)])
    expect(limit[2]).toBeLessThanOrEqual(60)
    const again = await key.call('POST', '/lists', { name: 'From a program' }, { 'idempotency-key': 'one' })
    expect(again.body.id).toBe(response.body.id)
    const theirs = await person.call('POST', '/lists', { name: 'From a program' }, { 'idempotency-key': 'one' })
    expect(theirs.body.id).not.toBe(response.body.id)
    expect((await person.call('GET', '/lists')).headers.get('ratelimit-limit')).toBeNull()
    expect((await key.call('GET', '/lists')).body.lists).toHaveLength(2)
    const [used] = (await person.client.apiKeys.list()).keys
    expect(Date.parse(used?.lastUsedAt ?? '')).toBeGreaterThan(Date.now() - 60_000)
  })

  it('may make 600 calls a minute, whatever its creator does', async () => {
    const person = await makeSubscriber()
    const key = await makeKey(person)
    // Freeze the clock: the minute must not end here.
    vi.useFakeTimers({ toFake: ['Date'] })
    onTestFinished(() => void vi.useRealTimers())
    app.services.limits.countCall(key.id, 599)
    expect((await key.call('GET', '/lists')).headers.get('ratelimit-remaining')).toBe('0')
    const refused = await key.call('GET', '/lists')
    expect([refused.status, refused.headers.get('ratelimit-remaining')]).toEqual([429, '0'])
    expect(refused.headers.get('retry-after')).toBe(refused.headers.get('ratelimit-reset'))
    expect((await person.call('GET', '/lists')).status).toBe(200)
  })

  it('reaches only what its scopes name', async () => {
    const person = await makeSubscriber()
    const reader = await makeKey(person, ['lists:read'])
    expect((await reader.call('GET', '/lists')).status).toBe(200)
    expect(await reader.call('POST', '/lists', { name: 'x' })).toMatchObject({
      status: 403,
      body: { code: 'FORBIDDEN', details: { scope: 'lists:write' } },
    })
    const writer = await makeKey(person, ['lists:write'])
    expect((await writer.call('POST', '/lists', { name: 'x' })).status).toBe(200)
    expect((await writer.call('GET', '/lists')).status).toBe(200)
    expect((await writer.call('GET', '/leads')).body.details).toEqual({ scope: 'leads:read' })
  })

  it('needs the scope of what a job or a queue of messages changes', async () => {
    const person = await makeSubscriber()
    const key = await makeKey(person, ['leads:write'])
    const leadIds = (await makeLeads(app, person)).map(({ id }) => id)
    const { id: listId } = await person.client.lists.create({ name: 'Customers' })
    const job = await person.client.jobs.create({ kind: 'add_to_list', leadIds, listId })
    const refused: [string, unknown, Scope][] = [
      ['/jobs', { kind: 'add_to_list', leadIds, listId }, 'lists:write'],
      ['/jobs', { kind: 'suppress', leadIds }, 'suppressions:write'],
      [`/jobs/${job.id}/cancel`, {}, 'lists:write'],
      ['/leads/queue', { leadIds }, 'campaigns:write'],
    ]
    for (const [path, body, scope] of refused)
      expect((await key.call('POST', path, body)).body.details).toEqual({ scope })
    expect((await key.call('POST', '/jobs', { kind: 'delete', leadIds })).status).toBe(200)
  })

  it('reads and writes files of its scopes, but no event stream', async () => {
    const person = await makeSubscriber()
    const key = await makeKey(person, ['leads:write', 'analytics:read'])
    const csv = { 'content-type': 'text/csv' }
    expect((await key.call('POST', '/leads/import', 'twitter_handle\nada\n', csv)).body.imported).toBe(1)
    const file = await key.call('GET', '/leads/export')
    expect([file.status, file.body]).toEqual([200, expect.stringContaining('ada')])
    expect((await key.call('GET', '/analytics/heatmap/export')).status).toBe(200)
    expect((await key.call('POST', '/suppressions/import', 'twitter_handle\nada\n', csv)).body.code).toBe('FORBIDDEN')
    for (const path of ['/events', '/auth/user/export']) expect((await key.call('GET', path)).status).toBe(403)
  })

  it('ends when it expires or is deleted, and pauses with the plan', async () => {
    const person = await makeSubscriber()
    const expiring = await makeKey(person, ['lists:read'], { expiresAt: new Date(Date.now() + 60_000).toISOString() })
    expect((await expiring.call('GET', '/lists')).status).toBe(200)
    await expireApiKey(app, expiring.id)
    expect((await expiring.call('GET', '/lists')).status).toBe(401)
    const key = await makeKey(person, ['lists:read'])
    await unsubscribe(app, person)
    expect((await key.call('GET', '/lists')).body.code).toBe('PLAN_LIMIT')
    expect((await person.client.apiKeys.list()).keys.map(({ status }) => status)).toEqual(['plan', 'expired'])
    await subscribe(app, person)
    expect((await key.call('GET', '/lists')).status).toBe(200)
    expect((await person.call('DELETE', `/api-keys/${key.id}`)).status).toBe(204)
    expect((await key.call('GET', '/lists')).body).toMatchObject({ code: 'UNAUTHORIZED', success: false })
    expect((await person.call('DELETE', `/api-keys/${key.id}`)).body.code).toBe('API_KEY_NOT_FOUND')
  })

  it('is unknown if it is malformed or invented', async () => {
    const { key } = await makeKey(await makeSubscriber())
    for (const token of [key.slice(0, -1), `${key}0`, key.toLowerCase(), 'xa_live_', `xa_live_${'0'.repeat(49)}`])
      expect((await call(app, 'GET', '/lists', undefined, { authorization: `Bearer ${token}` })).status).toBe(401)
  })

  it('acts for its creator, and never sees what is the private property of others', async () => {
    const { owner, admin } = await makeTeam()
    const key = await makeKey(admin)
    expect((await key.call('POST', '/lists', { name: `of ${admin.id}` })).status).toBe(200)
    const [list] = await app.db
      .select()
      .from(leadLists)
      .where(eq(leadLists.name, `of ${admin.id}`))
    expect(list?.userId).toBe(admin.id)
    const template = { name: 'Private', steps: [{ variants: [{ messageTemplate: 'Hi' }] }] }
    const { id } = await owner.client.templates.create(template)
    expect(JSON.stringify((await key.call('GET', '/templates')).body)).not.toContain(id)
    expect((await key.call('PATCH', `/templates/${id}`, { name: 'Mine' })).status).toBe(404)
    const snippet = await owner.client.snippets.create({ shortcut: 'hi', text: 'Hello' })
    expect((await key.call('PATCH', `/snippets/${snippet.id}`, { text: 'Bye' })).status).toBe(403)
  })
})

describe('every operation', () => {
  it('is for keys with its scope alone, on a plan with API access', async () => {
    const person = await makeSubscriber()
    const [none, all] = [await makeKey(person), await makeKey(person)]
    await clearScopes(app, none.id)
    const signedIn = operations.filter(({ access }) => access !== 'public' && access !== 'operator')
    for (const operation of signedIn) {
      const [path, body] = [pathWith(operation, SOME_ID), operation.method === 'GET' ? undefined : {}]
      const refused = await none.call(operation.method, path, body)
      expect([operation.name, refused.status, refused.body.code]).toEqual([operation.name, 403, 'FORBIDDEN'])
      expect(refused.body.details).toEqual(operation.scope ? { scope: operation.scope } : undefined)
      const admitted = await all.call(operation.method, path, body)
      expect([operation.name, admitted.body.code === 'FORBIDDEN']).toEqual([operation.name, operation.scope === null])
    }
    await unsubscribe(app, person)
    for (const operation of signedIn.filter(({ scope }) => scope !== null)) {
      const body = operation.method === 'GET' ? undefined : {}
      const refused = await all.call(operation.method, pathWith(operation, SOME_ID), body)
      expect([operation.name, refused.body.code]).toEqual([operation.name, 'PLAN_LIMIT'])
    }
  })

  it('keeps settings, people, billing, X accounts, sending and second factors out of reach', () => {
    const domains = [
      'account',
      'auth',
      'billing',
      'people',
      'secondFactors',
      'xAccount',
      'sendingSettings',
      'extension',
      'apiKeys',
    ]
    const reachable = operations.filter(({ scope }) => scope !== null).map(({ name }) => name)
    expect(reachable.filter((name) => domains.includes(name.split('.')[0] ?? ''))).toEqual([])
    for (const name of [
      'campaigns.claim',
      'campaigns.recordOutcome',
      'campaigns.sendTest',
      'writer.saveProvider',
      'writer.provider',
      'replies.settings',
    ])
      expect(reachable).not.toContain(name)
  })
})
