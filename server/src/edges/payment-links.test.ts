import fastify from 'fastify'
import { expect, it } from 'vitest'
import { servePaymentLinks } from './pages.ts'

const payments = {
  apiUrl: 'https://pay.example.com',
  secretKey: 'sk_test_1',
  webhookSecret: null,
  links: {
    pro_monthly: 'https://pay.example.com/pro',
    pro_yearly: null,
    agency_monthly: null,
    agency_yearly: null,
  },
}

async function buy(planId: string, configured: typeof payments | null = payments) {
  const app = fastify()
  servePaymentLinks(app, { env: { payments: configured } })
  const { statusCode, headers } = await app.inject(`/buy/${planId}`)
  return [statusCode, headers.location]
}

it("redirects to the plan's payment page, or to the billing page without one", async () => {
  expect(await buy('pro_monthly')).toEqual([302, 'https://pay.example.com/pro'])
  expect(await buy('agency_yearly')).toEqual([302, '/billing'])
  expect(await buy('pro_monthly', null)).toEqual([302, '/billing'])
})

it('returns 404 for unknown plans', async () => {
  expect(await buy('gold')).toEqual([404, undefined])
  expect(await buy('toString')).toEqual([404, undefined])
})
