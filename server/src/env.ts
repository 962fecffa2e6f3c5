import { randomBytes } from 'node:crypto'
import { chmodSync, existsSync, linkSync, readFileSync, unlinkSync } from 'node:fs'
import { isIP } from 'node:net'
import { join, resolve } from 'node:path'
import { PROVIDER_KINDS } from '@x-automated/contract/outreach/writer'
import type { PlanId } from '@x-automated/contract/platform/plans'
import { z } from 'zod'
import { openDataDir, writePrivate } from './data-dir.ts'
import { CONNECTIONS } from './db/open.ts'
import { isXItself, X_PRICES } from './outside/x-prices.ts'

const flag = z.enum(['on', 'off'])
const optionalUrl = z.url().optional()

/** The environment variables. Empty strings count as unset. */
const Variables = z.object({
  NODE_ENV: z.string().default('development'),
  PORT: z.coerce.number().int().min(0).max(65_535).default(3000),
  HOST: z.string().default('127.0.0.1'),
  PUBLIC_URL: optionalUrl,
  DATA_DIR: z.string().default('./.data'),
  DATABASE_URL: z.string().optional(),
  DATABASE_POOL_MAX: z.coerce
    .number()
    .int()
    .min(CONNECTIONS.min, `must be at least ${CONNECTIONS.min}: the server needs that many connections to its database`)
    .default(CONNECTIONS.default),
  AUTH_SECRET: z.string().min(32, 'must have at least 32 characters').optional(),
  STAND_INS: flag.optional(),
  X_API_URL: optionalUrl,
  X_CLIENT_ID: z.string().optional(),
  X_CLIENT_SECRET: z.string().optional(),
  X_CONSUMER_SECRET: z.string().optional(),
  X_BEARER_TOKEN: z.string().optional(),
  X_PRICES: z.enum(['published', 'none']).optional(),
  GOOGLE_ISSUER: optionalUrl,
  GOOGLE_CLIENT_ID: z.string().optional(),
  GOOGLE_CLIENT_SECRET: z.string().optional(),
  STRIPE_API_URL: optionalUrl,
  STRIPE_SECRET_KEY: z.string().optional(),
  STRIPE_WEBHOOK_SECRET: z.string().optional(),
  STRIPE_LINK_PRO_MONTHLY: optionalUrl,
  STRIPE_LINK_PRO_YEARLY: optionalUrl,
  STRIPE_LINK_AGENCY_MONTHLY: optionalUrl,
  STRIPE_LINK_AGENCY_YEARLY: optionalUrl,
  AI_PROVIDER: z.enum(PROVIDER_KINDS).default('openai_compatible'),
  AI_BASE_URL: optionalUrl,
  AI_API_KEY: z.string().optional(),
  AI_MODEL: z.string().optional(),
  AI_INPUT_CENTS_PER_MILLION: z.coerce.number().min(0).optional(),
  AI_OUTPUT_CENTS_PER_MILLION: z.coerce.number().min(0).optional(),
  AI_CENTS_FREE: z.coerce.number().min(0).default(0),
  AI_CENTS_PRO: z.coerce.number().min(0).default(200),
  AI_CENTS_AGENCY: z.coerce.number().min(0).default(1_000),
  AI_PRIVATE_ADDRESSES: flag.default('off'),
  AI_TIMEOUT_SECONDS: z.coerce.number().positive().max(600).default(60),
  DNS_SERVER: z.string().refine(isResolver, 'must be an IP address, with or without a port').optional(),
  SMTP_URL: z.string().optional(),
  MAIL_FROM: z.string().default('X-Automated <hello@x-automated.example>'),
  SUPPORT_EMAIL: z.email().optional(),
  PRIORITY_SUPPORT_EMAIL: z.email().optional(),
  STRATEGY_CALL_URL: z.url({ protocol: /^https?$/, error: 'must be a web address (https://…)' }).optional(),
  SEND_INTERVAL_SECONDS: z.coerce.number().min(0).max(86_400).default(60),
  DAILY_DM_CAP: z.coerce.number().int().min(0).max(500).default(500),
  WAITLIST_CONFIRM: z.enum(['optional', 'required']).default('optional'),
  LEADERBOARD_EMAILS: z.enum(['masked', 'full']).default('masked'),
  OPERATORS: z.string().default(''),
  TRUST_PROXY: z
    .string()
    .refine(isProxyList, 'must be off, loopback, or addresses and ranges separated by commas')
    .optional(),
  METRICS_TOKEN: z.string().optional(),
  LOG_LEVEL: z.enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']).default('info'),
})

export type Env = ReturnType<typeof readEnv>

/** Parses the environment. @throws Error that names each invalid variable, and why */
export function readEnv(source: NodeJS.ProcessEnv) {
  const variables = Object.fromEntries(Object.entries(source).filter(([, value]) => value !== ''))
  const parsed = Variables.safeParse(variables)
  if (!parsed.success) {
    throw new Error(parsed.error.issues.map((issue) => `${issue.path.join('.')} ${issue.message}`).join('\n'))
  }
  const v = parsed.data
  const production = v.NODE_ENV === 'production'
  if (production && !v.AUTH_SECRET) throw new Error('AUTH_SECRET is required when NODE_ENV=production')
  const dataDir = resolve(v.DATA_DIR)
  const supportEmail = v.SUPPORT_EMAIL ?? v.MAIL_FROM.match(/[\w.+-]+@[\w.-]+/)?.[0] ?? v.MAIL_FROM
  return {
    production,
    port: v.PORT,
    host: v.HOST,
    /** The origin used in links, without a trailing slash; null: http://localhost:<actual port>. */
    publicUrl: v.PUBLIC_URL ? new URL(v.PUBLIC_URL).origin : null,
    dataDir,
    /** Null: DATABASE_URL is not set. */
    databaseUrl: v.DATABASE_URL ?? null,
    databasePoolMax: v.DATABASE_POOL_MAX,
    authSecret: v.AUTH_SECRET ?? storedSecret(dataDir),
    standIns: v.STAND_INS === 'on',
    x: xOf(v),
    /** Whether X charges its published prices. The stand-in costs nothing. */
    isXPriced: isXPriced(v),
    /** What X charges for a message, in thousandths of a dollar. */
    messageMills: isXPriced(v) ? X_PRICES.message : 0,
    /** X is not the stand-in: messages reach real people and X's rules apply. */
    isRealX: v.STAND_INS !== 'on' || (v.X_API_URL !== undefined && !isLoopback(new URL(v.X_API_URL).hostname)),
    google: googleOf(v),
    payments: paymentsOf(v),
    ai: aiOf(v),
    /** DNS server for domain records; null: the system's. */
    dnsServer: v.DNS_SERVER ?? null,
    smtpUrl: v.SMTP_URL ?? null,
    mailFrom: v.MAIL_FROM,
    /** Whether a support address was configured; nobody reads the default one. */
    hasContact: Boolean(variables.SUPPORT_EMAIL ?? variables.MAIL_FROM),
    supportEmail,
    prioritySupportEmail: v.PRIORITY_SUPPORT_EMAIL ?? supportEmail,
    /** Where silver referrers book their strategy call: by email if there is no booking page. */
    strategyCallUrl: v.STRATEGY_CALL_URL ?? `mailto:${supportEmail}`,
    sendIntervalSeconds: v.SEND_INTERVAL_SECONDS,
    dailyDmCap: v.DAILY_DM_CAP,
    /** Referrals count only after the referred member confirms their email. */
    waitlistConfirmRequired: v.WAITLIST_CONFIRM === 'required',
    leaderboardEmailsInFull: v.LEADERBOARD_EMAILS === 'full',
    /** Verified email addresses, in lower case, that may open the operator page. */
    operators: v.OPERATORS.toLowerCase()
      .split(',')
      .map((email) => email.trim())
      .filter((email) => email !== ''),
    trustProxy: v.TRUST_PROXY && v.TRUST_PROXY !== 'off' ? v.TRUST_PROXY : false,
    metricsToken: v.METRICS_TOKEN ?? null,
    logLevel: v.LOG_LEVEL,
  }
}

type Variables = z.output<typeof Variables>

function isXPriced({ X_PRICES: prices, X_API_URL: url }: Variables): boolean {
  return prices ? prices === 'published' : url !== undefined && isXItself(url)
}

/** Null if X is not configured: its features are hidden. */
function xOf(v: Variables) {
  if (!v.X_API_URL) return null
  return {
    apiUrl: v.X_API_URL.replace(/\/$/, ''),
    clientId: v.X_CLIENT_ID ?? '',
    clientSecret: v.X_CLIENT_SECRET ?? null,
    /** Verifies webhook calls from X. Null: poll X only. */
    consumerSecret: v.X_CONSUMER_SECRET ?? null,
    /** The app's own token, which registers the webhook. */
    bearerToken: v.X_BEARER_TOKEN ?? null,
    isPriced: isXPriced(v),
  }
}

/** Null if Google is not configured: its sign-in is hidden. */
function googleOf(v: Variables) {
  if (!v.GOOGLE_CLIENT_ID) return null
  return {
    issuer: (v.GOOGLE_ISSUER ?? 'https://accounts.google.com').replace(/\/$/, ''),
    clientId: v.GOOGLE_CLIENT_ID,
    clientSecret: v.GOOGLE_CLIENT_SECRET ?? '',
  }
}

/** Null if payments are not configured: nothing can be bought. */
function paymentsOf(v: Variables) {
  if (!v.STRIPE_SECRET_KEY) return null
  return {
    apiUrl: (v.STRIPE_API_URL ?? 'https://api.stripe.com').replace(/\/$/, ''),
    secretKey: v.STRIPE_SECRET_KEY,
    /** Secret of a webhook registered by hand. Null: the server registers its own. */
    webhookSecret: v.STRIPE_WEBHOOK_SECRET ?? null,
    /** Payment links of the built-in plans; null: bought through a checkout session. */
    links: {
      pro_monthly: v.STRIPE_LINK_PRO_MONTHLY ?? null,
      pro_yearly: v.STRIPE_LINK_PRO_YEARLY ?? null,
      agency_monthly: v.STRIPE_LINK_AGENCY_MONTHLY ?? null,
      agency_yearly: v.STRIPE_LINK_AGENCY_YEARLY ?? null,
    } satisfies Record<PlanId, string | null>,
  }
}

function aiOf(v: Variables) {
  const [input, output] = [v.AI_INPUT_CENTS_PER_MILLION, v.AI_OUTPUT_CENTS_PER_MILLION]
  return {
    /** The model for workspaces without their own. Null: the built-in writer writes for them. */
    operator: v.AI_MODEL
      ? {
          kind: v.AI_PROVIDER,
          baseUrl: v.AI_BASE_URL?.replace(/\/+$/, '') ?? null,
          model: v.AI_MODEL,
          apiKey: v.AI_API_KEY ?? null,
          /** In cents per million tokens. Null: the known price, or none. */
          price: input === undefined || output === undefined ? null : { input, output },
        }
      : null,
    /** What a workspace may use of the operator's model per month, in cents, by plan. */
    allowances: { free: v.AI_CENTS_FREE, pro: v.AI_CENTS_PRO, agency: v.AI_CENTS_AGENCY },
    /** Whether workspaces may name models at private addresses. */
    allowsPrivateAddresses: v.AI_PRIVATE_ADDRESSES === 'on',
    timeoutSeconds: v.AI_TIMEOUT_SECONDS,
  }
}

const SECRET_MIN = 32

/**
 * Reads the secret of this DATA_DIR, or creates it. If two processes create it, the first wins.
 * @throws Error with what to do if the secret is missing or damaged
 */
function storedSecret(dataDir: string): string {
  openDataDir(dataDir)
  const path = join(dataDir, 'auth-secret')
  if (!existsSync(path)) {
    const database = join(dataDir, 'database.json')
    if (existsSync(database))
      throw new Error(
        `${path} is missing, but the database in DATA_DIR is encrypted with it. Restore the file, set AUTH_SECRET to its content, ` +
          'or restore a backup: npm run restore FILE -- --overwrite',
      )
    const draft = `${path}.${randomBytes(6).toString('hex')}`
    writePrivate(draft, randomBytes(48).toString('base64url'))
    try {
      linkSync(draft, path)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    } finally {
      unlinkSync(draft)
    }
  }
  chmodSync(path, 0o600)
  const secret = readFileSync(path, 'utf8').trim()
  if (secret.length < SECRET_MIN)
    throw new Error(
      `${path} does not contain a secret. Restore it, or delete it: then everyone must log in and connect X again.`,
    )
  return secret
}

/** Whether a host is on loopback, where stand-ins listen. */
function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '[::1]' || /^127\./.test(host)
}

/** Whether a text names a resolver in the format of node:dns: `1.1.1.1`, `127.0.0.1:5353`, `[2606:4700::1111]:53`. */
function isResolver(text: string): boolean {
  const [, address = '', port] = /^\[?([^\]]+?)\]?(?::(\d{1,5}))?$/.exec(text) ?? []
  return isIP(text) !== 0 || (isIP(address) !== 0 && Number(port ?? 53) <= 65_535)
}

function isProxyList(text: string): boolean {
  if (text === 'off') return true
  const names = ['loopback', 'linklocal', 'uniquelocal']
  return text.split(',').every((part) => {
    const [address = '', bits, ...more] = part.trim().split('/')
    const version = isIP(address)
    if (version === 0) return names.includes(part.trim())
    return (
      more.length === 0 &&
      (bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (version === 4 ? 32 : 128)))
    )
  })
}
