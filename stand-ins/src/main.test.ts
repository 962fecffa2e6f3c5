import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { appendFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { createTransport } from 'nodemailer'
import { expect, onTestFinished, test } from 'vitest'
import { visit } from '../test/open-x.ts'

type Ready = {
  type: 'ready'
  x: string
  google: string
  sso: string
  dns: string
  payments: string
  mailbox: string
  smtp: string
  model: string
  xClientId: string
  xClientSecret: string
  googleClientId: string
  googleClientSecret: string
}

function dataDir() {
  const folder = mkdtempSync(join(tmpdir(), 'stand-ins-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

async function run(folder: string, env: Record<string, string> = {}): Promise<{ child: ChildProcess; ready: Ready }> {
  const child = fork(join(import.meta.dirname, 'main.ts'), {
    env: { PATH: process.env.PATH, DATA_DIR: folder, ...env },
    execArgv: [],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  const [ready] = (await once(child, 'message')) as [Ready]
  return { child, ready }
}

const xOf = ({ x, xClientId, xClientSecret }: Ready) =>
  visit({ url: x, clientId: xClientId, clientSecret: xClientSecret })

async function kill(child: ChildProcess) {
  child.kill('SIGKILL')
  await once(child, 'exit')
}

test('returns after a kill at the same addresses with every acknowledged message and token', async () => {
  const folder = dataDir()
  const first = await run(folder)
  const x = xOf(first.ready)
  const me = await x.signIn('averylonghandle')
  const id = await me.idOf('open_a')
  const used = (
    await x.form('/2/oauth2/token', { grant_type: 'refresh_token', refresh_token: me.tokens.refresh_token })
  ).body
  await createTransport(first.ready.smtp).sendMail({
    from: 'a@b.test',
    to: 'ada@example.com',
    subject: 'kept',
    text: 'x',
  })

  let answered = 0
  const sending = Array.from({ length: 8 }, async () => {
    for (;;) {
      const response = await me.send(id, `message ${answered}`).catch(() => undefined)
      if (response?.status !== 201) return
      answered++
    }
  })
  while (answered < 200) await new Promise((resolve) => setTimeout(resolve, 5))
  await kill(first.child)
  await Promise.all(sending)
  appendFileSync(join(folder, 'stand-ins', 'x.jsonl'), '{"type":"dm","id":"12')

  const second = await run(folder)
  expect(second.ready).toEqual(first.ready)
  const again = xOf(second.ready)
  const log = await again.log('?to=open_a')
  expect(log.length).toBeGreaterThanOrEqual(answered)
  expect(log.length).toBeLessThanOrEqual(answered + 8)
  expect((await again.as(used.access_token).get('/2/users/me')).body.data.username).toBe('averylonghandle')
  expect((await (await fetch(`${second.ready.mailbox}/messages`)).json()) as unknown[]).toHaveLength(1)

  // A refresh token that was used before the crash stays used.
  const replay = await again.form('/2/oauth2/token', {
    grant_type: 'refresh_token',
    refresh_token: me.tokens.refresh_token,
  })
  expect(replay.status).toBe(400)
  expect((await again.as(used.access_token).get('/2/users/me')).status).toBe(401)
})

test('names a damaged state file in one sentence', async () => {
  const folder = dataDir()
  const file = join(folder, 'stand-ins', 'x.jsonl')
  mkdirSync(join(folder, 'stand-ins'))
  writeFileSync(file, '{"torn\n{"type":"reset"}\n')
  const child = fork(join(import.meta.dirname, 'main.ts'), {
    env: { PATH: process.env.PATH, DATA_DIR: folder },
    execArgv: [],
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  })
  const output = text(child.stderr as NodeJS.ReadableStream)
  expect(await once(child, 'exit')).toEqual([1, null])
  expect(await output).toBe(
    `Could not start the stand-ins. ${file} is damaged in line 1. Delete the file to start without its data.\n`,
  )
})

test('writes stand-ins.json, applies its environment and ends on SIGTERM', async () => {
  const folder = dataDir()
  const env = { GOOGLE_CLIENT_ID: 'ours', X_CLIENT_ID: 'mine', X_CLIENT_SECRET: 'hush', STAND_IN_X_LIMITS: 'real' }
  const { child, ready } = await run(folder, env)
  expect(JSON.parse(readFileSync(join(folder, 'stand-ins.json'), 'utf8'))).toEqual({
    x: ready.x,
    google: ready.google,
    payments: ready.payments,
    model: ready.model,
    sso: ready.sso,
    dns: ready.dns,
    mailbox: ready.mailbox,
    smtp: ready.smtp,
  })
  expect(ready).toMatchObject({ googleClientId: 'ours', xClientId: 'mine', xClientSecret: 'hush' })
  const me = await xOf(ready).signIn()
  expect((await me.get('/2/users/me')).headers.get('x-rate-limit-limit')).toBe('75')
  child.kill('SIGTERM')
  expect(await once(child, 'exit')).toEqual([0, null])
})

test('uses another port if the previous one is in use, and ends when its parent disconnects', async () => {
  const folder = dataDir()
  const squatter = createServer().listen(0, '127.0.0.1')
  await once(squatter, 'listening')
  onTestFinished(() => void squatter.close())
  const usedUrl = `http://127.0.0.1:${(squatter.address() as AddressInfo).port}`
  writeFileSync(join(folder, 'stand-ins.json'), JSON.stringify({ x: usedUrl }))
  const { child, ready } = await run(folder)
  expect(ready.x).not.toBe(usedUrl)
  // Ctrl-C is for the parent, which might still be sending.
  child.kill('SIGINT')
  await new Promise((resolve) => setTimeout(resolve, 100))
  expect((await fetch(`${ready.mailbox}/messages`)).status).toBe(200)
  child.disconnect()
  expect(await once(child, 'exit')).toEqual([0, null])
})
