import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { z } from 'zod'
import { startGoogle } from './google.ts'
import { startMailbox } from './mailbox.ts'
import { startModel } from './model.ts'
import { startPayments } from './payments.ts'
import { startSso } from './sso.ts'
import { startX } from './x.ts'

/**
 * This program runs all stand-ins in one process for `npm start`, until its parent ends or it gets
 * SIGTERM. It reports their addresses in `DATA_DIR/stand-ins.json` and in a `ready` message.
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
/** How long to wait for the stand-ins of a previous start to close. */
const PORT_PATIENCE_MS = 3_000
const Addresses = z.object({
  x: z.url(),
  google: z.url(),
  sso: z.url(),
  dns: z.string().regex(/^[\d.]+:\d+$/),
  payments: z.url(),
  model: z.url(),
  mailbox: z.url(),
  smtp: z.url(),
})

const { x, google, sso, payments, model, mailbox, addresses } = await openAll().catch((error: Error) => {
  console.error(`Could not start the stand-ins. ${error.message}`)
  process.exit(1)
})

let stopping = false
async function stop() {
  if (stopping) return
  stopping = true
  await Promise.all([x.close(), google.close(), sso.close(), payments.close(), model.close(), mailbox.close()])
  process.exit(0)
}

process.once('disconnect', stop)
process.once('SIGTERM', stop)
// Ctrl-C signals parent and children together. The parent needs X to finish its sends, so the
// stand-ins wait until it disconnects.
process.on('SIGINT', () => {
  if (!process.connected) stop()
})

process.send?.(
  {
    type: 'ready',
    ...addresses,
    paymentsSecretKey: payments.secretKey,
    paymentLinks: payments.links,
    modelKey: model.key,
    xClientId: x.clientId,
    xClientSecret: x.clientSecret,
    xConsumerSecret: x.consumerSecret,
    xBearerToken: x.bearerToken,
    googleClientId: google.clientId,
    googleClientSecret: google.clientSecret,
  },
  (error) => {
    // The parent has already ended.
    if (error) stop()
  },
)

/** Returns the port of an address, or 0 (any free port) without an address. */
function portOf(address: string | undefined): number {
  return Number(address?.split(':').at(-1) ?? 0)
}

async function openAll() {
  mkdirSync(stateDir, { recursive: true, mode: 0o700 })

  // Reuses the previous ports so that bookmarks and open tabs keep working.
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
  const sso = await onPort(last.sso, (port) => startSso({ port, dnsPort: port && portOf(last.dns), stateDir }))
  const origin = (env.PUBLIC_URL ?? `http://localhost:${env.PORT}`).replace(/\/$/, '')
  const payments = await onPort(last.payments, (port) =>
    startPayments({ port, stateDir, returnUrl: `${origin}/billing?checkout=success` }),
  )
  const model = await onPort(last.model?.replace(/\/v1$/, ''), (port) => startModel({ port }))
  const mailbox = await onPort(last.mailbox, (port) =>
    startMailbox({ port, smtpPort: port && portOf(last.smtp), stateDir }),
  )

  const addresses: z.infer<typeof Addresses> = {
    x: x.url,
    google: google.url,
    sso: sso.url,
    dns: sso.dns,
    payments: payments.url,
    model: model.url,
    mailbox: mailbox.url,
    smtp: mailbox.smtpUrl,
  }
  writeFileSync(`${addressFile}.next`, `${JSON.stringify(addresses, null, 2)}\n`, { mode: 0o600 })
  renameSync(`${addressFile}.next`, addressFile)
  return { x, google, sso, payments, model, mailbox, addresses }
}

function lastAddresses(): Partial<z.infer<typeof Addresses>> {
  try {
    return Addresses.partial().parse(JSON.parse(readFileSync(addressFile, 'utf8')))
  } catch {
    return {}
  }
}

async function onPort<Started>(
  lastUrl: string | undefined,
  start: (port: number) => Promise<Started>,
): Promise<Started> {
  const port = portOf(lastUrl)
  const until = Date.now() + PORT_PATIENCE_MS
  for (;;) {
    try {
      return await start(port)
    } catch (error) {
      if (port === 0 || (error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error
      if (Date.now() > until) return start(0)
      await sleep(100)
    }
  }
}
