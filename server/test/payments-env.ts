import type { Payments } from '@x-automated/stand-ins/payments'

/** Returns the environment variables with which `npm start` configures the server for the stand-in. */
export function paymentsEnv({ url, secretKey, links }: Payments): Record<string, string> {
  return {
    STRIPE_API_URL: url,
    STRIPE_SECRET_KEY: secretKey,
    ...Object.fromEntries(Object.entries(links).map(([plan, link]) => [`STRIPE_LINK_${plan.toUpperCase()}`, link])),
  }
}
