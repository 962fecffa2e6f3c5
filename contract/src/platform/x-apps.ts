import { z } from 'zod'
import { NoInput, requiredText, Time } from '../fields.ts'
import { routes } from '../route.ts'

const route = routes('X app')

/**
 * Messages that X allows an app in 24 hours, over all its users
 * (https://docs.x.com/x-api/fundamentals/rate-limits).
 */
export const X_APP_DAILY_LIMIT = 1_440

/**
 * The parts of an X app that X can refuse: the client id and secret, the bearer token, or our
 * webhook. A webhook fails if X may not call it, or if the consumer secret is wrong.
 */
export const X_APP_PROBLEMS = ['client', 'bearer_token', 'webhook'] as const
export type XAppProblem = (typeof X_APP_PROBLEMS)[number]

export const X_APP_PROBLEM_TEXT: Record<XAppProblem, string> = {
  client: 'X no longer accepts the client ID and secret. Replace them, or your accounts stop sending within two hours.',
  bearer_token: "X doesn't accept the bearer token, so it can't notify us of replies. We check for them instead.",
  webhook:
    "X couldn't verify our webhook, so it can't notify us of replies. Check the consumer secret, and whether the app has a free webhook.",
}

/** The X app that a workspace brought. Its secrets are never returned. */
export const XApp = z.object({
  id: z.string(),
  clientId: z.string(),
  /** The callback URI to enter for the app at X. */
  callbackUrl: z.url(),
  /** The address at which X reports replies. It is registered automatically. */
  webhookUrl: z.url(),
  /** Null if X accepts the app. */
  problem: z.enum(X_APP_PROBLEMS).nullable(),
  /** Messages that count toward the daily limit: claims of the last 24 hours, over all accounts of the app. */
  sentInDay: z.number().int(),
  /** Messages that X allows in 24 hours; null if X does not limit apps. */
  dailyLimit: z.number().int().nullable(),
  updatedAt: Time,
})
export type XApp = z.output<typeof XApp>

const disconnectsAccounts = z.boolean().default(false)

/** Returns a schema for a key of X: only printable ASCII, so that it can be sent in a header. */
const key = (max: number) =>
  requiredText(max).refine((text) => /^[ -~]*$/.test(text), 'has a character that no key of X has. Copy it again')
const secret = key(500)

export const xApp = {
  find: route('GET /x-app', 'owner', 'none', {
    summary: "Get the workspace's own X app",
    description: "Null: the workspace uses this server's app. `callbackUrl` is what an app of its own needs at X.",
  })
    .input(NoInput)
    .output(z.object({ app: XApp.nullable(), callbackUrl: z.url() })),

  save: route('PUT /x-app', 'owner', 'outside', {
    summary: 'Use an X app of your own, or replace its secrets',
    description:
      'X checks the credentials first. Tokens belong to the app that issued them, so another client ID disconnects every X account of the workspace. New secrets for the same client ID disconnect nothing.',
    errors: ['X_CREDENTIALS_REFUSED', 'X_APP_IN_USE', 'X_UNAVAILABLE'],
  })
    .input(
      z.strictObject({
        clientId: key(200),
        clientSecret: secret,
        consumerSecret: secret,
        bearerToken: secret,
        /** Confirms a new client id, even though it disconnects X accounts. */
        disconnectsAccounts,
      }),
    )
    .output(XApp),

  remove: route('DELETE /x-app', 'owner', 'outside', {
    summary: "Remove the workspace's own X app and return to this server's",
    description: 'Disconnects every X account of the workspace.',
    errors: ['X_APP_NOT_FOUND', 'X_APP_IN_USE'],
  }).input(z.strictObject({ disconnectsAccounts })),
}
