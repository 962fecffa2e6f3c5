import { visitPayments } from '@x-automated/stand-ins/payments/visit'
import { eq } from 'drizzle-orm'
import { beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { makePerson, type Person } from '../../../test/makers.ts'
import { openApp, type TestApp } from '../../../test/open-app.ts'
import { paidSubscriptions } from './tables.ts'

let app: TestApp
let stripe: ReturnType<typeof visitPayments>
beforeAll(async () => {
  app = await openApp({ payments: true, workers: true })
  stripe = visitPayments(app.payments)
})
beforeEach(() => stripe.faults([]))

const DAY_MS = 86_400_000
const subscriptionOf = async (person: Person) => (await person.client.billing.subscription()).subscription
const paidOf = async (person: Person) =>
  (await app.db.select().from(paidSubscriptions).where(eq(paidSubscriptions.workspaceId, person.workspaceId)))[0]!

async function makeSubscriber(): Promise<Person> {
  const person = await makePerson(app)
  const { links } = await person.client.billing.ownLinks()
  await stripe.buy(links.pro_monthly!)
  await vi.waitFor(async () => expect(await subscriptionOf(person)).toMatchObject({ planId: 'pro_monthly' }), 10_000)
  return person
}

describe('a change of plan that is not as it was shown', () => {
  it('409 SUBSCRIPTION_STATE: reckoned to another moment than that of a preview; nothing is charged and nothing changes', async () => {
    const person = await makeSubscriber()
    const { currentPeriodEnd } = await paidOf(person)
    // The end of the period: a month of the dearer plan would cost nothing. Long ago: all that was used would be given back.
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
          error: 'The price that you were shown is out of date. Look at it again.',
        },
      })
    expect((await person.client.billing.invoices({})).invoices).toHaveLength(1)
    await person.client.billing.refresh()
    expect(await subscriptionOf(person)).toMatchObject({ planId: 'pro_monthly' })
  })

  it('pressed in two tabs at once it is made and charged once', async () => {
    const person = await makeSubscriber()
    const { prorationDate } = await person.client.billing.previewUpgrade({ planId: 'agency_monthly' })
    const answers = await Promise.all(
      [1, 2].map(() => person.call('POST', '/billing/upgrade', { planId: 'agency_monthly', prorationDate })),
    )
    for (const { status, body } of answers)
      expect(status === 200 || body.error === 'Agency is your plan already.', JSON.stringify(body)).toBe(true)
    expect(answers.map(({ status }) => status)).toContain(200)
    expect((await person.client.billing.invoices({})).invoices).toHaveLength(2)
    expect(await subscriptionOf(person)).toMatchObject({ planId: 'agency_monthly' })
  })

  it('a change of plan takes back the day on which the portal has it end', async () => {
    const person = await makeSubscriber()
    const { id } = await paidOf(person)
    await stripe.call('POST', `/v1/subscriptions/${id}`, {
      cancel_at: String(Math.floor((Date.now() + 3 * DAY_MS) / 1_000)),
    })
    await person.client.billing.upgrade({ planId: 'agency_monthly' })
    expect(await subscriptionOf(person)).toMatchObject({ planId: 'agency_monthly', cancelAtPeriodEnd: false })
  })
})
