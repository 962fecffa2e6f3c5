import { eq } from 'drizzle-orm'
import { beforeAll, describe, expect, it } from 'vitest'
import { mailTo, makeAccount, PASSWORD, statusOf } from '../../../../test/accounts.ts'
import { call, connectX, makePerson } from '../../../../test/makers.ts'
import { openApp, type TestApp } from '../../../../test/open-app.ts'
import { changeRole, leaveWorkspace, makeColleague, makeOwner, openSession, switchTo } from '../../../../test/team.ts'
import { workspaceMembers, workspaces } from '../workspaces/tables.ts'

let app: TestApp
beforeAll(async () => {
  app = await openApp({ mailbox: true, workers: true })
})

/** Access must end within 60 seconds; a database notification reaches every process sooner. */
const SOON = { timeout: 45_000 }
const rolesIn = async (workspaceId: string) =>
  Object.fromEntries(
    (await app.db.select().from(workspaceMembers).where(eq(workspaceMembers.workspaceId, workspaceId))).map((row) => [
      row.userId,
      row.role,
    ]),
  )

describe('GET /workspace/people', () => {
  it('lists all members to a viewer, owner first, and marks the caller', async () => {
    const owner = await makeOwner(app)
    const admin = await makePerson(app, { in: owner, role: 'admin' })
    const viewer = await makePerson(app, { in: owner, role: 'viewer' })
    const { people, total } = await viewer.client.people.list({})
    expect(total).toBe(3)
    expect(people.map(({ id, role, isYou }) => [id, role, isYou])).toEqual([
      [owner.id, 'owner', false],
      [admin.id, 'admin', false],
      [viewer.id, 'viewer', true],
    ])
    expect((await viewer.client.people.list({ page: 2, pageSize: 2 })).people.map(({ id }) => id)).toEqual([viewer.id])
    expect((await makePerson(app).then((stranger) => stranger.client.people.list({}))).total).toBe(1)
  })
})

describe('PATCH /workspace/people/{id}', () => {
  it('changes the role immediately, on other processes too, and keeps the session', async () => {
    const another = { url: `${(await app.startAnother()).url}/api` }
    const owner = await makeOwner(app)
    const { session, id } = await makeColleague(app, owner, 'admin')
    expect((await session.call('PATCH', '/workspace', { name: 'Renamed' })).status).toBe(200)
    expect(await statusOf(another, session.token)).toBe(200)

    const changed = await owner.call('PATCH', `/workspace/people/${id}`, { role: 'viewer' })
    expect([changed.status, changed.body.role]).toEqual([200, 'viewer'])
    for (const process of [app, another]) await expect.poll(() => statusOf(process, session.token), SOON).toBe(401)
    await session.renew()
    expect((await session.call('GET', '/me')).body.workspace).toMatchObject({ id: owner.workspaceId, role: 'viewer' })
    const refused = await session.call('PATCH', '/workspace', { name: 'Again' })
    expect([refused.status, refused.body.code]).toEqual([403, 'FORBIDDEN'])
    expect(await statusOf(another, session.token)).toBe(200)
  })

  it('also reaches processes that start later or missed the notification', async () => {
    const owner = await makeOwner(app)
    const { session, id } = await makeColleague(app, owner, 'admin')
    await owner.client.people.update({ id, role: 'member' })
    const late = { url: `${(await app.startAnother()).url}/api` }
    expect(await statusOf(late, session.token)).toBe(401)
  })

  it('changes nothing for the current role', async () => {
    const owner = await makeOwner(app)
    const { session, id } = await makeColleague(app, owner, 'member')
    expect(await owner.client.people.update({ id, role: 'member' })).toMatchObject({ id, role: 'member' })
    expect(await statusOf(app, session.token)).toBe(200)
  })

  it('returns 400 for the owner role', async () => {
    const owner = await makeOwner(app)
    const admin = await makePerson(app, { in: owner, role: 'admin' })
    for (const by of [owner, admin]) {
      const response = await by.call('PATCH', `/workspace/people/${admin.id}`, { role: 'owner' })
      expect([response.status, response.body.code]).toEqual([400, 'INVALID_INPUT'])
    }
    expect((await rolesIn(owner.workspaceId))[admin.id]).toBe('admin')
  })

  it('returns 409 for the owner, to an admin and to the owner', async () => {
    const owner = await makeOwner(app)
    const admin = await makePerson(app, { in: owner, role: 'admin' })
    for (const by of [owner, admin]) {
      const response = await by.call('PATCH', `/workspace/people/${owner.id}`, { role: 'viewer' })
      expect([response.status, response.body.code]).toEqual([409, 'LAST_OWNER'])
    }
  })

  it('returns 403 to a former admin whose token still says admin', async () => {
    const owner = await makeOwner(app)
    const admin = await makePerson(app, { in: owner, role: 'admin' })
    const member = await makePerson(app, { in: owner, role: 'member' })
    // Changes the role without a notification, as if it had not arrived yet.
    await changeRole(app, { userId: admin.id }, 'member')
    const responses = [
      await admin.call('PATCH', `/workspace/people/${member.id}`, { role: 'admin' }),
      await admin.call('DELETE', `/workspace/people/${member.id}`),
      await admin.call('PATCH', '/workspace', { name: 'Mine' }),
      await admin.call('POST', '/workspace/invitations', { email: 'friend@example.org', role: 'admin' }),
    ]
    expect(responses.map(({ status }) => status)).toEqual([403, 403, 403, 403])
    expect((await rolesIn(owner.workspaceId))[member.id]).toBe('member')
  })

  it('returns 404 for a member of another workspace', async () => {
    const owner = await makeOwner(app)
    const stranger = await makePerson(app)
    const response = await owner.call('PATCH', `/workspace/people/${stranger.id}`, { role: 'viewer' })
    expect([response.status, response.body.code]).toEqual([404, 'PERSON_NOT_FOUND'])
  })
})

describe('DELETE /workspace/people/{id}', () => {
  it('ends access immediately, on other processes too, and keeps the session in their own workspace', async () => {
    const another = { url: `${(await app.startAnother()).url}/api` }
    const owner = await makeOwner(app)
    const colleague = await makeColleague(app, owner, 'member')
    const { session } = colleague
    const list = await owner.client.lists.create({ name: 'Ours' })
    expect((await session.call('GET', `/lists/${list.id}/leads`)).status).toBe(200)

    expect((await owner.call('DELETE', `/workspace/people/${colleague.id}`)).status).toBe(204)
    for (const process of [app, another]) await expect.poll(() => statusOf(process, session.token), SOON).toBe(401)
    await session.renew()
    const me = (await session.call('GET', '/me')).body
    expect(me.workspace.role).toBe('owner')
    expect(me.workspaces.map((workspace: { id: string }) => workspace.id)).not.toContain(owner.workspaceId)
    expect((await session.call('GET', `/lists/${list.id}/leads`)).status).toBe(404)
    await mailTo(app, colleague.email, /no longer in/)
  })

  it('rejects the extensions they paired', async () => {
    const owner = await makeOwner(app)
    const member = await makePerson(app, { in: owner, role: 'member' })
    const { code } = await member.client.extension.createCode()
    const { body } = await call(app, 'POST', '/extension/pair', { code, version: '1' })
    const claim = () =>
      call(app, 'POST', '/claim', { holder: 'test' }, { authorization: `Bearer ${body.token}` }).then((a) => a.status)
    expect(await claim()).toBe(204)
    await owner.client.people.remove({ id: member.id })
    expect(await claim()).toBe(401)
  })

  it('returns 409 if an admin removes the owner', async () => {
    const owner = await makeOwner(app)
    const admin = await makePerson(app, { in: owner, role: 'admin' })
    const response = await admin.call('DELETE', `/workspace/people/${owner.id}`)
    expect([response.status, response.body.code]).toEqual([409, 'LAST_OWNER'])
  })

  it('returns 404 for a member of another workspace', async () => {
    const owner = await makeOwner(app)
    const stranger = await makePerson(app)
    const response = await owner.call('DELETE', `/workspace/people/${stranger.id}`)
    expect([response.status, response.body.code]).toEqual([404, 'PERSON_NOT_FOUND'])
    expect((await stranger.client.people.list({})).total).toBe(1)
  })
})

describe('POST /workspace/leave', () => {
  it('lets a viewer leave', async () => {
    const owner = await makeOwner(app)
    const { session, id } = await makeColleague(app, owner, 'viewer')
    expect((await session.call('POST', '/workspace/leave')).status).toBe(200)
    expect(await rolesIn(owner.workspaceId)).not.toHaveProperty(id)
    await expect.poll(() => statusOf(app, session.token), SOON).toBe(401)
  })

  it('returns 409 to the owner', async () => {
    const owner = await makeOwner(app)
    const response = await owner.call('POST', '/workspace/leave')
    expect([response.status, response.body.code]).toEqual([409, 'LAST_OWNER'])
  })
})

describe('POST /workspace/owner', () => {
  it('transfers with the password, makes the former owner an admin and emails both', async () => {
    const owner = await makeOwner(app)
    const admin = await makeColleague(app, owner, 'admin')
    const body = { personId: admin.id, currentPassword: PASSWORD }
    expect((await owner.call('POST', '/workspace/owner', body)).status).toBe(200)
    expect(await rolesIn(owner.workspaceId)).toEqual({ [owner.id]: 'admin', [admin.id]: 'owner' })
    const mails = await Promise.all([owner, admin].map(({ email }) => mailTo(app, email, /has a new owner/)))
    for (const { text } of mails) expect(text).toContain(`our support: ${app.env.supportEmail}`)
    await admin.session.renew()
    const back = await admin.session.call('POST', '/workspace/owner', { personId: owner.id, currentPassword: PASSWORD })
    expect(back.status).toBe(200)
  })

  it('gives the former owner a new personal workspace, and keeps the team if they delete their account', async () => {
    const owner = await makeOwner(app)
    const admin = await makeColleague(app, owner, 'admin')
    await owner.call('POST', '/workspace/owner', { personId: admin.id, currentPassword: PASSWORD })
    await leaveWorkspace(app, { userId: owner.id })
    const session = await openSession(app, owner)
    const me = (await session.call('GET', '/me')).body
    expect(me.workspace).toMatchObject({ role: 'owner' })
    expect(me.workspace.id).not.toBe(owner.workspaceId)
    const deleted = await session.call('DELETE', '/auth/user', { confirmation: owner.email, currentPassword: PASSWORD })
    expect(deleted.status).toBe(200)
    expect(await app.db.$count(workspaces, eq(workspaces.id, owner.workspaceId))).toBe(1)
    expect(await rolesIn(owner.workspaceId)).toEqual({ [admin.id]: 'owner' })
  })

  it('changes nothing if the owner transfers to themselves', async () => {
    const owner = await makeOwner(app)
    expect(await owner.client.people.transfer({ personId: owner.id, currentPassword: PASSWORD })).toEqual({
      success: true,
    })
    expect(await rolesIn(owner.workspaceId)).toEqual({ [owner.id]: 'owner' })
  })

  it.each([
    [403, 'REAUTHENTICATION_NEEDED', {}],
    [400, 'INVALID_CREDENTIALS', { currentPassword: 'Wrong-one1' }],
  ])('returns %i %s without a valid proof', async (status, code, proof) => {
    const owner = await makeOwner(app)
    const admin = await makePerson(app, { in: owner, role: 'admin' })
    const response = await owner.call('POST', '/workspace/owner', { personId: admin.id, ...proof })
    expect([response.status, response.body.code]).toEqual([status, code])
    expect((await rolesIn(owner.workspaceId))[owner.id]).toBe('owner')
  })

  it('returns 404 for a member of another workspace', async () => {
    const owner = await makeOwner(app)
    const stranger = await makePerson(app)
    const body = { personId: stranger.id, currentPassword: PASSWORD }
    const response = await owner.call('POST', '/workspace/owner', body)
    expect([response.status, response.body.code]).toEqual([404, 'PERSON_NOT_FOUND'])
  })

  it('returns 403 to an admin, whose account deletion keeps the workspace', async () => {
    const owner = await makeOwner(app)
    const { session, id, email } = await makeColleague(app, owner, 'admin')
    const response = await session.call('POST', '/workspace/owner', { personId: id, currentPassword: PASSWORD })
    expect([response.status, response.body.code]).toEqual([403, 'FORBIDDEN'])
    await connectX(app, owner)
    const deleted = await session.call('DELETE', '/auth/user', { confirmation: email, currentPassword: PASSWORD })
    expect(deleted.status).toBe(200)
    expect(await rolesIn(owner.workspaceId)).toEqual({ [owner.id]: 'owner' })
    expect((await owner.client.xAccount.status()).connected).toBe(true)
  })

  it('leaves one owner after two parallel transfers', async () => {
    const owner = await makeOwner(app)
    const admins = await Promise.all([1, 2, 3].map(() => makePerson(app, { in: owner, role: 'admin' })))
    const statuses = await Promise.all(
      admins.map(({ id }) =>
        owner.call('POST', '/workspace/owner', { personId: id, currentPassword: PASSWORD }).then((a) => a.status),
      ),
    )
    expect(statuses.sort()).toEqual([200, 403, 403])
    const roles = Object.values(await rolesIn(owner.workspaceId))
    expect(roles.filter((role) => role === 'owner')).toHaveLength(1)
  })
})

describe('deleting the account of an owner', () => {
  it('ends the workspace for all its members', async () => {
    const owner = await makeOwner(app)
    const { session } = await makeColleague(app, owner, 'admin')
    const body = { confirmation: owner.email, currentPassword: PASSWORD }
    expect((await owner.call('DELETE', '/auth/user', body)).status).toBe(200)
    await expect.poll(() => statusOf(app, session.token), SOON).toBe(401)
    await session.renew()
    expect((await session.call('GET', '/me')).body.workspaces).toHaveLength(1)
  })
})

describe('PATCH /workspace', () => {
  it('lets an admin rename the workspace', async () => {
    const owner = await makeOwner(app)
    const admin = await makePerson(app, { in: owner, role: 'admin' })
    expect(await admin.client.people.rename({ name: '  Acme  ' })).toEqual({
      id: owner.workspaceId,
      name: 'Acme',
      role: 'admin',
    })
    expect((await owner.client.auth.me()).workspace.name).toBe('Acme')
  })
})

describe('POST /workspace/switch', () => {
  it('switches this session and the next sign-in, but no other session', async () => {
    const owner = await makeOwner(app)
    const person = await makeAccount(app, { in: owner, role: 'member' })
    const own = await openSession(app, person)
    const before = (await own.call('GET', '/me')).body
    expect(before.workspaces).toHaveLength(2)
    expect(before.workspace.role).toBe('owner')

    const there = await openSession(app, person)
    await switchTo(there, owner.workspaceId)
    const workspaceOf = async (session: typeof own) => (await session.call('GET', '/me')).body.workspace
    expect(await workspaceOf(there)).toMatchObject({ id: owner.workspaceId, role: 'member' })
    await there.renew()
    expect(await workspaceOf(there)).toMatchObject({ id: owner.workspaceId })
    await own.renew()
    expect(await workspaceOf(own)).toMatchObject({ id: before.workspace.id })
    expect(await workspaceOf(await openSession(app, person))).toMatchObject({ id: owner.workspaceId })
    await switchTo(there, before.workspace.id)
    expect(await workspaceOf(there)).toMatchObject({ id: before.workspace.id, role: 'owner' })
  })

  it("returns 404 for another user's workspace, as for one that does not exist", async () => {
    const [stranger, owner] = [await makePerson(app), await makeOwner(app)]
    const responses = await Promise.all(
      [owner.workspaceId, '01900000-0000-7000-8000-000000000000'].map((workspaceId) =>
        stranger.call('POST', '/workspace/switch', { workspaceId }),
      ),
    )
    expect(responses.map(({ status, body }) => [status, body.code])).toEqual([
      [404, 'WORKSPACE_NOT_FOUND'],
      [404, 'WORKSPACE_NOT_FOUND'],
    ])
    expect(responses[0]?.body).toEqual(responses[1]?.body)
  })

  it('treats the same Idempotency-Key in another workspace as a different request', async () => {
    const owner = await makeOwner(app)
    const { session } = await makeColleague(app, owner, 'member')
    const create = () =>
      call(
        app,
        'POST',
        '/lists',
        { name: 'Once' },
        { authorization: `Bearer ${session.token}`, 'idempotency-key': 'k' },
      )
    expect((await create()).status).toBe(200)
    const [own] = (await session.call('GET', '/me')).body.workspaces.filter(
      (workspace: { id: string }) => workspace.id !== owner.workspaceId,
    )
    await switchTo(session, own.id)
    expect((await create()).body.code).toBe('IDEMPOTENCY_KEY_REUSED')
  })
})
