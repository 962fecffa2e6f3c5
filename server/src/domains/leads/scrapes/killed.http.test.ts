import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { idOfHandle } from '@x-automated/stand-ins/x/ids'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { connectX, makePerson, subscribe } from '../../../../test/makers.ts'
import { openApp, type TestApp } from '../../../../test/open-app.ts'
import { foundBy, startScrape, until } from '../../../../test/scrapes.ts'

const MAIN = fileURLToPath(new URL('../../../main.ts', import.meta.url))
const HANDLE = 'f3500_killed'

let app: TestApp
const dataDir = mkdtempSync(join(tmpdir(), 'x-automated-killed-'))
beforeAll(async () => {
  app = await openApp({ x: true })
  await fetch(`${app.x.url}/_faults`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify([{ path: `/2/users/${idOfHandle(HANDLE)}/followers`, delayMs: 200 }]),
  })
})
afterAll(() => rmSync(dataDir, { recursive: true, force: true }))

it('another process continues a scrape immediately when its process is killed', async () => {
  const person = await makePerson(app)
  await subscribe(app, person)
  await connectX(app, person)
  const id = await startScrape(person, HANDLE)
  const child = fork(MAIN, {
    env: {
      PATH: process.env.PATH,
      PORT: '0',
      DATA_DIR: dataDir,
      DATABASE_URL: app.databaseUrl,
      AUTH_SECRET: app.env.authSecret,
      STAND_INS: 'on',
      X_API_URL: app.x.url,
      X_CLIENT_ID: app.x.clientId,
      X_CLIENT_SECRET: app.x.clientSecret ?? '',
      LOG_LEVEL: 'silent',
    },
    silent: true,
  })
  const exited = once(child, 'exit')
  const running = await until(app, id, (row) => row.matched >= 1_000)
  child.kill('SIGKILL')
  await exited
  const left = await until(app, id, () => true)
  expect(left).toMatchObject({ status: 'running', workerId: running.workerId })

  await app.startAnother({ workers: true })
  const began = Date.now()
  await until(app, id, (row) => row.workerId !== running.workerId && row.version > left.version)
  // Earlier than the first sweep, 10 seconds after start.
  expect(Date.now() - began).toBeLessThan(9_000)
  const row = await until(app, id, ({ status }) => status === 'completed')
  expect(row).toMatchObject({ fetched: 3_500, matched: 3_500 })
  const leadIds = await foundBy(app, id)
  expect([leadIds.length, new Set(leadIds).size]).toEqual([3_500, 3_500])
})
