import { CONFIRMED_CARD, DECLINED_CARD, FAILING_CARD, visitPayments } from '@x-automated/stand-ins/payments/visit'
import { eq } from 'drizzle-orm'
import { beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { mailsTo, mailTo } from '../../../../test/accounts.ts'
import { call, makePerson, type Person, subscribe } from '../../../../test/makers.ts'
import { openApp, type TestApp } from '../../../../test/open-app.ts'
import { failPayment } from '../../../../test/subscriptions.ts'
import { grantReward } from '../../../../test/waitlist.ts'
import { members } from '../../waitlist/waitlist/tables.ts'
import { claimPayments } from './sync.ts'
import { paidSubscriptions } from './tables.ts'

let app: TestApp
let stripe: ReturnType<typeof visitPayments>
beforeAll(async () => {
  app = await openApp({ payments: true, mailbox: true, workers: true })
  stripe = visitPayments(app.payments)
})
beforeEach(() => stripe.faults([]))

const subscriptionOf = async (person: Person) => (await person.client.billing.subscription()).subscription
/** Waits until the workspace has a matching subscription. */
const has = (person: Person, expected: object | null) =>
  vi.waitFor(async () => {
    const subscription = await subscriptionOf(person)
    if (expected === null) expect(subscription).toBeNull()
    else expect(subscription).toMatchObject(expected)
  }, 60_000)

/** Creates a person who bought a plan by its link. */
async function makeSubscriber(planId: 'pro_monthly' | 'agency_yearly' = 'pro_monthly', number?: string) {
  const person = await makePerson(app)
  const { links } = await person.client.billing.ownLinks()
  await stripe.buy(links[planId]!, number ? { number } : {})
  await has(person, { planId })
  return person
}
const paidOf = async (person: Person) =>
  (await app.db.select().from(paidSubscriptions).where(eq(paidSubscriptions.workspaceId, person.workspaceId)))[0]!

describe('GET /billing/plans', () => {
  it('returns the plans of one cycle or both', async () => {
    const { plans } = await app.anonymous.billing.plans({ cycle: 'monthly' })
    expect(
      plans.map(({ id, name, price, priceCents, billingCycle }) => [id, name, price, priceCents, billingCycle]),
    ).toEqual([
      ['pro_monthly', 'Pro', 50, 5_000, 'monthly'],
      ['agency_monthly', 'Agency', 120, 12_000, 'monthly'],
    ])
    expect(Object.keys(plans[0]!).sort()).toEqual(['billingCycle', 'features', 'id', 'name', 'price', 'priceCents'])
    expect((await app.anonymous.billing.plans({})).plans.map(({ id }) => id)).toEqual([
      'pro_monthly',
      'agency_monthly',
      'pro_yearly',
      'agency_yearly',
    ])
    expect((await call(app, 'GET', '/billing/plans?cycle=weekly')).status).toBe(400)
  })
})

describe('buying by a link', () => {
  it('passes the workspace and the address, and activates the plan once paid', async () => {
    const person = await makePerson(app)
    expect((await app.anonymous.billing.links()).links).toEqual(app.payments.links)
    const link = new URL((await person.client.billing.ownLinks()).links.pro_monthly!)
    expect(link.searchParams.get('prefilled_email')).toBe(person.email)
    expect(link.searchParams.get('client_reference_id')).toMatch(new RegExp(`^${person.workspaceId}_[0-9a-f]{32}$`))
    expect(await subscriptionOf(person)).toBeNull()
    await stripe.buy(link.href, { email: 'accounts@their-company.example' })
    await has(person, { planId: 'pro_monthly', status: 'active', cancelAtPeriodEnd: false })
    const overview = await person.client.billing.overview()
    expect(overview).toMatchObject({
      available: true,
      level: 'pro',
      source: 'subscription',
      subscription: { name: 'Pro', priceCents: 5_000, billingCycle: 'monthly', manageable: true, payUrl: null },
      usage: [
        { what: 'scrapedLeads', limit: 1_000 },
        { what: 'dms', limit: 5_000 },
        { what: 'xAccounts', limit: 3 },
      ],
    })
    expect(Object.keys((await subscriptionOf(person))!).sort()).toEqual([
      'cancelAtPeriodEnd',
      'currentPeriodEnd',
      'planId',
      'status',
    ])
  })

  it('changes nothing for a declined card, and asks for confirmation if needed', async () => {
    const person = await makePerson(app)
    const { links } = await person.client.billing.ownLinks()
    expect((await stripe.buy(links.pro_yearly!, { number: DECLINED_CARD })).text).toContain('Your card was declined.')
    await person.client.billing.refresh()
    expect(await subscriptionOf(person)).toBeNull()
    const page = await stripe.buy(links.pro_yearly!, { number: CONFIRMED_CARD })
    await stripe.submit(page.url, { email: person.email, number: CONFIRMED_CARD, answer: 'continue' })
    await has(person, { planId: 'pro_yearly', status: 'active' })
  })

  it('assigns an anonymous payment to the account with the same verified address', async () => {
    const person = await makePerson(app)
    await stripe.buy(app.payments.links.agency_monthly, { email: person.email.toUpperCase() })
    await has(person, { planId: 'agency_monthly' })
  })

  it('emails a buyer without an account once, and assigns the plan when they sign up', async () => {
    const email = 'buyer.first@example.com'
    await stripe.buy(app.payments.links.pro_monthly, { email })
    expect(await mailTo(app, email, /Your Pro plan is waiting for you/)).toMatchObject({
      text: expect.stringContaining('/auth'),
    })
    // The plan is assigned immediately, so that the user does not buy it again.
    const [first, second] = await Promise.all([makePerson(app, { email }), makePerson(app)])
    const [overview, subscription] = await Promise.all([first.client.billing.overview(), subscriptionOf(first)])
    expect([overview.level, subscription?.planId]).toEqual(['pro', 'pro_monthly'])
    expect(await subscriptionOf(second)).toBeNull()
    await claimPayments(app.db)
    expect(await subscriptionOf(second)).toBeNull()
    expect((await mailsTo(app, email)).filter(({ subject }) => /waiting/.test(subject))).toHaveLength(1)
  })

  it('ignores forged references', async () => {
    const victim = await makePerson(app)
    for (const reference of [victim.workspaceId, `${victim.workspaceId}_${'0'.repeat(32)}`, 'nonsense'])
      await stripe.buy(`${app.payments.links.pro_monthly}?client_reference_id=${reference}`, {
        email: 'somebody@else.example',
      })
    await vi.waitFor(async () => {
      const isStrangers = eq(paidSubscriptions.email, 'somebody@else.example')
      const rows = await app.db.select().from(paidSubscriptions).where(isStrangers)
      expect(rows.map(({ workspaceId }) => workspaceId)).toEqual([null, null, null])
    }, 60_000)
    expect(await subscriptionOf(victim)).toBeNull()
  })

  it('cancels the lesser of two subscriptions', async () => {
    const person = await makePerson(app)
    const { links } = await person.client.billing.ownLinks()
    await stripe.buy(links.pro_monthly!)
    await has(person, { planId: 'pro_monthly' })
    const first = await paidOf(person)
    await stripe.buy(links.agency_yearly!)
    await has(person, { planId: 'agency_yearly' })
    await vi.waitFor(async () => {
      expect((await stripe.call('GET', `/v1/subscriptions/${first.id}`)).body.cancel_at_period_end).toBe(true)
    }, 60_000)
    await has(person, { planId: 'agency_yearly', cancelAtPeriodEnd: false })
  })
})

describe('POST /billing/checkout', () => {
  it('returns the link of a built-in plan, or a new checkout page for other plans', async () => {
    const person = await makePerson(app)
    const { links } = await person.client.billing.ownLinks()
    expect(await person.client.billing.checkout({ planId: 'pro_yearly' })).toEqual({
      success: true,
      checkoutUrl: links.pro_yearly,
    })

    await stripe.call('POST', '/v1/prices', {
      currency: 'usd',
      unit_amount: '9900',
      lookup_key: 'studio_monthly',
      'recurring[interval]': 'month',
      'metadata[level]': 'agency',
      'product_data[name]': 'Studio',
    })
    const { checkoutUrl } = await person.client.billing.checkout({ planId: 'studio_monthly' })
    expect(checkoutUrl).toContain('/c/pay/')
    const done = await stripe.buy(checkoutUrl)
    expect(done.text).toContain(`${app.services.origin}/billing?checkout=success`)
    await has(person, { planId: 'studio_monthly' })
    expect(await person.client.billing.overview()).toMatchObject({
      level: 'agency',
      subscription: { name: 'Studio', priceCents: 9_900 },
    })
    expect((await app.anonymous.billing.plans({ cycle: 'monthly' })).plans.map(({ id }) => id)).toContain(
      'studio_monthly',
    )
  })

  it('returns 404 PLAN_NOT_FOUND, 409 SUBSCRIPTION_STATE, or 400', async () => {
    const person = await makePerson(app)
    for (const planId of ['platinum', 'toString', '__proto__'])
      expect(await person.call('POST', '/billing/checkout', { planId })).toMatchObject({
        status: 404,
        body: { code: 'PLAN_NOT_FOUND' },
      })
    expect((await person.call('POST', '/billing/checkout', { planId: ' ' })).status).toBe(400)
    const subscriber = await makeSubscriber()
    expect(await subscriber.call('POST', '/billing/checkout', { planId: 'agency_yearly' })).toMatchObject({
      status: 409,
      body: { code: 'SUBSCRIPTION_STATE', error: 'You already have a subscription. Change its plan instead.' },
    })
  })
})

describe('POST /billing/upgrade', () => {
  it('charges the previewed amount and changes the plan immediately', async () => {
    const person = await makeSubscriber()
    const preview = await person.client.billing.previewUpgrade({ planId: 'agency_yearly' })
    expect(preview).toMatchObject({
      planId: 'agency_yearly',
      name: 'Agency Yearly',
      currency: 'usd',
      priceCents: 72_000,
      billingCycle: 'yearly',
    })
    expect(preview.dueNowCents).toBe(72_000 - preview.creditCents)
    expect(preview.creditCents).toBeGreaterThan(4_990)
    expect(preview.lines.map(({ text }) => text)).toEqual([expect.stringContaining('Unused time on Pro'), '1 × Agency'])
    expect(new Date(preview.nextPaymentAt).getTime() - Date.now()).toBeGreaterThan(364 * 86_400_000)
    expect(
      await person.client.billing.upgrade({ planId: 'agency_yearly', prorationDate: preview.prorationDate }),
    ).toEqual({ success: true })
    expect(await subscriptionOf(person)).toMatchObject({ planId: 'agency_yearly', status: 'active' })
    const { invoices } = await person.client.billing.invoices({})
    expect(invoices.map(({ status, totalCents }) => [status, totalCents])).toEqual([
      ['paid', preview.dueNowCents],
      ['paid', 5_000],
    ])
    expect(invoices[0]).toMatchObject({
      url: expect.stringContaining('/i/in_'),
      pdfUrl: expect.any(String),
      number: expect.any(String),
      currency: 'usd',
    })
    // A plan change undoes a cancellation, and a downgrade leaves credit.
    await person.client.billing.cancel({})
    const down = await person.client.billing.previewUpgrade({ planId: 'pro_monthly' })
    expect(down.dueNowCents).toBeLessThan(0)
    await person.client.billing.upgrade({ planId: 'pro_monthly' })
    expect(await subscriptionOf(person)).toMatchObject({ planId: 'pro_monthly', cancelAtPeriodEnd: false })
  })

  it('returns 409 PAYMENT_DECLINED without a change', async () => {
    const person = await makeSubscriber('pro_monthly', FAILING_CARD)
    expect(await person.call('POST', '/billing/upgrade', { planId: 'agency_monthly' })).toMatchObject({
      status: 409,
      body: { code: 'PAYMENT_DECLINED', error: 'Your card was declined.' },
    })
    await person.client.billing.refresh()
    expect(await subscriptionOf(person)).toMatchObject({ planId: 'pro_monthly', status: 'active' })
  })

  it('returns 409 PAYMENT_CONFIRMATION_NEEDED and changes once confirmed', async () => {
    const person = await makeSubscriber()
    const { id, customerId } = await paidOf(person)
    await stripe.call('POST', `/v1/customers/${customerId}`, { source: '4000002760003184' })
    const { body: customer } = await stripe.call('GET', `/v1/customers/${customerId}`)
    const card = customer.invoice_settings.default_payment_method
    await stripe.call('POST', `/v1/subscriptions/${id}`, { default_payment_method: card })
    const { status, body } = await person.call('POST', '/billing/upgrade', { planId: 'agency_monthly' })
    expect([status, body.code]).toEqual([409, 'PAYMENT_CONFIRMATION_NEEDED'])
    await person.client.billing.refresh()
    expect(await subscriptionOf(person)).toMatchObject({ planId: 'pro_monthly', status: 'active' })
    await stripe.submit(body.details.url, { use: 'kept' })
    await stripe.submit(body.details.url, { answer: 'continue' })
    await has(person, { planId: 'agency_monthly' })
  })

  it('returns 404 for unknown plans and 409 without a subscription, for the same plan and for granted plans', async () => {
    const person = await makePerson(app)
    const refusals = async (buyer: Person, planId: string) =>
      Promise.all([
        buyer.call('POST', '/billing/upgrade', { planId }),
        buyer.call('GET', `/billing/upgrade/preview?planId=${planId}`),
      ])
    for (const response of await refusals(person, 'agency_monthly'))
      expect(response).toMatchObject({ status: 409, body: { code: 'SUBSCRIPTION_STATE' } })
    for (const response of await refusals(person, 'platinum'))
      expect(response).toMatchObject({ status: 404, body: { code: 'PLAN_NOT_FOUND' } })
    await subscribe(app, person)
    for (const response of await refusals(person, 'agency_yearly'))
      expect(response.body.code).toBe('SUBSCRIPTION_STATE')
    expect((await person.client.billing.overview()).subscription).toMatchObject({ manageable: false, priceCents: null })
    const subscriber = await makeSubscriber()
    for (const response of await refusals(subscriber, 'pro_monthly'))
      expect(response.body.error).toBe('Pro is already your plan.')
    expect(
      (await person.call('POST', '/billing/upgrade', { planId: 'pro_monthly', prorationDate: 'now' })).status,
    ).toBe(400)
  })
})

describe('POST /billing/cancel', () => {
  it('cancels at the end of the period, and resumes', async () => {
    const person = await makeSubscriber()
    expect(await person.client.billing.cancel({})).toEqual({ success: true })
    expect(await subscriptionOf(person)).toMatchObject({ status: 'active', cancelAtPeriodEnd: true })
    expect(await person.client.billing.cancel({})).toEqual({ success: true })
    expect(await person.client.billing.resume({})).toEqual({ success: true })
    expect(await subscriptionOf(person)).toMatchObject({ status: 'active', cancelAtPeriodEnd: false })
    const portal = await person.client.billing.portal({})
    expect(await (await fetch(portal.url)).text()).toContain(`${app.services.origin}/billing`)
    // The portal can also set a cancellation date.
    const { id } = await paidOf(person)
    await stripe.call('POST', `/v1/subscriptions/${id}`, { cancel_at: String(Math.floor(Date.now() / 1_000) + 86_400) })
    await has(person, { cancelAtPeriodEnd: true })
    await person.client.billing.resume({})
    expect(await subscriptionOf(person)).toMatchObject({ cancelAtPeriodEnd: false })
  })

  it('returns 409 SUBSCRIPTION_STATE without a subscription', async () => {
    const person = await makePerson(app)
    const responses = await Promise.all(
      ['cancel', 'resume', 'portal'].map((what) => person.call('POST', `/billing/${what}`, {})),
    )
    expect(responses.map(({ status, body }) => [status, body.code, body.error])).toEqual([
      [409, 'SUBSCRIPTION_STATE', 'There is no subscription to cancel.'],
      [409, 'SUBSCRIPTION_STATE', 'There is no subscription to resume. Choose a plan.'],
      [409, 'SUBSCRIPTION_STATE', 'There is nothing to manage yet. Choose a plan first.'],
    ])
    expect(await person.client.billing.invoices({})).toEqual({ invoices: [], cursor: null })
    const subscriber = await makeSubscriber()
    expect((await subscriber.call('GET', '/billing/invoices?cursor=in_none')).status).toBe(400)
  })
})

describe('rewards', () => {
  it('grant Pro, and wait while a subscription is paid for', async () => {
    const person = await makePerson(app)
    await person.call('GET', '/dashboard')
    const [member] = await app.db.select().from(members).where(eq(members.accountUserId, person.id))
    await grantReward(app, member!.id, person.id)
    const earned = await person.client.billing.overview()
    expect(earned).toMatchObject({
      level: 'pro',
      source: 'reward',
      subscription: null,
      rewards: { months: 1, grants: [{ achievement: 'bronze', months: 1 }] },
    })
    const { links } = await person.client.billing.ownLinks()
    await stripe.buy(links.agency_monthly!)
    await has(person, { planId: 'agency_monthly' })
    const paying = await person.client.billing.overview()
    expect([paying.level, paying.source]).toEqual(['agency', 'subscription'])
    expect(new Date(paying.rewards.until!).getTime()).toBeGreaterThan(
      new Date(earned.rewards.until!).getTime() + 27 * 86_400_000,
    )
  })
})

describe('over time', () => {
  it('a trial grants its plan, and owners are notified before it ends', async () => {
    const person = await makePerson(app)
    const { body: link } = await stripe.call('POST', '/v1/payment_links', {
      'line_items[0][price]': 'price_pro_monthly',
      'subscription_data[trial_period_days]': '3',
    })
    await stripe.buy(link.url, { email: person.email })
    await has(person, { status: 'trialing' })
    const { subscription, level } = await person.client.billing.overview()
    expect([level, subscription!.trialEnd]).toEqual(['pro', subscription!.currentPeriodEnd])
    await vi.waitFor(
      async () =>
        expect((await person.client.notifications.list({})).notifications).toMatchObject([{ kind: 'trial_ending' }]),
      10_000,
    )
    const preview = await person.client.billing.previewUpgrade({ planId: 'agency_monthly' })
    expect([preview.dueNowCents, preview.nextPaymentAt]).toEqual([0, subscription!.trialEnd])
  })

  // Only this test's subscriptions should renew.
  const endOthers = async () => {
    await stripe.faults([{ webhook: 'lose' }])
    for (const { id } of await stripe.all('/v1/subscriptions')) await stripe.call('DELETE', `/v1/subscriptions/${id}`)
    await stripe.faults([])
  }

  it('a canceled plan ends, an unpaid one ends after its grace period, and owners are notified', async () => {
    await endOthers()
    const leaving = await makeSubscriber('agency_yearly')
    await leaving.client.billing.upgrade({ planId: 'pro_monthly' })
    await leaving.client.billing.cancel({})
    const poor = await makeSubscriber('pro_monthly', FAILING_CARD)
    await stripe.advance(31.5)
    await has(leaving, null)
    expect(await leaving.client.billing.overview()).toMatchObject({
      level: 'free',
      source: 'none',
      subscription: null,
      ended: { planId: 'pro_monthly', name: 'Pro' },
    })
    await mailTo(app, leaving.email, /Your Pro plan has ended/)

    await has(poor, { status: 'past_due' })
    const { level, subscription } = await poor.client.billing.overview()
    expect(level).toBe('pro')
    expect(new Date(subscription!.graceEndsAt!).getTime()).toBe(
      new Date(subscription!.pastDueSince!).getTime() + 7 * 86_400_000,
    )
    await mailTo(app, poor.email, /The payment for your Pro plan failed/)
    expect((await poor.client.notifications.list({})).notifications[0]).toMatchObject({
      kind: 'payment_failed',
      path: '/billing',
    })
    const viewer = await makePerson(app, { in: poor, role: 'viewer' })
    expect((await viewer.client.billing.overview()).subscription).toMatchObject({ status: 'past_due', payUrl: null })
    expect(await poor.call('POST', '/billing/upgrade', { planId: 'agency_monthly' })).toMatchObject({
      body: { code: 'SUBSCRIPTION_STATE', error: 'A payment is overdue. Pay the open invoice first.' },
    })
    // The grace period is over.
    await failPayment(app, { workspaceId: poor.workspaceId }, 8)
    expect(await poor.client.billing.overview()).toMatchObject({ level: 'free', subscription: { status: 'past_due' } })
    await stripe.submit(subscription!.payUrl!, { number: '4242424242424242' })
    await has(poor, { status: 'active' })
    expect((await poor.client.billing.overview()).level).toBe('pro')
  })
})

describe('503 PAYMENTS_UNAVAILABLE', () => {
  const requests: [method: string, path: string, words: string, body?: object][] = [
    ['POST', 'checkout', 'Failed to process payment. Please try again.', { planId: 'studio_yearly' }],
    ['GET', 'upgrade/preview?planId=agency_monthly', 'Failed to upgrade plan. Please try again.'],
    ['POST', 'upgrade', 'Failed to upgrade plan. Please try again.', { planId: 'agency_monthly' }],
    ['POST', 'cancel', 'Failed to cancel subscription. Please try again.', {}],
    ['POST', 'resume', 'Failed to process payment. Please try again.', {}],
    ['POST', 'portal', 'Failed to process payment. Please try again.', {}],
    ['GET', 'invoices', 'Failed to process payment. Please try again.'],
    ['POST', 'refresh', 'Failed to process payment. Please try again.', {}],
  ]

  it('is returned if the provider does not respond', async () => {
    const subscriber = await makeSubscriber()
    const fresh = await makePerson(app)
    await stripe.faults([{ path: '/v1', status: 500 }])
    for (const [method, path, words, body] of requests) {
      const person = path === 'checkout' ? fresh : subscriber
      expect(await person.call(method, `/billing/${path}`, body)).toMatchObject({
        status: 503,
        body: { code: 'PAYMENTS_UNAVAILABLE', error: words },
      })
    }
    expect(await subscriptionOf(subscriber)).toMatchObject({ planId: 'pro_monthly' })
  })

  it('is returned if payments are not configured', async () => {
    const other = await app.startAnother({ env: { STRIPE_SECRET_KEY: '' } })
    const person = await makePerson(app)
    const ask = async (method: string, path: string, body?: object) => {
      const headers = { authorization: `Bearer ${person.token}` }
      return call({ url: `${other.url}/api` }, method, `/billing/${path}`, body, headers)
    }
    for (const [method, path, words, body] of requests)
      expect(await ask(method, path, body)).toMatchObject({
        status: 503,
        body: { code: 'PAYMENTS_UNAVAILABLE', error: words },
      })
    expect((await ask('GET', 'overview')).body).toMatchObject({ available: false, level: 'free', source: 'none' })
    expect((await ask('GET', 'links')).body.links).toMatchObject({ pro_monthly: null })
    expect((await ask('GET', 'links/own')).body.links).toMatchObject({ agency_yearly: null })
    expect((await ask('POST', 'webhook', {})).status).toBe(404)
  })
})

describe('billing permissions', () => {
  it('let only the owner buy, change and see invoices, and all members see the plan', async () => {
    const owner = await makeSubscriber()
    const admin = await makePerson(app, { in: owner, role: 'admin' })
    for (const [method, path, body] of [
      ['GET', 'links/own'],
      ['POST', 'checkout', { planId: 'pro_monthly' }],
      ['GET', 'upgrade/preview?planId=agency_monthly'],
      ['POST', 'upgrade', { planId: 'agency_monthly' }],
      ['POST', 'cancel', {}],
      ['POST', 'resume', {}],
      ['POST', 'portal', {}],
      ['GET', 'invoices'],
      ['POST', 'refresh', {}],
    ] as const)
      expect(await admin.call(method, `/billing/${path}`, body)).toMatchObject({
        status: 403,
        body: { code: 'FORBIDDEN' },
      })
    expect(await subscriptionOf(admin)).toMatchObject({ planId: 'pro_monthly' })
    const stranger = await makePerson(app)
    expect(await subscriptionOf(stranger)).toBeNull()
    expect(await stranger.client.billing.overview()).toMatchObject({ level: 'free', subscription: null })
  })
})
