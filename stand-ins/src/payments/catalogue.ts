import type { PaymentLink, Price, Product } from './objects.ts'
import type { Store } from './store.ts'

const PRODUCTS = [
  { id: 'prod_pro', name: 'Pro' },
  { id: 'prod_agency', name: 'Agency' },
] as const

const PRICES = [
  { plan: 'pro_monthly', product: 'prod_pro', cents: 5_000, interval: 'month' },
  { plan: 'pro_yearly', product: 'prod_pro', cents: 30_000, interval: 'year' },
  { plan: 'agency_monthly', product: 'prod_agency', cents: 12_000, interval: 'month' },
  { plan: 'agency_yearly', product: 'prod_agency', cents: 72_000, interval: 'year' },
] as const

export type BuiltInPlan = (typeof PRICES)[number]['plan']

/** Creates the four built-in plans with their payment links in an empty account. */
export function fillCatalogue(store: Store, created: number): void {
  if (!store.isEmpty()) return
  const common = { created, livemode: false, active: true, metadata: {} } as const
  for (const { id, name } of PRODUCTS)
    store.put<Product>({ ...common, id, object: 'product', name, description: null, marketing_features: [] })
  for (const { plan, product, cents, interval } of PRICES) {
    store.put<Price>({
      ...common,
      id: `price_${plan}`,
      object: 'price',
      currency: 'usd',
      lookup_key: plan,
      nickname: null,
      product,
      recurring: { interval, interval_count: 1 },
      type: 'recurring',
      unit_amount: cents,
    })
    store.put<PaymentLink>({
      ...common,
      id: `plink_${plan}`,
      object: 'payment_link',
      // The server's address is not known yet.
      url: '',
      line_items: [{ price: `price_${plan}`, quantity: 1 }],
      subscription_data: { trial_period_days: null },
      after_completion: { type: 'hosted_confirmation' },
    })
  }
}

/** Sets where the built-in payment links redirect after payment. */
export function setReturnUrl(store: Store, url: string): void {
  for (const { plan } of PRICES) {
    const link = store.get('payment_link', `plink_${plan}`)
    if (link.after_completion.redirect?.url !== url)
      store.put({ ...link, after_completion: { type: 'redirect', redirect: { url } } })
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
