import { visitPayments } from '@x-automated/stand-ins/payments/visit'
import { eq, inArray } from 'drizzle-orm'
import { beforeAll, expect, it, vi } from 'vitest'
import { makePerson, type Person } from '../../../../test/makers.ts'
import { openApp, type TestApp } from '../../../../test/open-app.ts'
import { paidSubscriptions, paymentEvents } from './tables.ts'

let app: TestApp
let stripe: ReturnType<typeof visitPayments>
beforeAll(async () => {
  // Without workers, no webhook and no poll of the provider takes effect.
  app = await openApp({ payments: true })
  stripe = visitPayments(app.payments)
})

const checkout = (person: Person, planId: string) => person.call('POST', '/billing/checkout', { planId })

it.each(['pro_monthly', 'agency_yearly'])(
  'refuses to sell %s a second time while webhooks are lost',
  async (planId) => {
    const person = await makePerson(app)
    const { body } = await checkout(person, 'pro_monthly')
    await stripe.buy(body.checkoutUrl)
    expect(await checkout(person, planId)).toMatchObject({ status: 409, body: { code: 'SUBSCRIPTION_STATE' } })
    expect(await person.client.billing.subscription()).toMatchObject({ subscription: { planId: 'pro_monthly' } })
  },
)

it('returns no payment links to who paid while webhooks are held back', async () => {
  const person = await makePerson(app)
  await stripe.faults([{ webhook: 'lose' }])
  const { links } = await person.client.billing.ownLinks()
  await stripe.buy(links.pro_monthly!)
  expect(await person.call('GET', '/billing/links/own')).toMatchObject({
    status: 409,
    body: { code: 'SUBSCRIPTION_STATE', error: 'You already have a subscription. Change its plan instead.' },
  })
  expect(await person.client.billing.subscription()).toMatchObject({ subscription: { planId: 'pro_monthly' } })
  await stripe.faults([])
})

it('returns no payment links to who paid while the job of the webhook has not run', async () => {
  const person = await makePerson(app)
  const { links } = await person.client.billing.ownLinks()
  await stripe.buy(links.pro_monthly!)
  const [{ id }] = await stripe.all('/v1/subscriptions')
  const listed = await app.services.payments!.listEvents(new Date(0))
  const events = listed.filter(({ subscriptionId }) => subscriptionId === id).map((event) => event.id)
  await vi.waitFor(
    async () => expect(await app.db.$count(paymentEvents, inArray(paymentEvents.id, events))).toBe(events.length),
    60_000,
  )
  expect(await app.db.$count(paidSubscriptions, eq(paidSubscriptions.id, id))).toBe(0)
  expect((await person.call('GET', '/billing/links/own')).status).toBe(409)
})

it('refuses a second sale to who bought signed out, with the address of the account', async () => {
  const person = await makePerson(app)
  await stripe.buy(app.payments.links.pro_monthly, { email: person.email })
  expect((await checkout(person, 'pro_monthly')).status).toBe(409)
})

it('sells nothing while the provider does not answer, and again to who has canceled', async () => {
  const person = await makePerson(app)
  const links = () => person.call('GET', '/billing/links/own')
  await stripe.faults([{ path: '/v1', status: 500 }])
  for (const response of [await checkout(person, 'pro_monthly'), await links()])
    expect(response).toMatchObject({ status: 503, body: { code: 'PAYMENTS_UNAVAILABLE' } })
  await stripe.faults([])
  await stripe.buy((await checkout(person, 'pro_monthly')).body.checkoutUrl)
  expect([(await checkout(person, 'pro_monthly')).status, (await links()).status]).toEqual([409, 409])
  const [paid] = await app.db
    .select()
    .from(paidSubscriptions)
    .where(eq(paidSubscriptions.workspaceId, person.workspaceId))
  // Lose the deletion's webhook. Otherwise it may come first, and this app does not run its job.
  await stripe.faults([{ webhook: 'lose' }])
  await stripe.call('DELETE', `/v1/subscriptions/${paid?.id}`)
  expect([(await checkout(person, 'agency_yearly')).status, (await links()).status]).toEqual([200, 200])
  await stripe.faults([])
})
