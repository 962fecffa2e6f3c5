import fastify from 'fastify'
import { expect, it } from 'vitest'
import { servePaymentLinks } from './payment-links.ts'

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

it('302: to the page on which the plan is paid, or to where it is bought where there is no such page', async () => {
  expect(await buy('pro_monthly')).toEqual([302, 'https://pay.example.com/pro'])
  expect(await buy('agency_yearly')).toEqual([302, '/billing'])
  expect(await buy('pro_monthly', null)).toEqual([302, '/billing'])
})

it('404: no plan of ours', async () => {
  expect(await buy('gold')).toEqual([404, undefined])
  expect(await buy('toString')).toEqual([404, undefined])
})
