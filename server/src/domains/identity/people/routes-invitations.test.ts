import { eq } from 'drizzle-orm'
import { beforeAll, describe, expect, it } from 'vitest'
import { changeUser, linkIn, mailsTo, mailTo, makeAccount } from '../../../../test/accounts.ts'
import { call, makePerson, type Person, subscribe } from '../../../../test/makers.ts'
import { openApp, type TestApp } from '../../../../test/open-app.ts'
import { unsubscribe } from '../../../../test/subscriptions.ts'
import {
  expireInvitations,
  invitationToken,
  inviteMany,
  joinWorkspace,
  makeOwner,
  readdress,
  renameWorkspace,
} from '../../../../test/team.ts'
import { hashToken } from '../../../sealing.ts'
import { workspaceInvitations } from './tables.ts'

let app: TestApp
beforeAll(async () => {
  app = await openApp({ mailbox: true, workers: true })
})

let count = 0
const newEmail = () => `invited${++count}@example.org`
const AGENCY = 'Your Free plan includes 1 person. Upgrade to Agency for a team of any size.'
const accept = (person: Person, token: string) => person.call('POST', '/invitations/accept', { token })
const find = (token: string) => call(app, 'POST', '/invitations/find', { token })
const lapse = ({ workspaceId }: Person) => unsubscribe(app, { workspaceId })
const expire = (email: string) => expireInvitations(app, email)

describe('POST /workspace/invitations', () => {
  it('emails a link with its token in the fragment, the same with or without an account', async () => {
    const owner = await makeOwner(app)
    const registered = await makeAccount(app)
    const unknown = newEmail()
    const [first, other] = [
      await owner.call('POST', '/workspace/invitations', { email: registered.email.toUpperCase(), role: 'member' }),
      await owner.call('POST', '/workspace/invitations', { email: unknown, role: 'member' }),
    ]
    const without = ({ id, email, sentAt, expiresAt, ...rest }: Record<string, unknown>) => rest
    expect([first.status, other.status]).toEqual([200, 200])
    expect(without(first.body)).toEqual(without(other.body))
    const [mail, otherMail] = [await mailTo(app, registered.email, /^Join /), await mailTo(app, unknown, /^Join /)]
    const words = ({ text }: { text: string }, email: string) =>
      text.replaceAll(email, 'ADDRESS').replace(/token=[\w-]+/, 'token=')
    expect(words(mail, registered.email)).toBe(words(otherMail, unknown))
    const link = linkIn(mail, '/invitation')
    expect(link.origin + link.pathname + link.search).toBe('http://localhost:3000/invitation')
    expect(link.hash).toMatch(/^#token=[\w-]{43}$/)
    const token = link.hash.slice('#token='.length)
    const [row] = await app.db
      .select()
      .from(workspaceInvitations)
      .where(eq(workspaceInvitations.email, registered.email))
    expect(row?.tokenHash).toBe(hashToken(token))
    expect(JSON.stringify([first.body, await owner.client.people.listInvitations()])).not.toContain(token)
  })

  it.each(['Acme.io', 'evil.example/login now', 'ⓔⓥⓘⓛ.ⓔⓧⓐⓜⓟⓛⓔ', 'ｅｖｉｌ．ｅｘａｍｐｌｅ'])(
    'keeps the name %s out of subjects, and gives mail programs nothing to link in bodies',
    async (name) => {
      const owner = await makeOwner(app)
      await owner.client.people.rename({ name })
      await changeUser(app, { id: owner.id }, { name })
      const friend = await makeAccount(app)
      await owner.client.people.invite({ email: friend.email, role: 'member' })
      const mail = await mailTo(app, friend.email, /^Join a workspace on X-Automated$/)
      const own = new RegExp(`${friend.email}|http://localhost:3000\\S*`, 'g')
      for (const body of [mail.text, mail.html.replace(/<style[\s\S]*?<\/style>|<[^>]*>/g, ' ')]) {
        expect(body.replaceAll('\u2060', '')).toContain(name)
        expect(body.replace(own, '').normalize('NFKC')).not.toMatch(/[\p{L}\p{N}]\.[\p{L}\p{N}]/u)
      }
    },
  )

  it('removes line breaks, bidi characters and web addresses from names in emails', async () => {
    const owner = await makeOwner(app)
    const name = 'Locked\r\nBcc: x@evil.example \u202e https://evil.example/pay'
    await renameWorkspace(app, owner.workspaceId, name)
    await changeUser(app, { id: owner.id }, { name })
    const email = newEmail()
    await owner.client.people.invite({ email, role: 'member' })
    const mail = await mailTo(app, email, /^Join /)
    const safe = 'Locked Bcc: x@evil.example https evil.example/pay'
    expect(mail.subject).toBe('Join a workspace on X-Automated')
    expect(mail.text.replaceAll('\u2060', '')).toContain(`${safe} invited you to the workspace ${safe} as a member.`)
    for (const body of [mail.text, mail.html]) expect(body).not.toMatch(/:\/\/evil|\u202e/)
  })

  it('emails a new link with the new role and invalidates the previous one', async () => {
    const owner = await makeOwner(app)
    const person = await makeAccount(app)
    const first = await owner.client.people.invite({ email: person.email, role: 'viewer' })
    const token = await invitationToken(app, person.email)
    const second = await owner.client.people.invite({ email: person.email, role: 'admin' })
    expect(second.id).toBe(first.id)
    await expect.poll(async () => (await mailsTo(app, person.email)).length).toBe(2)
    expect((await accept(person, token)).body.code).toBe('INVITATION_NOT_FOUND')
    expect((await accept(person, await invitationToken(app, person.email))).body.role).toBe('admin')
  })

  it('returns 403 PLAN_LIMIT with the limit and the plan that lifts it', async () => {
    const owner = await makePerson(app)
    const body = { email: newEmail(), role: 'member' }
    const response = await owner.call('POST', '/workspace/invitations', body)
    expect([response.status, response.body]).toEqual([
      403,
      { success: false, code: 'PLAN_LIMIT', error: AGENCY, details: { limit: 1, used: 1, plan: 'free' } },
    ])
    expect((await owner.client.people.listInvitations()).planLimit).toBe(AGENCY)
    await subscribe(app, owner, 'pro_monthly')
    expect((await owner.call('POST', '/workspace/invitations', body)).body.error).toContain('Upgrade to Agency')
    await subscribe(app, owner)
    expect((await owner.client.people.listInvitations()).planLimit).toBeNull()
    expect((await owner.call('POST', '/workspace/invitations', body)).status).toBe(200)
  })

  it('returns 400 for the owner role and for invalid addresses', async () => {
    const owner = await makeOwner(app)
    for (const body of [
      { email: newEmail(), role: 'owner' },
      { email: 'nobody', role: 'member' },
      { email: newEmail() },
    ])
      expect((await owner.call('POST', '/workspace/invitations', body)).body.code).toBe('INVALID_INPUT')
  })

  it('returns 409 for an existing member', async () => {
    const owner = await makeOwner(app)
    const member = await makePerson(app, { in: owner, role: 'member' })
    const response = await owner.call('POST', '/workspace/invitations', { email: member.email, role: 'admin' })
    expect([response.status, response.body.code]).toEqual([409, 'ALREADY_IN_WORKSPACE'])
  })

  it('returns 409 over 100 pending invitations, without counting expired ones', async () => {
    const owner = await makeOwner(app)
    const waiting = Array.from({ length: 100 }, (_, i) => `waiting${i}@example.org`)
    await inviteMany(app, owner, waiting)
    const invite = () => owner.call('POST', '/workspace/invitations', { email: newEmail(), role: 'viewer' })
    const refused = await invite()
    expect([refused.status, refused.body.code]).toEqual([409, 'TOO_MANY'])
    await expire('waiting7@example.org')
    expect((await invite()).status).toBe(200)
  })

  it('returns 429 after too many emails to one address', async () => {
    const owner = await makeOwner(app)
    const email = newEmail()
    const statuses = []
    for (let i = 0; i < 11; i++)
      statuses.push((await owner.call('POST', '/workspace/invitations', { email, role: 'viewer' })).status)
    expect(statuses).toEqual([...Array(10).fill(200), 429])
  })

  it('returns 429 only to the workspace that used up its invitations to an address', async () => {
    const [stranger, owner] = [await makeOwner(app), await makeOwner(app)]
    const email = newEmail()
    const invite = (by: Person) => by.call('POST', '/workspace/invitations', { email, role: 'viewer' })
    for (let i = 0; i < 11; i++) await invite(stranger)
    const { id } = (await invite(owner)).body
    expect((await owner.call('POST', `/workspace/invitations/${id}/resend`)).status).toBe(200)
    expect((await invite(stranger)).status).toBe(429)
  })

  it('returns 429 to every workspace after 100 invitations of an address in a day', async () => {
    const owner = await makeOwner(app)
    const email = newEmail()
    for (let i = 0; i < 100; i++) await app.services.limits.consume('inviteByRecipient', hashToken(email))
    const response = await owner.call('POST', '/workspace/invitations', { email, role: 'viewer' })
    expect([response.status, response.body.code]).toEqual([429, 'RATE_LIMITED'])
  })

  it('does not count rejected invitations', async () => {
    const owner = await makePerson(app)
    const email = newEmail()
    const invite = () => owner.call('POST', '/workspace/invitations', { email, role: 'viewer' })
    for (let i = 0; i < 10; i++) expect((await invite()).body.code).toBe('PLAN_LIMIT')
    await subscribe(app, owner)
    expect((await invite()).status).toBe(200)
  })

  it('returns 403 to a member', async () => {
    const owner = await makeOwner(app)
    const member = await makePerson(app, { in: owner, role: 'member' })
    const response = await member.call('POST', '/workspace/invitations', { email: newEmail(), role: 'viewer' })
    expect([response.status, response.body.code]).toEqual([403, 'FORBIDDEN'])
    expect((await member.call('GET', '/workspace/invitations')).status).toBe(403)
  })
})

describe('an invitation', () => {
  it('can be listed, resent with a new link, and revoked', async () => {
    const owner = await makeOwner(app)
    const admin = await makePerson(app, { in: owner, role: 'admin' })
    const person = await makeAccount(app)
    const { id } = await admin.client.people.invite({ email: person.email, role: 'viewer' })
    const old = await invitationToken(app, person.email)
    expect((await owner.client.people.listInvitations()).invitations).toMatchObject([
      { id, email: person.email, role: 'viewer', invitedBy: admin.email.split('@')[0] },
    ])
    expect((await owner.call('POST', `/workspace/invitations/${id}/resend`)).status).toBe(200)
    await expect.poll(async () => (await mailsTo(app, person.email)).length).toBe(2)
    expect((await find(old)).status).toBe(404)
    const token = await invitationToken(app, person.email)
    expect((await find(token)).status).toBe(200)
    expect((await owner.call('DELETE', `/workspace/invitations/${id}`)).status).toBe(204)
    for (const response of [
      await find(token),
      await accept(person, token),
      await owner.call('DELETE', `/workspace/invitations/${id}`),
      await owner.call('POST', `/workspace/invitations/${id}/resend`),
    ])
      expect([response.status, response.body.code]).toEqual([404, 'INVITATION_NOT_FOUND'])
    expect((await owner.client.people.listInvitations()).invitations).toEqual([])
  })

  it('is not resent once the plan is for one person', async () => {
    const owner = await makeOwner(app)
    const { id } = await owner.client.people.invite({ email: newEmail(), role: 'viewer' })
    await lapse(owner)
    const response = await owner.call('POST', `/workspace/invitations/${id}/resend`)
    expect([response.status, response.body.code]).toEqual([403, 'PLAN_LIMIT'])
  })

  it('returns 404 in another workspace', async () => {
    const owner = await makeOwner(app)
    const { id } = await owner.client.people.invite({ email: newEmail(), role: 'viewer' })
    const stranger = await makeOwner(app)
    expect((await stranger.call('DELETE', `/workspace/invitations/${id}`)).status).toBe(404)
    expect((await stranger.call('POST', `/workspace/invitations/${id}/resend`)).status).toBe(404)
    expect((await owner.client.people.listInvitations()).invitations).toHaveLength(1)
  })
})

describe('invitations of a former admin', () => {
  it.each([
    ['is removed', (owner: Person, admin: Person) => owner.call('DELETE', `/workspace/people/${admin.id}`)],
    ['leaves', (_owner: Person, admin: Person) => admin.call('POST', '/workspace/leave')],
    [
      'becomes a member',
      (owner: Person, admin: Person) => owner.call('PATCH', `/workspace/people/${admin.id}`, { role: 'member' }),
    ],
  ])('are revoked when their sender %s, unlike those of others', async (_how, end) => {
    const owner = await makeOwner(app)
    const admin = await makePerson(app, { in: owner, role: 'admin' })
    const theirOther = await makeAccount(app)
    await admin.client.people.invite({ email: theirOther.email, role: 'admin' })
    const token = await invitationToken(app, theirOther.email)
    const remaining = await owner.client.people.invite({ email: newEmail(), role: 'viewer' })
    expect((await end(owner, admin)).status).toBeLessThan(300)
    const response = await accept(theirOther, token)
    expect([response.status, response.body.code]).toEqual([404, 'INVITATION_NOT_FOUND'])
    expect((await owner.client.people.listInvitations()).invitations.map(({ id }) => id)).toEqual([remaining.id])
  })
})

describe('POST /invitations/find', () => {
  it('describes the invitation to anyone with the link, signed in or not', async () => {
    const owner = await makeOwner(app)
    const email = newEmail()
    await owner.client.people.rename({ name: 'Acme' })
    await owner.client.people.invite({ email, role: 'admin' })
    const response = await find(await invitationToken(app, email))
    expect([response.status, response.body]).toEqual([
      200,
      {
        workspaceName: 'Acme',
        invitedBy: owner.email.split('@')[0],
        role: 'admin',
        email,
        expiresAt: expect.any(String),
      },
    ])
  })

  it('returns 404 for an unknown token', async () => {
    const response = await find('nonsense')
    expect([response.status, response.body.code]).toEqual([404, 'INVITATION_NOT_FOUND'])
  })
})

describe('POST /invitations/accept', () => {
  async function invited(role: 'viewer' | 'member' | 'admin' = 'member') {
    const owner = await makeOwner(app)
    const person = await makeAccount(app)
    await owner.client.people.invite({ email: person.email, role })
    return { owner, person, token: await invitationToken(app, person.email) }
  }

  it('adds a member, once', async () => {
    const { owner, person, token } = await invited()
    const response = await accept(person, token)
    expect([response.status, response.body]).toMatchObject([200, { id: owner.workspaceId, role: 'member' }])
    expect((await person.client.auth.me()).workspaces).toHaveLength(2)
    expect((await accept(person, token)).body.code).toBe('INVITATION_NOT_FOUND')
  })

  it('accepts only one of two parallel calls', async () => {
    const { person, token } = await invited()
    const responses = await Promise.all([accept(person, token), accept(person, token)])
    expect(responses.map(({ status }) => status).sort()).toEqual([200, 404])
  })

  it('returns 403 to other and unverified accounts, and stays valid for the right one', async () => {
    const { person, token } = await invited()
    const other = await makeAccount(app)
    const response = await accept(other, token)
    expect([response.status, response.body.code]).toEqual([403, 'INVITATION_ADDRESS'])
    const unverified = await makeAccount(app, { confirmed: false })
    await readdress(app, token, unverified.email)
    expect((await accept(unverified, token)).body.code).toBe('INVITATION_ADDRESS')
    await readdress(app, token, person.email)
    expect((await accept(person, token)).status).toBe(200)
  })

  it('returns 404 after it has expired', async () => {
    const { person, token } = await invited()
    await expire(person.email)
    const response = await accept(person, token)
    expect([response.status, response.body.code]).toEqual([404, 'INVITATION_NOT_FOUND'])
  })

  it('returns 403 PLAN_LIMIT after a downgrade, and keeps existing members', async () => {
    const { owner, person, token } = await invited()
    const before = await makePerson(app, { in: owner, role: 'viewer' })
    await lapse(owner)
    const response = await accept(person, token)
    expect([response.status, response.body.code]).toEqual([403, 'PLAN_LIMIT'])
    expect((await before.client.auth.me()).workspace.id).toBe(owner.workspaceId)
  })

  it('keeps the role of a user who joined in another way meanwhile', async () => {
    const { owner, person, token } = await invited('viewer')
    await joinWorkspace(app, owner.workspaceId, person.id, 'admin')
    expect((await accept(person, token)).body.role).toBe('admin')
  })
})
