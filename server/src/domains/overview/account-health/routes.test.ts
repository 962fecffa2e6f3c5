import { DAY_MS } from '@x-automated/contract/time'
import { beforeAll, expect, it } from 'vitest'
import { say } from '../../../../test/conversations.ts'
import { connectX, makePerson, subscribe } from '../../../../test/makers.ts'
import { openApp, type TestApp } from '../../../../test/open-app.ts'
import { ALL_DAY, confirmDetection, launch, makeList, openHandles, sendDue } from '../../../../test/outreach.ts'

let app: TestApp
beforeAll(async () => {
  app = await openApp({ x: true, env: { X_PRICES: 'published' } })
})

it('shows what an account sent, what X refused, who opted out, its limits and its costs', async () => {
  const person = await makePerson(app)
  const account = await connectX(app, person)
  await subscribe(app, person)
  const health = (query: { days?: number } = {}) => person.client.accountHealth.find({ id: account.id, ...query })
  const empty = await health()
  expect(empty).toMatchObject({ sent: 0, refused: 0, optedOut: 0 })
  expect(empty.series).toHaveLength(30)

  const [first, second] = openHandles(2) as [string, string]
  await launch(person, await makeList(app, person, [first, second, `closed_${first.slice(5)}`]))
  await sendDue(app)
  await say(app, second, account.handle, 'Please stop')
  await confirmDetection(app)
  await app.services.xMeters.flush()
  const { series, ...now } = await health({ days: 2 })
  const figures = { sent: 2, refused: 1, optedOut: 1 }
  expect(series).toEqual([
    { day: expect.any(String), sent: 0, refused: 0, optedOut: 0 },
    { day: expect.any(String), ...figures },
  ])
  const { accounts } = await person.client.sendingSettings.find()
  const costs = await person.client.xCosts.find({})
  expect(now).toEqual({
    ...figures,
    warmUpDay: null,
    warmUp: null,
    capNow: accounts[0]!.capNow,
    window: { hours: null, workDays: accounts[0]!.workDays, timeZone: accounts[0]!.timeZone },
    detection: 'live',
    spentCents: Math.round(costs.totalCents),
    expectedCents: expect.any(Number),
  })
  expect(now.spentCents).toBeGreaterThan(0)
  // The account is new, so today's costs are those of an average day.
  const [year, month, day] = new Date().toISOString().slice(0, 10).split('-').map(Number) as [number, number, number]
  const daysLeft = new Date(Date.UTC(year, month, 0)).getUTCDate() - day
  expect(now.expectedCents).toBe(Math.round(costs.totalCents * (1 + daysLeft)))
})

it('counts the days of the warm-up', async () => {
  const person = await makePerson(app)
  const account = await connectX(app, person)
  await person.call('PUT', '/sending/limits', { ...ALL_DAY, xAccountId: account.id, warmUp: true })
  const { warmUpDay, warmUp } = await person.client.accountHealth.find({ id: account.id })
  expect(warmUpDay).toBe(1)
  expect(warmUp).toMatchObject({ day: 1, capNow: 20, fullCap: 500 })
  expect(warmUp!.fullOn).toBe(new Date(Date.now() + 34 * DAY_MS).toISOString().slice(0, 10))
  const [settings, today] = [await person.client.sendingSettings.find(), await person.client.today.find({})]
  const same = { day: 1, capNow: 20, fullCap: 500 }
  expect([settings.accounts[0]!.warmUpNow, today.warmUp]).toMatchObject([same, same])
})

it('is for members of the workspace, viewers included', async () => {
  const person = await makePerson(app)
  const account = await connectX(app, person)
  const viewer = await makePerson(app, { in: person, role: 'viewer' })
  expect((await viewer.call('GET', `/x-accounts/${account.id}/health`)).status).toBe(200)
  const stranger = await makePerson(app)
  expect((await stranger.call('GET', `/x-accounts/${account.id}/health`)).body.code).toBe('X_ACCOUNT_NOT_FOUND')
  expect((await person.call('GET', '/x-accounts/nobody/health')).body.code).toBe('X_ACCOUNT_NOT_FOUND')
  for (const days of ['0', '91', 'x'])
    expect((await person.call('GET', `/x-accounts/${account.id}/health?days=${days}`)).status).toBe(400)
})
