import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { z } from 'zod'
import { startGoogle } from './google.ts'
import { startMailbox } from './mailbox.ts'
import { startPayments } from './payments.ts'
import { startSso } from './sso.ts'
import { startX } from './x.ts'

/**
 * Runs every stand-in as one process, for `npm start`. It writes their addresses to `DATA_DIR/stand-ins.json`, tells its
 * parent `{ type: 'ready', x, google, sso, dns, payments, paymentsSecretKey, paymentLinks, mailbox, smtp, xClientId, xClientSecret, xConsumerSecret, xBearerToken, googleClientId, googleClientSecret }`,
 * and ends with its parent or on SIGTERM.
 */
const env = z
  .object({
    DATA_DIR: z.string().default('.data'),
    PORT: z.string().default('3000'),
    PUBLIC_URL: z.url().optional(),
    STAND_IN_X_LIMITS: z.enum(['off', 'real']).default('off'),
    X_CLIENT_ID: z.string().min(1).optional(),
    X_CLIENT_SECRET: z.string().min(1).optional(),
    X_CONSUMER_SECRET: z.string().min(1).optional(),
    X_BEARER_TOKEN: z.string().min(1).optional(),
    GOOGLE_CLIENT_ID: z.string().min(1).optional(),
    GOOGLE_CLIENT_SECRET: z.string().min(1).optional(),
  })
  .parse(process.env)

const dataDir = resolve(env.DATA_DIR)
const stateDir = join(dataDir, 'stand-ins')
const addressFile = join(dataDir, 'stand-ins.json')
mkdirSync(stateDir, { recursive: true, mode: 0o700 })

// The addresses of last time, so that bookmarks and open tabs keep working.
const last = lastAddresses()
const x = await onPort(last.x, (port) =>
  startX({
    port,
    stateDir,
    limits: env.STAND_IN_X_LIMITS,
    clientId: env.X_CLIENT_ID,
    clientSecret: env.X_CLIENT_SECRET,
    consumerSecret: env.X_CONSUMER_SECRET,
    bearerToken: env.X_BEARER_TOKEN,
  }),
)
const google = await onPort(last.google, (port) =>
  startGoogle({ port, stateDir, clientId: env.GOOGLE_CLIENT_ID, clientSecret: env.GOOGLE_CLIENT_SECRET }),
)
const sso = await onPort(last.sso, (port) => startSso({ port, stateDir }))
const origin = (env.PUBLIC_URL ?? `http://localhost:${env.PORT}`).replace(/\/$/, '')
const payments = await onPort(last.payments, (port) =>
  startPayments({ port, stateDir, returnUrl: `${origin}/billing?checkout=success` }),
)
const mailbox = await onPort(last.mailbox, (port) => startMailbox({ port, stateDir }))

writeFileSync(
  `${addressFile}.next`,
  `${JSON.stringify({ x: x.url, google: google.url, sso: sso.url, payments: payments.url, mailbox: mailbox.url }, null, 2)}\n`,
  {
    mode: 0o600,
  },
)
renameSync(`${addressFile}.next`, addressFile)

let stopping = false
async function stop() {
  if (stopping) return
  stopping = true
  await Promise.all([x.close(), google.close(), sso.close(), payments.close(), mailbox.close()])
  process.exit(0)
}

process.once('disconnect', stop)
process.once('SIGTERM', stop)
// Ctrl+C reaches a parent and its children together. The parent still needs X while it finishes what is in flight, so with
// a parent the stand-ins wait until it lets go of them.
process.on('SIGINT', () => {
  if (!process.connected) stop()
})

process.send?.({
  type: 'ready',
  x: x.url,
  google: google.url,
  sso: sso.url,
  dns: sso.dns,
  payments: payments.url,
  paymentsSecretKey: payments.secretKey,
  paymentLinks: payments.links,
  mailbox: mailbox.url,
  smtp: mailbox.smtpUrl,
  xClientId: x.clientId,
  xClientSecret: x.clientSecret,
  xConsumerSecret: x.consumerSecret,
  xBearerToken: x.bearerToken,
  googleClientId: google.clientId,
  googleClientSecret: google.clientSecret,
})

function lastAddresses(): { x?: string; google?: string; sso?: string; payments?: string; mailbox?: string } {
  const address = z.url().optional()
  const Addresses = z.object({ x: address, google: address, sso: address, payments: address, mailbox: address })
  try {
    return Addresses.parse(JSON.parse(readFileSync(addressFile, 'utf8')))
  } catch {
    return {}
  }
}

async function onPort<Started>(
  lastUrl: string | undefined,
  start: (port: number) => Promise<Started>,
): Promise<Started> {
  const port = lastUrl === undefined ? 0 : Number(new URL(lastUrl).port)
  try {
    return await start(port)
  } catch (error) {
    if (port === 0 || (error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error
    return start(0)
  }
}
