import { z } from 'zod'
import { Id, NoInput, requiredText, Success, Time } from '../fields.ts'
import { routes } from '../route.ts'

const route = routes('X connection')

/** Sources that a scrape can read: profiles around a handle, a post or a list, or given handles. */
export const X_SOURCES = ['followers', 'following', 'likers', 'repliers', 'list_members', 'handles'] as const
export type XSource = (typeof X_SOURCES)[number]

export const XConnection = z.object({
  connected: z.boolean(),
  /** Null if never. */
  lastConnected: Time.nullable(),
  /** Without the @. */
  handle: z.string().nullable(),
  /** Sign-in methods that the configured X supports. */
  methods: z.array(z.enum(['password', 'oauth'])),
  /** Types of scrapes that the configured X supports. */
  sources: z.array(z.enum(X_SOURCES)),
  /** X's price per profile read, in cents; 0 if free. */
  readPriceCents: z.number(),
  /** Why the connection was lost, as text. */
  reason: z.string().nullable(),
})
export type XConnection = z.output<typeof XConnection>

/** One X account of the workspace. */
export const XAccount = z.object({
  id: z.string(),
  /** Without the @. */
  handle: z.string(),
  /** Like `pictureUrl` of `Lead`. */
  pictureUrl: z.string().nullable(),
  /** As of the last connect or refresh; null if unknown. */
  followerCount: z.number().int().nullable(),
  /** `lost`: X no longer accepts our connection. `reason` says why. */
  status: z.enum(['connected', 'lost']),
  reason: z.string().nullable(),
  /** The default account for scrapes and campaigns. */
  isCurrent: z.boolean(),
  lastConnected: Time.nullable(),
  /**
   * Whether texts of the account's conversations with leads are stored. Null, which means no, until
   * someone decides.
   */
  storesConversations: z.boolean().nullable(),
  /** Who consented, and when; null if texts are not stored. */
  consent: z.object({ by: z.object({ id: z.string(), name: z.string() }), at: Time }).nullable(),
  /** Whether the inbox suggests unknown senders as leads. */
  offersUnknownSenders: z.boolean(),
  /** Whether the caller connected the account. Only that person may consent. */
  isConnectedByCaller: z.boolean(),
})
export type XAccount = z.output<typeof XAccount>

/** Messages of an X account's conversations whose text is not stored and can be read from X. */
export const MissingTexts = z.object({
  messages: z.number().int(),
  /** Conversations that contain these messages. X is asked once for each. */
  conversations: z.number().int(),
  /** The most that X can charge for reading them; null if it charges nothing. */
  costCents: z.number().int().nullable(),
})
export type MissingTexts = z.output<typeof MissingTexts>

/** Outcomes in the callback's `x` parameter. `shared`: another workspace has connected the account, too. */
export const X_CALLBACK_OUTCOMES = [
  'connected',
  'shared',
  'cancelled',
  'failed',
  'unavailable',
  'limit',
  'forbidden',
] as const
export type XCallbackOutcome = (typeof X_CALLBACK_OUTCOMES)[number]

const connectionErrors = ['X_CREDENTIALS_REFUSED', 'X_UNAVAILABLE', 'PLAN_LIMIT'] as const

export const xAccount = {
  status: route('GET /session/status', 'viewer', 'none', { summary: 'Get the status of the current X account' }).output(
    XConnection,
  ),

  connect: route('POST /session/connect', 'admin', 'outside', {
    summary: 'Connect an X account with username and password',
    description:
      'Only available if the configured X has a password grant. The password is passed to X and never stored.',
    errors: connectionErrors,
  })
    .input(
      z.strictObject({
        username: requiredText(50, 'Please enter both username and password').refine(
          (name) => !name.includes('@'),
          'Please enter your Twitter username without the @ symbol',
        ),
        password: z.string().min(1, 'Please enter both username and password').max(500),
      }),
    )
    .output(Success.extend({ message: z.string() })),

  authorize: route('POST /session/authorize', 'admin', 'unkeyed', {
    summary: "Connect an X account on X's own page",
    description:
      'Returns the URL of that page (OAuth 2.0 with PKCE) and sets a cookie that GET /session/callback requires. Works once, within 10 minutes.',
    errors: ['X_UNAVAILABLE', 'PLAN_LIMIT'],
  })
    .input(NoInput)
    .output(z.object({ url: z.url() })),

  disconnect: route('POST /session/disconnect', 'admin', 'outside', {
    summary: 'Disconnect the current X account and revoke its tokens',
  })
    .input(NoInput)
    .output(Success.extend({ message: z.string() })),

  list: route('GET /x-accounts', 'viewer', 'none', {
    summary: 'List the X accounts of the workspace, the current one first',
  }).output(
    z.object({
      accounts: z.array(XAccount),
      /** Maximum number of connected accounts. */
      limit: z.number().int(),
      plan: z.enum(['free', 'pro', 'agency']),
    }),
  ),

  choose: route('POST /x-accounts/{id}/current', 'admin', 'rows', {
    summary: 'Make an X account the current one',
    description: 'Running jobs keep their account. A scrape that waits for a connection continues with this one.',
    errors: ['X_ACCOUNT_NOT_FOUND'],
  })
    .input(z.strictObject({ id: Id }))
    .output(XAccount),

  consent: route('PUT /x-accounts/{id}/consent', 'member', 'rows', {
    summary: 'Decide whether texts of conversations with leads are stored',
    description:
      'Only the person who connected the X account can allow it. Admins can also revoke it, which deletes the stored texts. Without consent, only the time and label of replies are kept.',
    errors: ['X_ACCOUNT_NOT_FOUND'],
  })
    .input(
      z.strictObject({
        id: Id,
        storesConversations: z.boolean(),
        offersUnknownSenders: z.boolean(),
        /** With `storesConversations`, also reads the missing texts from X, for at most `costCents` of `missingTexts`. */
        readsBack: z.boolean().optional(),
      }),
    )
    .output(XAccount),

  missingTexts: route('GET /x-accounts/{id}/missing-texts', 'member', 'none', {
    summary: 'Count the messages whose text X still has and the workspace does not',
    description: 'These are messages of the last 30 days that were stored without consent.',
    errors: ['X_ACCOUNT_NOT_FOUND'],
  })
    .input(z.strictObject({ id: Id }))
    .output(MissingTexts),

  check: route('POST /x-accounts/{id}/check', 'member', 'outside', {
    summary: 'Check whether X still accepts the connection',
    description: 'If X accepts a lost account again, this restores its connection.',
    errors: ['X_ACCOUNT_NOT_FOUND', 'X_UNAVAILABLE', 'PLAN_LIMIT'],
  })
    .input(z.strictObject({ id: Id }))
    .output(XAccount),

  disconnectOne: route('POST /x-accounts/{id}/disconnect', 'admin', 'outside', {
    summary: 'Disconnect an X account and revoke its tokens',
    errors: ['X_ACCOUNT_NOT_FOUND'],
  })
    .input(z.strictObject({ id: Id }))
    .output(Success.extend({ message: z.string() })),
}
