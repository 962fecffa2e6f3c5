/** Environment variables. An empty one counts as unset. */
export type Environment = Record<string, string | undefined>

/**
 * Whether `npm start` runs the stand-ins. By default, only if everything is local and no real
 * service is configured.
 */
export function wantsStandIns(env: Environment): boolean {
  if (env.STAND_INS) return env.STAND_INS === 'on'
  if (env.NODE_ENV === 'production' || env.DATABASE_URL) return false
  return isLoopback(env.HOST || '127.0.0.1') && (!env.PUBLIC_URL || isLoopback(new URL(env.PUBLIC_URL).hostname))
}

/**
 * Whether the demo account is created. Its password is public, so this requires loopback and
 * stand-ins for X and email.
 */
export function allowsDemo(env: Environment): boolean {
  if (!wantsStandIns(env) || env.X_API_URL || env.SMTP_URL) return false
  return isLoopback(env.HOST || '127.0.0.1') && (!env.PUBLIC_URL || isLoopback(new URL(env.PUBLIC_URL).hostname))
}

/** Whether a host name or address is loopback. */
export function isLoopback(host: string): boolean {
  return /^(localhost|.*\.localhost|127(\.\d+){3}|\[?::1\]?)$/i.test(host)
}

/** The message that stand-ins/src/main.ts sends once all stand-ins listen. */
export type StandIns = {
  x: string
  google: string
  sso: string
  /** Address and port of the DNS resolver with the test domains. */
  dns: string
  payments: string
  paymentsSecretKey: string
  /** The hosted payment page of each built-in plan. */
  paymentLinks: Record<string, string>
  /** The model server's API, ending in /v1. */
  model: string
  modelKey: string
  mailbox: string
  smtp: string
  xClientId: string
  xClientSecret: string
  xConsumerSecret: string
  xBearerToken: string
  googleClientId: string
  googleClientSecret: string
}

/** Returns the server's environment: ours, with stand-ins for every service that ours does not configure. */
export function serverEnvironment(env: Environment, standIns: StandIns | undefined): Environment {
  if (!standIns) return { ...env, STAND_INS: 'off' }
  const ours: Environment = { ...env, STAND_INS: 'on' }
  if (!env.X_API_URL) {
    ours.X_API_URL = standIns.x
    ours.X_CLIENT_ID = standIns.xClientId
    ours.X_CLIENT_SECRET = standIns.xClientSecret
    ours.X_CONSUMER_SECRET = standIns.xConsumerSecret
    ours.X_BEARER_TOKEN = standIns.xBearerToken
    ours.SEND_INTERVAL_SECONDS = env.SEND_INTERVAL_SECONDS || '2'
  }
  // A client id alone configures the real Google, the default issuer.
  if (!env.GOOGLE_ISSUER && !env.GOOGLE_CLIENT_ID) {
    ours.GOOGLE_ISSUER = standIns.google
    ours.GOOGLE_CLIENT_ID = standIns.googleClientId
    ours.GOOGLE_CLIENT_SECRET = standIns.googleClientSecret
  }
  // A key alone configures the real Stripe.
  if (!env.STRIPE_API_URL && !env.STRIPE_SECRET_KEY) {
    ours.STRIPE_API_URL = standIns.payments
    ours.STRIPE_SECRET_KEY = standIns.paymentsSecretKey
    for (const [plan, link] of Object.entries(standIns.paymentLinks)) ours[`STRIPE_LINK_${plan.toUpperCase()}`] = link
  }
  // A model alone configures a real provider.
  if (!env.AI_MODEL && !env.AI_BASE_URL) {
    ours.AI_BASE_URL = standIns.model
    ours.AI_API_KEY = standIns.modelKey
    ours.AI_MODEL = 'stand-in'
    ours.AI_INPUT_CENTS_PER_MILLION = '15'
    ours.AI_OUTPUT_CENTS_PER_MILLION = '60'
  }
  if (!env.DNS_SERVER) ours.DNS_SERVER = standIns.dns
  if (!env.SMTP_URL) ours.SMTP_URL = standIns.smtp
  return ours
}
