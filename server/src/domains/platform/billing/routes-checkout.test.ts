import { visitPayments } from '@x-automated/stand-ins/payments/visit'
import { beforeAll, expect, it } from 'vitest'
import { makePerson, type Person } from '../../../../test/makers.ts'
import { openApp, type TestApp } from '../../../../test/open-app.ts'

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

it('refuses a second sale to who bought signed out, with the address of the account', async () => {
  const person = await makePerson(app)
  await stripe.buy(app.payments.links.pro_monthly, { email: person.email })
  expect((await checkout(person, 'pro_monthly')).status).toBe(409)
})

it('sells nothing while the provider does not answer, and again to who has canceled', async () => {
  const person = await makePerson(app)
  await stripe.faults([{ path: '/v1', status: 500 }])
  expect(await checkout(person, 'pro_monthly')).toMatchObject({ status: 503, body: { code: 'PAYMENTS_UNAVAILABLE' } })
  await stripe.faults([])
  await stripe.buy((await checkout(person, 'pro_monthly')).body.checkoutUrl)
  expect((await checkout(person, 'pro_monthly')).status).toBe(409)
  const [subscription] = await stripe.all('/v1/subscriptions')
  await stripe.call('DELETE', `/v1/subscriptions/${subscription?.id}`)
  expect((await checkout(person, 'agency_yearly')).status).toBe(200)
})
