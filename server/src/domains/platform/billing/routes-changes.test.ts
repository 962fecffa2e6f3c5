import { DAY_MS } from '@x-automated/contract/time'
import { visitPayments } from '@x-automated/stand-ins/payments/visit'
import { eq } from 'drizzle-orm'
import { beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { makePerson, type Person } from '../../../../test/makers.ts'
import { openApp, type TestApp } from '../../../../test/open-app.ts'
import { endSubscriptions, pausePaid } from '../../../../test/subscriptions.ts'
import { paidSubscriptions } from './tables.ts'

let app: TestApp
let stripe: ReturnType<typeof visitPayments>
beforeAll(async () => {
  app = await openApp({ payments: true, workers: true })
  stripe = visitPayments(app.payments)
})
beforeEach(() => stripe.faults([]))

const subscriptionOf = async (person: Person) => (await person.client.billing.subscription()).subscription
const paidOf = async (person: Person) =>
  (await app.db.select().from(paidSubscriptions).where(eq(paidSubscriptions.workspaceId, person.workspaceId)))[0]!

async function makeSubscriber(): Promise<Person> {
  const person = await makePerson(app)
  const { links } = await person.client.billing.ownLinks()
  await stripe.buy(links.pro_monthly!)
  await vi.waitFor(async () => expect(await subscriptionOf(person)).toMatchObject({ planId: 'pro_monthly' }), 60_000)
  return person
}

describe('POST /billing/upgrade with a preview', () => {
  it('returns 409 SUBSCRIPTION_STATE for a proration date outside the preview, without a charge', async () => {
    const person = await makeSubscriber()
    const { currentPeriodEnd } = await paidOf(person)
    // With a date at the end of the period, an upgrade would be free. With one in the past, used
    // time would be refunded.
    const moments = [currentPeriodEnd.getTime() - 1_000, Date.now() + 10 * DAY_MS, Date.now() - DAY_MS, 0]
    for (const moment of moments)
      expect(
        await person.call('POST', '/billing/upgrade', {
          planId: 'agency_monthly',
          prorationDate: new Date(moment).toISOString(),
        }),
      ).toMatchObject({
        status: 409,
        body: {
          code: 'SUBSCRIPTION_STATE',
          error: 'The price you saw is out of date. Review it again.',
        },
      })
    expect((await person.client.billing.invoices({})).invoices).toHaveLength(1)
    await person.client.billing.refresh()
    expect(await subscriptionOf(person)).toMatchObject({ planId: 'pro_monthly' })
  })

  it('charges once for concurrent requests', async () => {
    const person = await makeSubscriber()
    const { prorationDate } = await person.client.billing.previewUpgrade({ planId: 'agency_monthly' })
    const responses = await Promise.all(
      [1, 2].map(() => person.call('POST', '/billing/upgrade', { planId: 'agency_monthly', prorationDate })),
    )
    for (const { status, body } of responses)
      expect(status === 200 || body.error === 'Agency is already your plan.', JSON.stringify(body)).toBe(true)
    expect(responses.map(({ status }) => status)).toContain(200)
    expect((await person.client.billing.invoices({})).invoices).toHaveLength(2)
    expect(await subscriptionOf(person)).toMatchObject({ planId: 'agency_monthly' })
  })

  it('undoes a cancellation date set in the portal', async () => {
    const person = await makeSubscriber()
    const { id } = await paidOf(person)
    await stripe.call('POST', `/v1/subscriptions/${id}`, {
      cancel_at: String(Math.floor((Date.now() + 3 * DAY_MS) / 1_000)),
    })
    await person.client.billing.upgrade({ planId: 'agency_monthly' })
    expect(await subscriptionOf(person)).toMatchObject({ planId: 'agency_monthly', cancelAtPeriodEnd: false })
  })
})

describe('a plan bought twice, once without signing in', () => {
  it('shows the other subscription to the owner, who can cancel it', async () => {
    const person = await makeSubscriber()
    const first = await paidOf(person)
    expect((await person.client.billing.overview()).others).toEqual([])
    await stripe.buy(app.payments.links.agency_monthly, { email: person.email })
    await vi.waitFor(
      async () => expect(await subscriptionOf(person)).toMatchObject({ planId: 'agency_monthly' }),
      10_000,
    )
    const { others } = await person.client.billing.overview()
    expect(others).toEqual([
      {
        id: first.id,
        planId: 'pro_monthly',
        name: 'Pro',
        status: 'active',
        priceCents: 5_000,
        billingCycle: 'monthly',
        currentPeriodEnd: first.currentPeriodEnd.toISOString(),
        cancelAtPeriodEnd: false,
      },
    ])
    const admin = await makePerson(app, { in: person, role: 'admin' })
    expect((await admin.client.billing.overview()).others).toEqual([])

    expect(await person.client.billing.cancel({ subscriptionId: first.id })).toEqual({ success: true })
    const after = await person.client.billing.overview()
    expect(after.others).toMatchObject([{ id: first.id, cancelAtPeriodEnd: true }])
    expect(after.subscription).toMatchObject({ planId: 'agency_monthly', cancelAtPeriodEnd: false })
    expect((await stripe.call('GET', `/v1/subscriptions/${first.id}`)).body.cancel_at_period_end).toBe(true)
  })

  it('returns 403 for non-owners and 409 for subscriptions of other workspaces', async () => {
    const [owner, stranger, poor] = [await makeSubscriber(), await makeSubscriber(), await makePerson(app)]
    const admin = await makePerson(app, { in: owner, role: 'admin' })
    const { id } = await paidOf(owner)
    expect(await admin.call('POST', '/billing/cancel', { subscriptionId: id })).toMatchObject({ status: 403 })
    for (const person of [stranger, poor])
      for (const subscriptionId of [id, 'sub_none'])
        expect(await person.call('POST', '/billing/cancel', { subscriptionId })).toMatchObject({
          status: 409,
          body: { code: 'SUBSCRIPTION_STATE', error: 'There is no subscription to cancel.' },
        })
    expect((await owner.call('POST', '/billing/cancel', { subscriptionId: ' ' })).status).toBe(400)
    for (const person of [owner, stranger])
      expect(await subscriptionOf(person)).toMatchObject({ cancelAtPeriodEnd: false })
  })
})

describe('a paused subscription', () => {
  it('counts as ended, so that a plan can be bought again', async () => {
    const person = await makeSubscriber()
    const { id } = await paidOf(person)

    await pausePaid(app, id)
    await endSubscriptions(app, { paidId: id })
    expect(await person.client.billing.overview()).toMatchObject({ subscription: null, others: [], level: 'free' })
    const { links } = await person.client.billing.ownLinks()
    expect(await person.client.billing.checkout({ planId: 'agency_monthly' })).toEqual({
      success: true,
      checkoutUrl: links.agency_monthly,
    })
    expect(await person.call('POST', '/billing/upgrade', { planId: 'agency_monthly' })).toMatchObject({
      status: 409,
      body: { error: 'There is no subscription to change. Choose a plan first.' },
    })
  })
})

describe('a plan change rejected by the provider', () => {
  it('returns 409 SUBSCRIPTION_STATE, not a card error', async () => {
    const person = await makeSubscriber()
    await stripe.faults([{ path: '/v1/subscriptions/', method: 'POST', status: 400 }])
    expect(await person.call('POST', '/billing/upgrade', { planId: 'agency_monthly' })).toMatchObject({
      status: 409,
      body: { code: 'SUBSCRIPTION_STATE' },
    })
  })
})

describe('GET /billing/invoices after buying again', () => {
  it("returns invoices of all the workspace's customers, newest first", async () => {
    const person = await makeSubscriber()
    const first = await paidOf(person)
    await stripe.call('DELETE', `/v1/subscriptions/${first.id}`)
    await vi.waitFor(async () => expect(await subscriptionOf(person)).toBeNull(), 60_000)
    const { links } = await person.client.billing.ownLinks()
    await stripe.buy(links.agency_monthly!)
    await vi.waitFor(
      async () => expect(await subscriptionOf(person)).toMatchObject({ planId: 'agency_monthly' }),
      10_000,
    )
    const paid = await app.db
      .select()
      .from(paidSubscriptions)
      .where(eq(paidSubscriptions.workspaceId, person.workspaceId))
    expect(new Set(paid.map(({ customerId }) => customerId)).size).toBe(2)
    const { invoices, cursor } = await person.client.billing.invoices({})
    expect(invoices.map(({ totalCents }) => totalCents).sort()).toEqual([12_000, 5_000])
    expect(cursor).toBeNull()
    const [older, newer] = [5_000, 12_000].map((cents) => invoices.find(({ totalCents }) => totalCents === cents)!.id)
    // The cursor has one position per customer. Customers created within a second may be in either
    // order.
    const next = await Promise.all(
      [`${older},`, `,${older}`].map((after) => person.call('GET', `/billing/invoices?cursor=${after}`)),
    )
    expect(next.map(({ body }) => body.invoices?.map(({ id }: { id: string }) => id))).toContainEqual([newer])
    expect((await person.call('GET', '/billing/invoices?cursor=a,b,c')).status).toBe(400)
  })
})
