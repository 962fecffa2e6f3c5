import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { FAILING_CARD, visitPayments } from '@x-automated/stand-ins/payments/visit'
import { desc, eq, sql } from 'drizzle-orm'
import fc from 'fast-check'
import { beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { makeAccount, prove } from '../../../test/accounts.ts'
import { call, makePerson, type Person } from '../../../test/makers.ts'
import { openApp, type TestApp, tellOfPayments, WEBHOOK_SECRET } from '../../../test/open-app.ts'
import type { PaymentEvent } from '../../outside/payments.ts'
import { statusOf } from './rules.ts'
import { hear, lookAtEvents, lookAtOverdue, lookAtSubscription } from './service-sync.ts'
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
const kept = async (id: string) =>
  (await app.db.select().from(paidSubscriptions).where(eq(paidSubscriptions.id, id)))[0]
const held = async ({ workspaceId }: Person) =>
  (await app.db.select().from(subscriptions).where(eq(subscriptions.workspaceId, workspaceId)))[0]

async function buy(person: Person, planId: 'pro_monthly' | 'agency_yearly' = 'pro_monthly', number?: string) {
  const { links } = await person.client.billing.ownLinks()
  await stripe.buy(links[planId]!, number ? { number } : {})
  return (await stripe.all('/v1/subscriptions'))[0].id as string
}

/** What was kept of a subscription is what the provider has. */
async function expectSame(person: Person, id: string) {
  const there = (await app.services.payments!.findSubscription(id))!
  const here = (await kept(id))!
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

describe('whatever is heard', () => {
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

  it('in any order, again and again, or not at all: in the end it is as the provider has it', async () => {
    // What is told here is told by this test.
    await stripe.faults([{ webhook: 'lose' }])
    const step = fc.oneof(fc.constantFrom(...steps), fc.integer({ min: 1, max: 40 }))
    const heard = fc.record({
      /** Which of the happenings of each step are told at once, later, twice, or never. */
      fates: fc.array(fc.constantFrom('now', 'later', 'twice', 'never'), { minLength: 8, maxLength: 8 }),
      order: fc.integer({ min: 1, max: 7 }),
    })
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 6 }), heard, async (taken, { fates, order }) => {
        const { now: began } = (await stripe.json('GET', '/_clock', undefined)).body
        const person = await makePerson(app)
        const id = await buy(person, 'pro_monthly')
        const told = new Set<string>()
        const later: PaymentEvent[] = []
        const tell = async (events: PaymentEvent[]) => {
          const wanted: string[] = []
          for (const event of events)
            await hear(app.db, event, async (_, subscriptionId) => void wanted.push(subscriptionId))
          // In several processes at once.
          await Promise.all(wanted.map((subscriptionId) => lookAtSubscription(context(), subscriptionId)))
        }
        const listen = async () => {
          const events = (await app.services.payments!.listEvents(new Date(began * 1_000))).filter(
            (event) => event.subscriptionId === id && !told.has(event.id),
          )
          const now: PaymentEvent[] = []
          for (const [i, event] of events.entries()) {
            told.add(event.id)
            const fate = fates[(i * order + told.size) % fates.length]
            if (fate === 'now' || fate === 'twice') now.push(event)
            if (fate === 'later' || fate === 'twice') later.push(event)
          }
          await tell(now.reverse())
        }
        await listen()
        for (const one of taken) {
          await take(id, one)
          await listen()
        }
        await tell(later.sort((a, b) => (a.id < b.id ? -1 : 1)))
        await lookAtEvents(context())
        await expectSame(person, id)
        await stripe.call('DELETE', `/v1/subscriptions/${id}`)
      }),
      { numRuns: 10 },
    )
  })

  it('of two looks that cross, the one that began later is kept', async () => {
    const person = await makePerson(app)
    const id = await buy(person)
    await lookAtSubscription(context(), id)
    // The first reads what is true now, and is held up before it keeps it.
    const payments = app.services.payments!
    let goOn = () => {}
    const gate = new Promise<void>((resolve) => {
      goOn = resolve
    })
    let looks = 0
    const slow = {
      ...context(),
      payments: {
        ...payments,
        async findSubscription(one: string) {
          const found = await payments.findSubscription(one)
          looks += 1
          if (looks === 1) await gate
          return found
        },
      },
    }
    const first = lookAtSubscription(slow, id)
    await vi.waitFor(() => expect(looks).toBe(1), 10_000)
    await stripe.call('POST', `/v1/subscriptions/${id}`, { cancel_at_period_end: 'true' })
    await lookAtSubscription(context(), id)
    goOn()
    await first
    expect(await kept(id)).toMatchObject({ cancelAtPeriodEnd: true })
    // It saw that it was overtaken, and looked again.
    expect(looks).toBe(2)
  })
})

it('what is heard of before its purchase is complete is claimed by the next look', async () => {
  const person = await makePerson(app)
  const { links } = await person.client.billing.ownLinks()
  await stripe.faults([{ webhook: 'lose' }])
  await stripe.buy(links.pro_monthly!, { email: 'accounts@their-company.example' })
  const id = (await stripe.all('/v1/subscriptions'))[0].id as string
  const payments = { ...app.services.payments!, findCheckout: async () => null }
  await lookAtSubscription({ ...context(), payments }, id)
  expect(await kept(id)).toMatchObject({ workspaceId: null })
  await lookAtSubscription(context(), id)
  expect(await held(person)).toMatchObject({ paidId: id, planId: 'pro_monthly' })
})

describe('bought twice from inside the product', () => {
  const isCancelled = async (id: string) => (await app.services.payments!.findSubscription(id))!.cancelAtPeriodEnd

  it('what was bought once the first was cancelled goes on, though it is the lesser', async () => {
    const person = await makePerson(app)
    const first = await buy(person, 'agency_yearly')
    await stripe.call('POST', `/v1/subscriptions/${first}`, { cancel_at_period_end: 'true' })
    await lookAtSubscription(context(), first)
    const second = await buy(person)
    await lookAtSubscription(context(), second)
    expect(await isCancelled(second)).toBe(false)
    expect(await held(person)).toMatchObject({ paidId: first })
  })

  it('the lesser goes on where the better one is over and nobody has heard of it', async () => {
    const person = await makePerson(app)
    const first = await buy(person, 'agency_yearly')
    await lookAtSubscription(context(), first)
    await stripe.call('DELETE', `/v1/subscriptions/${first}`)
    const second = await buy(person)
    await lookAtSubscription(context(), second)
    expect(await isCancelled(second)).toBe(false)
    expect(await held(person)).toMatchObject({ paidId: second, planId: 'pro_monthly', status: 'active' })
  })
})

describe('when nothing was heard', () => {
  it('one that cannot be kept holds up no other, and is looked at again', async () => {
    await stripe.faults([{ webhook: 'lose' }])
    const [one, other] = [await makePerson(app), await makePerson(app)]
    const [bad, good] = [await buy(one), await buy(other)]
    const payments = {
      ...app.services.payments!,
      findSubscription: async (id: string) => {
        if (id === bad) throw new Error('cannot be read')
        return app.services.payments!.findSubscription(id)
      },
    }
    await lookAtEvents({ ...context(), payments })
    expect(await kept(bad)).toBeUndefined()
    await expectSame(other, good)
    await lookAtEvents(context())
    await expectSame(one, bad)

    const hoursAgo = (hours: number) => new Date(Date.now() - hours * 3_600_000)
    for (const [id, hours] of [
      [bad, 3],
      [good, 2],
    ] as const)
      await app.db
        .update(paidSubscriptions)
        .set({ currentPeriodEnd: hoursAgo(2), updatedAt: hoursAgo(hours) })
        .where(eq(paidSubscriptions.id, id))
    await lookAtOverdue({ ...context(), payments })
    await expectSame(other, good)
    // It has had its turn, and comes behind all others now.
    expect((await kept(bad))!.updatedAt.getTime()).toBeGreaterThan(hoursAgo(1).getTime())
  })

  it('the provider is asked for what has happened, and a period that is over without news is looked at', async () => {
    const person = await makePerson(app)
    const id = await buy(person)
    await Promise.all([lookAtEvents(context()), lookAtEvents(context())])
    await expectSame(person, id)
    await app.db
      .update(paidSubscriptions)
      .set({
        status: 'active',
        currentPeriodEnd: new Date(Date.now() - 7_200_000),
        updatedAt: new Date(Date.now() - 7_200_000),
      })
      .where(eq(paidSubscriptions.id, id))
    await stripe.call('DELETE', `/v1/subscriptions/${id}`)
    await lookAtOverdue(context())
    await expectSame(person, id)
  })

  it('what is no plan of ours is passed over', async () => {
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
    await lookAtEvents(context())
    expect(await kept(other.id)).toBeUndefined()
  })
})

describe('POST /api/billing/webhook', () => {
  const jobs = async (id: string) =>
    (await app.db.execute(sql`select from pgboss.job where name = 'payment' and data->>'subscriptionId' = ${id}`))
      .rowCount

  it('200: kept and looked at once, however often it is told', async () => {
    const id = await buy(await makePerson(app))
    await vi.waitFor(async () => expect(await jobs(id)).toBe(1), 10_000)
    const told: string[] = []
    const again = { id: 'evt_twice', subscriptionId: id, createdAt: new Date() }
    for (const _ of [1, 2]) await hear(app.db, again, async (_tx, one) => void told.push(one))
    expect(told).toEqual([id])
  })

  it('403: not signed, signed by another, changed on the way, or too old', async () => {
    const { signature } = await import('@x-automated/stand-ins/payments/events')
    // Of a time when AUTH_SECRET was another: it opens no more, and is not in the way of the one that was set by hand.
    const url = `${app.services.origin}/api/billing/webhook`
    await app.db.insert(paymentWebhooks).values({ url, endpointId: 'we_former', sealedSecret: 'of another secret' })
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
    const answer = await call(app, 'POST', '/billing/webhook', body, {
      'stripe-signature': signature(WEBHOOK_SECRET, body, now),
    })
    expect([answer.status, answer.body]).toEqual([200, { success: true }])
    await app.db.delete(paymentWebhooks)
  })

  it('registers itself where nobody has done it by hand, once, and what is told is taken', async () => {
    const port = await freePort()
    const env = { STRIPE_WEBHOOK_SECRET: '', PORT: String(port), PUBLIC_URL: `http://127.0.0.1:${port}` }
    const address = `${env.PUBLIC_URL}/api/billing/webhook`
    const registered = async () =>
      (await stripe.all('/v1/webhook_endpoints')).filter(({ url }: { url: string }) => url === address)
    await app.startAnother({ env, workers: true })
    await vi.waitFor(async () => expect(await registered()).toHaveLength(1), 10_000)
    await vi.waitFor(async () => expect(await app.db.$count(paymentWebhooks)).toBe(1), 10_000)
    const person = await makePerson(app)
    const id = await buy(person)
    await vi.waitFor(async () => expect(await kept(id)).toMatchObject({ workspaceId: person.workspaceId }), 10_000)
    await app.startAnother({ env: { ...env, PORT: '0' }, workers: true })
    await vi.waitFor(async () => {
      const { rows } = await app.db.execute(
        sql`select from pgboss.job where name = 'payments-look' and state in ('created', 'active')`,
      )
      expect(rows).toHaveLength(0)
    }, 10_000)
    expect(await registered()).toHaveLength(1)
  })
})

it('an account that is deleted is not paid for any more, and nothing of its owner is kept', async () => {
  const worker = await app.startAnother({ workers: true })
  await tellOfPayments(app.payments, `${worker.url}/api/billing/webhook`)
  const person = await makeAccount(app)
  const id = await buy(person)
  await vi.waitFor(async () => expect(await held(person)).toBeDefined(), 10_000)
  await prove(person)
  expect((await person.call('DELETE', '/auth/user', { confirmation: person.email })).status).toBe(200)
  await vi.waitFor(
    async () => expect((await stripe.call('GET', `/v1/subscriptions/${id}`)).body.status).toBe('canceled'),
    10_000,
  )
  await vi.waitFor(
    async () => expect(await kept(id)).toMatchObject({ status: 'canceled', workspaceId: null, email: null }),
    10_000,
  )
  const [newest] = await app.db.select().from(paidSubscriptions).orderBy(desc(paidSubscriptions.createdAt)).limit(1)
  expect(newest!.id).toBe(id)
})
