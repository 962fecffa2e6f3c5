import type { Store } from './store.ts'

const PRODUCTS = { prod_pro: 'Pro', prod_agency: 'Agency' }

const PRICES = [
  { plan: 'pro_monthly', product: 'prod_pro', cents: 5_000, interval: 'month' },
  { plan: 'pro_yearly', product: 'prod_pro', cents: 30_000, interval: 'year' },
  { plan: 'agency_monthly', product: 'prod_agency', cents: 12_000, interval: 'month' },
  { plan: 'agency_yearly', product: 'prod_agency', cents: 72_000, interval: 'year' },
] as const

export type BuiltInPlan = (typeof PRICES)[number]['plan']

/**
 * Stores the four built-in plans with their payment links. @param redirect where these redirect
 * after payment
 */
export function fillCatalogue(store: Store, redirect: string | null): void {
  for (const [id, name] of Object.entries(PRODUCTS)) store.create('product', { id, active: true, name, metadata: {} })
  for (const { plan, product, cents, interval } of PRICES) {
    const price = store.create('price', {
      id: `price_${plan}`,
      active: true,
      currency: 'usd',
      lookup_key: plan,
      metadata: {},
      product,
      recurring: { interval, interval_count: 1 },
      type: 'recurring',
      unit_amount: cents,
    })
    // The server's address is not known yet.
    store.create('payment_link', {
      id: `plink_${plan}`,
      url: '',
      _price: price.id,
      _trialDays: null,
      _redirect: redirect,
    })
  }
}

/** The payment links of the four plans. */
export function linksOf(url: string): Record<BuiltInPlan, string> {
  return Object.fromEntries(PRICES.map(({ plan }) => [plan, linkUrl(url, `plink_${plan}`)])) as Record<
    BuiltInPlan,
    string
  >
}

export function linkUrl(url: string, linkId: string): string {
  return `${url}/buy/${linkId}`
}
