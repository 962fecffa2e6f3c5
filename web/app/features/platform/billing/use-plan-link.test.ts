import { beforeEach, expect, test } from 'vitest'
import { openPaymentPage } from './use-plan-link'

const links = { pro_monthly: 'https://pay.example/pro', pro_yearly: null, agency_monthly: null, agency_yearly: null }
const opened: string[] = []
const tab = { opener: {} as unknown, location: { replace: (url: string | URL) => void opened.push(String(url)) } }
beforeEach(() => opened.splice(0))

test('opens the payment page that the server returns at the press, without access to this page', async () => {
  await openPaymentPage(tab, 'pro_monthly', async () => ({ links }))
  expect(opened).toEqual(['https://pay.example/pro'])
  expect(tab.opener).toBeNull()
})

test('opens Billing instead of a second payment if the plan was paid meanwhile', async () => {
  await openPaymentPage(tab, 'pro_monthly', () => Promise.reject(new Error('You already have a subscription.')))
  expect(opened).toEqual(['/billing'])
})

test('opens Billing for a plan without a payment link', async () => {
  await openPaymentPage(tab, 'agency_yearly', async () => ({ links }))
  expect(opened).toEqual(['/billing'])
})
