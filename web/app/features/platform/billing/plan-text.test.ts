import { formatMoney } from '@x-automated/contract/format'
import { describe, expect, it } from 'vitest'
import { amountText, cycleSuffix, limitText, monthlyText, planOf, planOffer, priceText, statusText } from './plan-text'

describe('priceText and formatMoney', () => {
  it.each([
    [5_000, '$50', '$50.00'],
    [72_000, '$720', '$720.00'],
    [999, '$9.99', '$9.99'],
    [123_456_00, '$123,456', '$123,456.00'],
    [0, '$0', '$0.00'],
    [-2_500, '-$25', '-$25.00'],
  ])('formats %i cents', (cents, price, money) => {
    expect([priceText(cents), formatMoney(cents)]).toEqual([price, money])
  })

  it('monthlyText divides a yearly price', () => {
    expect([monthlyText(30_000), monthlyText(72_000)]).toEqual(['$25 a month', '$60 a month'])
  })

  it('amountText and cycleSuffix name the billing cycle', () => {
    expect(amountText({ priceCents: 5_000, billingCycle: 'monthly' })).toBe('$50.00/month')
    expect(amountText({ priceCents: 30_000, billingCycle: 'yearly' })).toBe('$300.00/year')
    expect([cycleSuffix('monthly'), cycleSuffix('yearly')]).toEqual(['/mo', '/yr'])
  })
})

it.each([
  ['active', false, 'Active'],
  ['active', true, 'Active (Cancels at period end)'],
  ['trialing', false, 'Trialing'],
  ['past_due', false, 'Past due'],
  ['canceled', false, 'Canceled'],
] as const)('statusText for %s (canceled: %s) returns %s', (status, cancelAtPeriodEnd, text) => {
  expect(statusText({ status, cancelAtPeriodEnd })).toBe(text)
})

it('planOffer offers pricier plans as upgrades', () => {
  const prices = { pro_monthly: 5_000, agency_monthly: 12_000, pro_yearly: 30_000, agency_yearly: 72_000 }
  const plans = Object.entries(prices).map(([id, priceCents]) => ({ id, priceCents }))
  const offers = (currentId: string | null) =>
    plans.map((plan) => planOffer(plan, plans.find(({ id }) => id === currentId) ?? null))
  expect(offers(null)).toEqual(['select', 'select', 'select', 'select'])
  expect(offers('pro_monthly')).toEqual(['current', 'upgrade', 'upgrade', 'upgrade'])
  expect(offers('pro_yearly')).toEqual(['select', 'select', 'current', 'upgrade'])
  expect(offers('agency_yearly')).toEqual(['select', 'select', 'select', 'current'])
})

it('planOf falls back to Basic for unknown plans', () => {
  const details = { planId: 'team', name: 'Team', priceCents: 9_000, billingCycle: 'yearly' } as const
  expect(planOf({ planId: 'pro_yearly' }, null)).toMatchObject({ name: 'Pro Yearly', priceCents: 30_000 })
  expect(planOf({ planId: 'team' }, details)).toEqual({
    id: 'team',
    name: 'Team',
    priceCents: 9_000,
    billingCycle: 'yearly',
  })
  const unknown = planOf({ planId: 'gone' }, details)
  expect([unknown.name, amountText(unknown)]).toEqual(['Basic', '$9.99/month'])
})

it('limitText formats limits', () => {
  expect([limitText('free', 'dms'), limitText('agency', 'scrapedLeads')]).toEqual(['50', 'Unlimited'])
})
