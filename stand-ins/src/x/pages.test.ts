import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { type Answer, openX, visit } from '../../test/open-x.ts'
import { startX } from '../x.ts'
import { idOfHandle } from './ids.ts'
import { conversationId } from './messages.ts'

type Visit = ReturnType<typeof visit>

async function signedIn(x: Visit, handle: string) {
  const response = await x.form('/i/flow/login', { username: handle, password: 'long enough' }, {})
  const cookie = response.headers.getSetCookie().map((value) => value.split(';', 1)[0])
  const headers = { cookie: cookie.join('; ') }
  const conversationWith = (peer: string) => conversationId(idOfHandle(handle), idOfHandle(peer))
  return {
    answer: response,
    headers,
    conversationWith,
    get: (path: string) => x.call(path, { headers }),
    send: (peer: string, text: unknown, requestId: unknown = randomUUID()): Promise<Answer> =>
      x.json(
        'POST',
        '/i/api/1.1/dm/new2.json',
        { conversation_id: conversationWith(peer), text, request_id: requestId },
        headers,
      ),
  }
}

test('redirects guests from the chat to the sign-in page and back', async () => {
  const x = await openX()
  const response = await x.call('/i/chat/1-2?from=a')
  expect(response.status).toBe(302)
  expect(response.headers.get('location')).toBe('/i/flow/login?redirect_after_login=%2Fi%2Fchat%2F1-2%3Ffrom%3Da')
  const page = await x.call(response.headers.get('location') ?? '')
  expect(page.body).toContain('name="next" value="/i/chat/1-2?from=a"')

  const next = (to: string) => x.form('/i/flow/login', { username: 'ada', password: 'long enough', next: to }, {})
  expect((await next('/i/chat')).headers.get('location')).toBe('/i/chat')
  for (const foreign of ['https://evil.test', '//evil.test', '/\\evil.test']) {
    expect((await next(foreign)).headers.get('location'), foreign).toBe('/home')
  }
  const refused = await x.form('/i/flow/login', { username: '"><b>', password: 'short' }, {})
  expect(refused).toMatchObject({ status: 400, body: expect.stringContaining('Wrong username or password') })
  expect(refused.body).not.toContain('"><b>')
})

test('redirects the former pages of messages to the chat', async () => {
  const x = await openX()
  for (const [path, to] of [
    ['/messages', '/i/chat'],
    ['/messages/1-2', '/i/chat/1-2'],
    ['/messages/requests', '/i/chat/requests'],
  ] as const)
    expect((await x.call(path)).headers.get('location'), path).toBe(to)
})

test('keeps a cookie session across a restart until sign-out', async () => {
  const stateDir = mkdtempSync(join(tmpdir(), 'stand-ins-'))
  onTestFinished(() => rmSync(stateDir, { recursive: true, force: true }))
  const first = await startX({ stateDir })
  const ada = await signedIn(visit(first), 'ada')
  expect(ada.answer.headers.getSetCookie()[0]).toMatch(/^auth_token=\w{40}; HttpOnly; Path=\/; SameSite=Lax; Max-Age=/)
  expect((await ada.get('/i/api/viewer')).body.viewer).toMatchObject({ handle: 'ada' })
  await first.close()

  const x = await openX({ stateDir })
  const headers = ada.headers
  expect((await x.call('/i/api/viewer', { headers })).body.viewer).toMatchObject({ handle: 'ada' })
  expect((await x.call('/i/chat', { headers })).status).toBe(200)
  await x.call('/logout', { method: 'POST', headers })
  expect((await x.call('/i/api/viewer', { headers })).body.viewer).toBeNull()
})

test('returns a profile and whether it accepts messages', async () => {
  const x = await openX()
  const ada = await signedIn(x, 'ada')
  const profile = async (handle: string) => (await ada.get(`/i/api/profiles/${handle}`)).body
  expect(await profile('open_bob')).toMatchObject({
    existence: 'there',
    handle: 'open_bob',
    conversationId: ada.conversationWith('open_bob'),
  })
  expect(await profile('open_bob')).toMatchObject({ inboxOpen: true, isProtected: false })
  expect(await profile('closed_bob')).toMatchObject({ existence: 'there', inboxOpen: false })
  expect(await profile('protected_bob')).toMatchObject({ isProtected: true })
  expect(await profile('ada')).toMatchObject({ existence: 'there', conversationId: null })
  expect(await profile('missing_x')).toEqual({ existence: 'missing' })
  expect(await profile('suspended_x')).toEqual({ existence: 'suspended' })
  expect((await x.call('/i/api/profiles/open_bob')).body).toMatchObject({ existence: 'there', conversationId: null })
  expect((await x.call('/open_bob')).headers.get('content-type')).toContain('text/html')
  for (const path of ['/favicon.ico', '/sixteencharacter', '/i/api/profiles/sixteencharacter']) {
    expect((await x.call(path)).status, path).toBe(404)
  }
})

test('adds messages from the page to the API’s messages and the conversation', async () => {
  const x = await openX()
  const ada = await signedIn(x, 'ada')
  const id = ada.conversationWith('open_bob')
  const sent = await ada.send('open_bob', 'Hello\nfrom the page')
  expect(sent).toMatchObject({ status: 200, body: { mine: true, text: 'Hello\nfrom the page' } })
  expect(await x.log('?to=open_bob')).toMatchObject([{ from: 'ada', to: 'open_bob', text: 'Hello\nfrom the page' }])
  await x.json('POST', '/_people/open_bob/reply', { to: 'ada', text: 'Hi Ada' })
  expect((await ada.get(`/i/api/conversations/${id}`)).body).toMatchObject({
    peer: { handle: 'open_bob' },
    canWrite: true,
    messages: [{ mine: true }, { mine: false, text: 'Hi Ada' }],
  })
})

test('sends a repeated request once', async () => {
  const x = await openX()
  const ada = await signedIn(x, 'ada')
  const [first, again] = [await ada.send('open_bob', 'Hi', 'one'), await ada.send('open_bob', 'Hi', 'one')]
  expect(again.body).toEqual(first.body)
  await ada.send('open_bob', 'Hi', 'other')
  expect(await x.log('?to=open_bob')).toHaveLength(2)
})

test('rejects messages to a closed inbox, without text, in other conversations and from guests', async () => {
  const x = await openX()
  const ada = await signedIn(x, 'ada')
  expect(await ada.send('closed_bob', 'Hi')).toMatchObject({ status: 403, body: { code: 349 } })
  for (const text of ['', ' \n', 'a'.repeat(10_001), 7]) expect((await ada.send('open_bob', text)).status).toBe(400)
  expect((await ada.send('open_bob', 'Hi', null)).status).toBe(400)
  expect((await ada.send('missing_bob', 'Hi')).status).toBe(404)
  const others = conversationId(idOfHandle('open_bob'), idOfHandle('open_eve'))
  expect((await ada.get(`/i/api/conversations/${others}`)).status).toBe(404)
  expect((await x.call(`/i/api/conversations/${ada.conversationWith('open_bob')}`)).status).toBe(401)
  expect((await x.json('POST', '/i/api/1.1/dm/new2.json', { conversation_id: others, text: 'Hi' })).status).toBe(401)
  expect(await x.log()).toEqual([])
})

test('never answers for a person who signed in on the page', async () => {
  const x = await openX({ answerAfterMs: 0 })
  await signedIn(x, 'replies_bob')
  const ada = await signedIn(x, 'ada')
  await ada.send('replies_bob', 'Hi')
  await ada.send('replies_eve', 'Hi')
  await expect.poll(async () => (await x.log('?to=ada')).map(({ from }) => from)).toEqual(['replies_eve'])
})

test('changes the markup, and returns 400 for an unknown one', async () => {
  const x = await openX()
  expect((await x.call('/_pages')).body).toEqual({ markup: 'chat', typing: 'any' })
  for (const markup of [
    'slow',
    'passcode',
    'passcode_new',
    'request',
    'drawer',
    'unclear',
    'no_id',
    'changed',
    'chat',
  ]) {
    expect((await x.json('PUT', '/_pages', { markup })).body).toEqual({ markup, typing: 'any' })
    expect((await x.call('/i/api/viewer')).body.markup).toBe(markup)
  }
  expect((await x.json('PUT', '/_pages', { typing: 'paste' })).body).toEqual({ markup: 'chat', typing: 'paste' })
  for (const wrong of [{ markup: 'classic' }, { typing: 'other' }, { look: 'chat' }])
    expect((await x.json('PUT', '/_pages', wrong)).status).toBe(400)
})
