import { API_KEYS_MAX } from '@x-automated/contract/platform/api-keys'
import { SCOPES, type Scope } from '@x-automated/contract/route'
import { eq, sql } from 'drizzle-orm'
import { beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { makeLeads } from '../../../../test/leads.ts'
import { call, makePerson, type Person, subscribe } from '../../../../test/makers.ts'
import { openApp, type TestApp } from '../../../../test/open-app.ts'
import { operations, pathWith } from '../../../../test/operations.ts'
import { authUsers } from '../../identity/auth/tables.ts'
import { workspaceMembers } from '../../identity/workspaces/tables.ts'
import { leadLists } from '../../leads/lists/tables.ts'
import { subscriptions } from '../billing/tables.ts'
import { apiKeys } from './tables.ts'

let app: TestApp
beforeAll(async () => {
  app = await openApp()
})

const SOME_ID = '01900000-0000-7000-8000-000000000000'

async function makeSubscriber(): Promise<Person> {
  const person = await makePerson(app)
  await subscribe(app, person)
  return person
}

/** Creates a key. @returns its id, itself, and calls with it */
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
    const { key, ...shown } = created
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
    })
    expect(await person.client.apiKeys.list()).toEqual({ keys: [shown] })
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
    await app.db.execute(sql`
      insert into api_keys (workspace_id, name, start, key_hash, scopes, created_by)
      select ${person.workspaceId}, 'old', 'xa_live_0000', 'hash' || n, '{leads:read}', ${person.id}
      from generate_series(1, ${API_KEYS_MAX}) n`)
    expect(await person.call('POST', '/api-keys', wanted)).toMatchObject({ status: 409, body: { code: 'TOO_MANY' } })
  })
})

describe('an API key', () => {
  it('acts as a member of its workspace, with its own limit and idempotency keys', async () => {
    const person = await makeSubscriber()
    const key = await makeKey(person)
    const answer = await key.call('POST', '/lists', { name: 'From a program' }, { 'idempotency-key': 'one' })
    expect(answer.status).toBe(200)
    const limit = ['limit', 'remaining', 'reset'].map((name) => Number(answer.headers.get(`ratelimit-${name}`)))
    expect(limit).toEqual([600, 599, expect.any(Number)])
    expect(limit[2]).toBeLessThanOrEqual(60)
    const again = await key.call('POST', '/lists', { name: 'From a program' }, { 'idempotency-key': 'one' })
    expect(again.body.id).toBe(answer.body.id)
    const theirs = await person.call('POST', '/lists', { name: 'From a program' }, { 'idempotency-key': 'one' })
    expect(theirs.body.id).not.toBe(answer.body.id)
    expect((await person.call('GET', '/lists')).headers.get('ratelimit-limit')).toBeNull()
    expect((await key.call('GET', '/lists')).body.lists).toHaveLength(2)
    const [used] = (await person.client.apiKeys.list()).keys
    expect(Date.parse(used?.lastUsedAt ?? '')).toBeGreaterThan(Date.now() - 60_000)
  })

  it('may make 600 calls a minute, whatever its creator does', async () => {
    const person = await makeSubscriber()
    const key = await makeKey(person)
    // The minute must not end here.
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
    await app.db.update(apiKeys).set({ expiresAt: sql`now()` }).where(eq(apiKeys.id, expiring.id))
    expect((await expiring.call('GET', '/lists')).status).toBe(401)
    const key = await makeKey(person, ['lists:read'])
    await app.db.delete(subscriptions).where(eq(subscriptions.workspaceId, person.workspaceId))
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

  it('acts for its creator, and for the owner once they are a viewer or have left', async () => {
    const owner = await makeSubscriber()
    const admin = await makePerson(app, { in: owner, role: 'admin' })
    const key = await makeKey(admin)
    const listOf = async (name: string) => {
      expect((await key.call('POST', '/lists', { name })).status).toBe(200)
      return (await app.db.select().from(leadLists).where(eq(leadLists.name, name)))[0]?.userId
    }
    expect(await listOf(`while ${admin.id} is there`)).toBe(admin.id)
    await owner.client.people.update({ id: admin.id, role: 'viewer' })
    expect(await listOf(`since ${admin.id} is a viewer`)).toBe(owner.id)
    await app.db.delete(workspaceMembers).where(eq(workspaceMembers.userId, admin.id))
    await app.db.delete(authUsers).where(eq(authUsers.id, admin.id))
    expect(await listOf(`after ${admin.id} left`)).toBe(owner.id)
    expect((await owner.client.apiKeys.list()).keys).toMatchObject([{ createdBy: null, status: 'active' }])
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
    await app.db.update(apiKeys).set({ scopes: [] }).where(eq(apiKeys.id, none.id))
    const signedIn = operations.filter(({ access }) => access !== 'public' && access !== 'operator')
    for (const operation of signedIn) {
      const [path, body] = [pathWith(operation, SOME_ID), operation.method === 'GET' ? undefined : {}]
      const refused = await none.call(operation.method, path, body)
      expect([operation.name, refused.status, refused.body.code]).toEqual([operation.name, 403, 'FORBIDDEN'])
      expect(refused.body.details).toEqual(operation.scope ? { scope: operation.scope } : undefined)
      const admitted = await all.call(operation.method, path, body)
      expect([operation.name, admitted.body.code === 'FORBIDDEN']).toEqual([operation.name, operation.scope === null])
    }
    await app.db.delete(subscriptions).where(eq(subscriptions.workspaceId, person.workspaceId))
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
