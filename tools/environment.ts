/** An environment in which an empty variable counts as none. */
export type Environment = Record<string, string | undefined>

/**
 * Whether `npm start` runs the stand-ins and the demo account: as STAND_INS says, else only where everything is local
 * and nothing is real (api.md, Stand-ins).
 */
export function wantsStandIns(env: Environment): boolean {
  if (env.STAND_INS) return env.STAND_INS === 'on'
  if (env.NODE_ENV === 'production' || env.DATABASE_URL) return false
  return isLoopback(env.HOST || '127.0.0.1') && (!env.PUBLIC_URL || isLoopback(new URL(env.PUBLIC_URL).hostname))
}

/**
 * Whether the demo account is made: where its X and its mail are the stand-ins, which a seed can sign in to and read, and where nobody but this machine
 * can reach it, as everybody knows its password.
 */
export function mayHaveDemo(env: Environment): boolean {
  if (!wantsStandIns(env) || env.X_API_URL || env.SMTP_URL) return false
  return isLoopback(env.HOST || '127.0.0.1') && (!env.PUBLIC_URL || isLoopback(new URL(env.PUBLIC_URL).hostname))
}

/** Whether a host name or address is this machine's own. */
export function isLoopback(host: string): boolean {
  return /^(localhost|.*\.localhost|127(\.\d+){3}|\[?::1\]?)$/i.test(host)
}

/** What stand-ins/src/main.ts tells once they listen. */
export type StandIns = {
  x: string
  google: string
  sso: string
  /** Address and port of the resolver that knows the domains of companies. */
  dns: string
  payments: string
  paymentsSecretKey: string
  /** The hosted page of each built-in plan. */
  paymentLinks: Record<string, string>
  mailbox: string
  smtp: string
  xClientId: string
  xClientSecret: string
  xConsumerSecret: string
  xBearerToken: string
  googleClientId: string
  googleClientSecret: string
}

/** The server's environment: ours, and the stand-ins for every outside service that ours does not name. */
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
  // Google's own issuer is known: whoever brings a client of theirs means that one.
  if (!env.GOOGLE_ISSUER && !env.GOOGLE_CLIENT_ID) {
    ours.GOOGLE_ISSUER = standIns.google
    ours.GOOGLE_CLIENT_ID = standIns.googleClientId
    ours.GOOGLE_CLIENT_SECRET = standIns.googleClientSecret
  }
  // As with Google: whoever brings a key of theirs means the real provider.
  if (!env.STRIPE_API_URL && !env.STRIPE_SECRET_KEY) {
    ours.STRIPE_API_URL = standIns.payments
    ours.STRIPE_SECRET_KEY = standIns.paymentsSecretKey
    for (const [plan, link] of Object.entries(standIns.paymentLinks)) ours[`STRIPE_LINK_${plan.toUpperCase()}`] = link
  }
  if (!env.DNS_SERVER) ours.DNS_SERVER = standIns.dns
  if (!env.SMTP_URL) ours.SMTP_URL = standIns.smtp
  return ours
}
