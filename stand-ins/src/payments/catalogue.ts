import type { Price } from './objects.ts'
import type { Fields, Store } from './store.ts'

const PRODUCTS = { prod_pro: 'Pro', prod_agency: 'Agency' }

const PRICES = [
  { plan: 'pro_monthly', product: 'prod_pro', cents: 5_000, interval: 'month' },
  { plan: 'pro_yearly', product: 'prod_pro', cents: 30_000, interval: 'year' },
  { plan: 'agency_monthly', product: 'prod_agency', cents: 12_000, interval: 'month' },
  { plan: 'agency_yearly', product: 'prod_agency', cents: 72_000, interval: 'year' },
] as const

type BuiltInPlan = (typeof PRICES)[number]['plan']

/** Stores the four built-in plans and their payment links. @param redirect where the links redirect after payment */
export function fillCatalogue(store: Store, redirect: string | null): void {
  for (const [id, name] of Object.entries(PRODUCTS)) createProduct(store, { id, name })
  for (const { plan, product, cents, interval } of PRICES) {
    const price = createPrice(store, {
      id: `price_${plan}`,
      currency: 'usd',
      lookup_key: plan,
      product,
      recurring: { interval },
      unit_amount: cents,
    })
    // The server does not know its address yet.
    createLink(store, price, { id: `plink_${plan}`, url: '', redirect })
  }
}

/** Stores a product. */
export function createProduct(store: Store, fields: Partial<Fields<'product'>> & { name: string }) {
  return store.create('product', { metadata: {}, updated: store.now(), ...fields })
}

type NewPrice = Pick<Fields<'price'>, 'id' | 'currency' | 'nickname' | 'product' | 'unit_amount'> & {
  recurring: { interval: 'month' | 'year' }
  lookup_key?: string | undefined
  metadata?: Record<string, string>
}

/** Stores a recurring price. */
export function createPrice(store: Store, { recurring, lookup_key, metadata = {}, ...fields }: NewPrice) {
  const period = {
    ...recurring,
    interval_count: 1,
    meter: null,
    trial_period_days: null,
    usage_type: 'licensed',
  } as const
  const unit_amount_decimal = String(fields.unit_amount)
  const lookupKey = lookup_key ?? null
  return store.create('price', { ...fields, lookup_key: lookupKey, metadata, recurring: period, unit_amount_decimal })
}

interface NewLink {
  id: string
  url: string
  /** Where the link redirects after payment. Null for the stand-in's own page. */
  redirect: string | null
  trialDays?: number | undefined
  metadata?: Record<string, string>
}

/** Stores a payment link. */
export function createLink(store: Store, price: Price, { id, url, redirect, trialDays = 0, metadata = {} }: NewLink) {
  return store.create('payment_link', {
    id,
    url,
    metadata,
    currency: price.currency,
    after_completion: redirect
      ? { type: 'redirect', redirect: { url: redirect } }
      : { type: 'hosted_confirmation', hosted_confirmation: { custom_message: null } },
    subscription_data: trialDays
      ? {
          description: null,
          invoice_settings: {
            account_tax_ids: null,
            custom_fields: null,
            description: null,
            footer: null,
            issuer: { type: 'self' },
          },
          metadata: {},
          trial_period_days: trialDays,
          trial_settings: null,
        }
      : null,
    _price: price.id,
    _trialDays: trialDays || null,
    _redirect: redirect,
  })
}

/** Returns the payment links of the four built-in plans. */
export function linksOf(url: string): Record<BuiltInPlan, string> {
  return Object.fromEntries(PRICES.map(({ plan }) => [plan, linkUrl(url, `plink_${plan}`)])) as Record<
    BuiltInPlan,
    string
  >
}

export function linkUrl(url: string, linkId: string): string {
  return `${url}/buy/${linkId}`
}
