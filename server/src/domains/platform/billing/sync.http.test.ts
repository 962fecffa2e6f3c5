import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { FAILING_CARD, visitPayments } from '@x-automated/stand-ins/payments/visit'
import { desc, eq, sql } from 'drizzle-orm'
import fc from 'fast-check'
import { beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { makeAccount, prove } from '../../../../test/accounts.ts'
import { call, makePerson, type Person } from '../../../../test/makers.ts'
import { openApp, registerPaymentsWebhook, type TestApp, WEBHOOK_SECRET } from '../../../../test/open-app.ts'
import { deletePaymentWebhooks, endPaidPeriod, insertFormerWebhook } from '../../../../test/subscriptions.ts'
import type { PaymentEvent } from '../../../outside/payments.ts'
import { statusOf } from './rules.ts'
import { recordEvent, syncEvents, syncOverdue, syncSubscription } from './sync.ts'
import { paidSubscriptions, paymentEvents, paymentWebhooks, subscriptions } from './tables.ts'

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}

let app: TestApp
let stripe: ReturnType<typeof visitPayments>
beforeAll(async () => {
  app = await openApp({ payments: true })
  stripe = visitPayments(app.payments)
})
beforeEach(() => stripe.faults([]))

const context = () => ({ ...app.services, db: app.db })
const storedSubscription = async (id: string) =>
  (await app.db.select().from(paidSubscriptions).where(eq(paidSubscriptions.id, id)))[0]
const held = async ({ workspaceId }: Person) =>
  (await app.db.select().from(subscriptions).where(eq(subscriptions.workspaceId, workspaceId)))[0]

type Links = Awaited<ReturnType<Person['client']['billing']['ownLinks']>>['links']
const linksByPerson = new Map<Person, Links>()
/** The links of a page that was opened before the first purchase. */
async function linksOf(person: Person): Promise<Links> {
  const links = linksByPerson.get(person) ?? (await person.client.billing.ownLinks()).links
  linksByPerson.set(person, links)
  return links
}

async function buy(person: Person, planId: 'pro_monthly' | 'agency_yearly' = 'pro_monthly', number?: string) {
  const links = await linksOf(person)
  await stripe.buy(links[planId]!, number ? { number } : {})
  return (await stripe.all('/v1/subscriptions'))[0].id as string
}

/** Expects the stored subscription to equal the provider's. */
async function expectSame(person: Person, id: string) {
  const there = (await app.services.payments!.findSubscription(id))!
  const here = (await storedSubscription(id))!
  expect({ ...here }).toMatchObject({
    workspaceId: person.workspaceId,
    status: there.status,
    planId: there.plan!.planId,
    level: there.plan!.level,
    currentPeriodEnd: there.currentPeriodEnd,
    cancelAtPeriodEnd: there.cancelAtPeriodEnd,
    endedAt: there.endedAt,
  })
  expect(here.pastDueSince !== null).toBe(there.status === 'past_due')
  expect(await held(person)).toMatchObject({ planId: there.plan!.planId, status: statusOf(there.status), paidId: id })
}

describe('syncing events', () => {
  const steps = [
    'agency_monthly',
    'agency_yearly',
    'pro_yearly',
    'pro_monthly',
    'cancel',
    'resume',
    'end',
    'poor',
    'rich',
  ] as const

  async function take(id: string, step: (typeof steps)[number] | number): Promise<void> {
    const path = `/v1/subscriptions/${id}`
    const { body: before } = await stripe.call('GET', path)
    if (typeof step === 'number') await stripe.advance(step)
    else if (step === 'end') await stripe.call('DELETE', path)
    else if (step === 'cancel' || step === 'resume')
      await stripe.call('POST', path, { cancel_at_period_end: String(step === 'cancel') })
    else if (step === 'poor' || step === 'rich') {
      const source = step === 'poor' ? FAILING_CARD : '4242424242424242'
      const { body } = await stripe.call('POST', `/v1/customers/${before.customer}`, { source })
      await stripe.call('POST', path, { default_payment_method: body.invoice_settings.default_payment_method })
    } else
      await stripe.call('POST', path, {
        'items[0][id]': before.items.data[0].id,
        'items[0][price]': `price_${step}`,
        proration_behavior: 'always_invoice',
        payment_behavior: 'pending_if_incomplete',
      })
  }

  it("reaches the provider's state whatever events are lost, repeated or reordered", async () => {
    // Only this test delivers events.
    await stripe.faults([{ webhook: 'lose' }])
    const step = fc.oneof(fc.constantFrom(...steps), fc.integer({ min: 1, max: 40 }))
    const delivery = fc.record({
      /** How each event of a step is delivered. */
      timings: fc.array(fc.constantFrom('now', 'later', 'twice', 'never'), { minLength: 8, maxLength: 8 }),
      order: fc.integer({ min: 1, max: 7 }),
    })
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 6 }), delivery, async (chosenSteps, { timings, order }) => {
        const { now: began } = (await stripe.json('GET', '/_clock', undefined)).body
        const person = await makePerson(app)
        const id = await buy(person, 'pro_monthly')
        const seen = new Set<string>()
        const later: PaymentEvent[] = []
        const deliver = async (events: PaymentEvent[]) => {
          const wanted: string[] = []
          for (const event of events)
            await recordEvent(app.db, event, async (_, subscriptionId) => void wanted.push(subscriptionId))
          // Concurrently, as in several processes.
          await Promise.all(wanted.map((subscriptionId) => syncSubscription(context(), subscriptionId)))
        }
        const listen = async () => {
          const events = (await app.services.payments!.listEvents(new Date(began * 1_000))).filter(
            (event) => event.subscriptionId === id && !seen.has(event.id),
          )
          const now: PaymentEvent[] = []
          for (const [i, event] of events.entries()) {
            seen.add(event.id)
            const fate = timings[(i * order + seen.size) % timings.length]
            if (fate === 'now' || fate === 'twice') now.push(event)
            if (fate === 'later' || fate === 'twice') later.push(event)
          }
          await deliver(now.reverse())
        }
        await listen()
        for (const step of chosenSteps) {
          await take(id, step)
          await listen()
        }
        await deliver(later.sort((a, b) => (a.id < b.id ? -1 : 1)))
        await syncEvents(context())
        await expectSame(person, id)
        await stripe.call('DELETE', `/v1/subscriptions/${id}`)
      }),
      { numRuns: 10 },
    )
  })

  it('keeps the later of two overlapping reads', async () => {
    const person = await makePerson(app)
    const id = await buy(person)
    await syncSubscription(context(), id)
    // The first read is delayed before it is stored.
    const payments = app.services.payments!
    let resumeFirst = () => {}
    const firstRead = new Promise<void>((resolve) => {
      resumeFirst = resolve
    })
    let looks = 0
    const slow = {
      ...context(),
      payments: {
        ...payments,
        async findSubscription(subscriptionId: string) {
          const subscription = await payments.findSubscription(subscriptionId)
          looks += 1
          if (looks === 1) await firstRead
          return subscription
        },
      },
    }
    const first = syncSubscription(slow, id)
    await vi.waitFor(() => expect(looks).toBe(1), 60_000)
    await stripe.call('POST', `/v1/subscriptions/${id}`, { cancel_at_period_end: 'true' })
    await syncSubscription(context(), id)
    resumeFirst()
    await first
    expect(await storedSubscription(id)).toMatchObject({ cancelAtPeriodEnd: true })
    // The delayed sync noticed the newer read, and read again.
    expect(looks).toBe(2)
  })
})

it('a subscription synced before its checkout completes is assigned by the next sync', async () => {
  const person = await makePerson(app)
  const { links } = await person.client.billing.ownLinks()
  await stripe.faults([{ webhook: 'lose' }])
  await stripe.buy(links.pro_monthly!, { email: 'accounts@their-company.example' })
  const id = (await stripe.all('/v1/subscriptions'))[0].id as string
  const payments = { ...app.services.payments!, findCheckout: async () => null }
  await syncSubscription({ ...context(), payments }, id)
  expect(await storedSubscription(id)).toMatchObject({ workspaceId: null })
  await syncSubscription(context(), id)
  expect(await held(person)).toMatchObject({ paidId: id, planId: 'pro_monthly' })
})

it('a purchase expires the other checkout pages of its workspace', async () => {
  const [person, other] = [await makePerson(app), await makePerson(app)]
  const open = async (link: string) => (await fetch(link)).url
  const [first, second] = [await linksOf(person), await linksOf(other)]
  const pages = [await open(first.pro_monthly!), await open(first.agency_yearly!), await open(second.pro_monthly!)]
  await stripe.buy(pages[0]!)
  const id = (await stripe.all('/v1/subscriptions'))[0].id as string
  await syncSubscription(context(), id)
  expect(await held(person)).toMatchObject({ paidId: id })
  const sessions: { status: string; client_reference_id: string }[] = await stripe.all('/v1/checkout/sessions')
  const statesOf = ({ workspaceId }: Person) =>
    sessions.filter((session) => session.client_reference_id?.startsWith(workspaceId)).map(({ status }) => status)
  expect([statesOf(person).sort(), statesOf(other)]).toEqual([['complete', 'expired'], ['open']])
  expect((await stripe.buy(pages[1]!)).text).toContain('This checkout page has expired.')
})

describe('two purchases from inside the product', () => {
  const isCancelled = async (id: string) => (await app.services.payments!.findSubscription(id))!.cancelAtPeriodEnd

  it('keep a lesser plan bought after the first was canceled', async () => {
    const person = await makePerson(app)
    const first = await buy(person, 'agency_yearly')
    await stripe.call('POST', `/v1/subscriptions/${first}`, { cancel_at_period_end: 'true' })
    await syncSubscription(context(), first)
    const second = await buy(person)
    await syncSubscription(context(), second)
    expect(await isCancelled(second)).toBe(false)
    expect(await held(person)).toMatchObject({ paidId: first })
  })

  it('keep the lesser plan if the better one has ended unnoticed', async () => {
    const person = await makePerson(app)
    const first = await buy(person, 'agency_yearly')
    await syncSubscription(context(), first)
    await stripe.call('DELETE', `/v1/subscriptions/${first}`)
    const second = await buy(person)
    await syncSubscription(context(), second)
    expect(await isCancelled(second)).toBe(false)
    expect(await held(person)).toMatchObject({ paidId: second, planId: 'pro_monthly', status: 'active' })
  })
})

describe('without webhook events', () => {
  it('a failing subscription does not block others and is retried', async () => {
    await stripe.faults([{ webhook: 'lose' }])
    const [first, other] = [await makePerson(app), await makePerson(app)]
    // Opening a page syncs, too.
    for (const person of [first, other]) await linksOf(person)
    const [bad, good] = [await buy(first), await buy(other)]
    const payments = {
      ...app.services.payments!,
      findSubscription: async (id: string) => {
        if (id === bad) throw new Error('cannot be read')
        return app.services.payments!.findSubscription(id)
      },
    }
    await syncEvents({ ...context(), payments })
    expect(await storedSubscription(bad)).toBeUndefined()
    await expectSame(other, good)
    await syncEvents(context())
    await expectSame(first, bad)

    const hoursAgo = (hours: number) => new Date(Date.now() - hours * 3_600_000)
    for (const [id, hours] of [
      [bad, 3],
      [good, 2],
    ] as const)
      await endPaidPeriod(app, id, hours)
    await syncOverdue({ ...context(), payments })
    await expectSame(other, good)
    // The failing subscription has had its turn and moves behind all others.
    expect((await storedSubscription(bad))!.updatedAt.getTime()).toBeGreaterThan(hoursAgo(1).getTime())
  })

  it('polls events, and syncs subscriptions whose period has ended', async () => {
    const person = await makePerson(app)
    const id = await buy(person)
    await Promise.all([syncEvents(context()), syncEvents(context())])
    await expectSame(person, id)
    await endPaidPeriod(app, id)
    await stripe.call('DELETE', `/v1/subscriptions/${id}`)
    await syncOverdue(context())
    await expectSame(person, id)
  })

  it('ignores subscriptions to other products', async () => {
    const { body: customer } = await stripe.call('POST', '/v1/customers', { email: 'other@product.example' })
    await stripe.call('POST', `/v1/customers/${customer.id}`, { source: '4242424242424242' })
    const { body: price } = await stripe.call('POST', '/v1/prices', {
      currency: 'usd',
      unit_amount: '100',
      'recurring[interval]': 'month',
      'product_data[name]': 'Another product',
    })
    const { body: other } = await stripe.call('POST', '/v1/subscriptions', {
      customer: customer.id,
      'items[0][price]': price.id,
    })
    await syncEvents(context())
    expect(await storedSubscription(other.id)).toBeUndefined()
  })
})

describe('POST /api/billing/webhook', () => {
  const jobs = async (id: string) =>
    (await app.db.execute(sql`select from pgboss.job where name = 'payment' and data->>'subscriptionId' = ${id}`))
      .rowCount

  it('queues one sync per event', async () => {
    const id = await buy(await makePerson(app))
    await vi.waitFor(async () => expect(await jobs(id)).toBe(1), 60_000)
    const queued: string[] = []
    const again = { id: 'evt_twice', subscriptionId: id, createdAt: new Date() }
    for (const _ of [1, 2])
      await recordEvent(app.db, again, async (_tx, subscriptionId) => void queued.push(subscriptionId))
    expect(queued).toEqual([id])
  })

  it('returns 403 for missing, foreign, wrong and old signatures', async () => {
    const { signature } = await import('@x-automated/stand-ins/payments/events')
    // A secret encrypted with a former AUTH_SECRET does not get in the way of the configured one.
    const url = `${app.services.origin}/api/billing/webhook`
    await insertFormerWebhook(app, url)
    const [event] = await stripe.all('/v1/events')
    const body = JSON.stringify({ ...event, id: 'evt_forged' })
    const now = Math.floor(Date.now() / 1_000)
    for (const signed of [
      undefined,
      'nonsense',
      signature('whsec_of_another', body, now),
      signature(WEBHOOK_SECRET, `${body} `, now),
      signature(WEBHOOK_SECRET, body, now - 600),
    ]) {
      const headers = { 'content-type': 'application/json', ...(signed ? { 'stripe-signature': signed } : {}) }
      expect(await call(app, 'POST', '/billing/webhook', body, headers)).toMatchObject({
        status: 403,
        body: { success: false, code: 'FORBIDDEN' },
      })
    }
    expect(await app.db.$count(paymentEvents, eq(paymentEvents.id, 'evt_forged'))).toBe(0)
    const response = await call(app, 'POST', '/billing/webhook', body, {
      'stripe-signature': signature(WEBHOOK_SECRET, body, now),
    })
    expect([response.status, response.body]).toEqual([200, { success: true }])
    await deletePaymentWebhooks(app)
  })

  it.each(['[]', '[{"id":"evt_1"}]', '"evt_1"', '1', 'null', 'true', '{}', '{"id":"evt_1"}', '<html></html>'])(
    'returns 400 for the signed body %s, which is no event',
    async (body) => {
      const { signature } = await import('@x-automated/stand-ins/payments/events')
      const headers = { 'stripe-signature': signature(WEBHOOK_SECRET, body, Math.floor(Date.now() / 1_000)) }
      const before = await app.db.$count(paymentEvents)
      expect(await call(app, 'POST', '/billing/webhook', body, headers)).toMatchObject({
        status: 400,
        body: { code: 'INVALID_INPUT' },
      })
      expect(await app.db.$count(paymentEvents)).toBe(before)
    },
  )

  it('is registered once if not configured, and accepts events', async () => {
    const port = await freePort()
    const env = { STRIPE_WEBHOOK_SECRET: '', PORT: String(port), PUBLIC_URL: `http://127.0.0.1:${port}` }
    const address = `${env.PUBLIC_URL}/api/billing/webhook`
    const registered = async () =>
      (await stripe.all('/v1/webhook_endpoints')).filter(({ url }: { url: string }) => url === address)
    await app.startAnother({ env, workers: true })
    await vi.waitFor(async () => expect(await registered()).toHaveLength(1), 60_000)
    await vi.waitFor(async () => expect(await app.db.$count(paymentWebhooks)).toBe(1), 60_000)
    const person = await makePerson(app)
    const id = await buy(person)
    await vi.waitFor(
      async () => expect(await storedSubscription(id)).toMatchObject({ workspaceId: person.workspaceId }),
      60_000,
    )
    await app.startAnother({ env: { ...env, PORT: '0' }, workers: true })
    await vi.waitFor(async () => {
      const { rows } = await app.db.execute(
        sql`select from pgboss.job where name = 'payments-look' and state in ('created', 'active')`,
      )
      expect(rows).toHaveLength(0)
    }, 60_000)
    expect(await registered()).toHaveLength(1)
  })
})

it('deleting an account ends its subscription and removes personal data', async () => {
  const worker = await app.startAnother({ workers: true })
  await registerPaymentsWebhook(app.payments, `${worker.url}/api/billing/webhook`)
  const person = await makeAccount(app)
  const id = await buy(person)
  await vi.waitFor(async () => expect(await held(person)).toBeDefined(), 60_000)
  await prove(person)
  expect((await person.call('DELETE', '/auth/user', { confirmation: person.email })).status).toBe(200)
  await vi.waitFor(
    async () => expect((await stripe.call('GET', `/v1/subscriptions/${id}`)).body.status).toBe('canceled'),
    10_000,
  )
  await vi.waitFor(
    async () =>
      expect(await storedSubscription(id)).toMatchObject({ status: 'canceled', workspaceId: null, email: null }),
    10_000,
  )
  const [newest] = await app.db.select().from(paidSubscriptions).orderBy(desc(paidSubscriptions.createdAt)).limit(1)
  expect(newest!.id).toBe(id)
})
