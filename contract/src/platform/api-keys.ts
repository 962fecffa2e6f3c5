import { z } from 'zod'
import { Id, Moment, requiredText, Time } from '../fields.ts'
import { routes, SCOPES } from '../route.ts'

const route = routes('API keys')

/** Prefix of API keys, so that leaked ones can be recognized. */
export const API_KEY_PREFIX = 'xa_live_'
/** Maximum number of API keys per workspace. */
export const API_KEYS_MAX = 50
const API_KEY_NAME_MAX = 100

const Scopes = z.array(z.enum(SCOPES))

/** A token for programs. It acts with a member's role, but only within its scopes. */
export const ApiKey = z.object({
  id: z.string(),
  name: z.string(),
  /** The first 12 characters of the key. */
  start: z.string(),
  scopes: Scopes,
  /** `plan`: the workspace's plan has no API access. `suspended`: the key waits until an admin adopts it. */
  status: z.enum(['active', 'expired', 'plan', 'suspended']),
  /** Who created or adopted the key, and on whose behalf it acts. Null if that account was deleted. */
  createdBy: z.object({ id: z.string(), name: z.string() }).nullable(),
  createdAt: Time,
  /** Null: the key never expires. */
  expiresAt: Time.nullable(),
  /** Rounded to the minute. */
  lastUsedAt: Time.nullable(),
  /** When the key is or was suspended because no admin adopted it. */
  suspendedAt: Time.nullable(),
})
export type ApiKey = z.output<typeof ApiKey>

export const apiKeys = {
  list: route('GET /api-keys', 'admin', 'none', { summary: 'List the API keys of the workspace, newest first' }).output(
    z.object({ keys: z.array(ApiKey) }),
  ),

  create: route('POST /api-keys', 'admin', 'unkeyed', {
    summary: 'Create an API key',
    description: `Requires a recent reauthentication, and notifies the owner. Returns the key, which is shown only once. At most ${API_KEYS_MAX} keys. They need the Agency plan.`,
    errors: ['PLAN_LIMIT', 'REAUTHENTICATION_NEEDED', 'TOO_MANY'],
  })
    .input(
      z.strictObject({
        name: requiredText(API_KEY_NAME_MAX),
        scopes: Scopes.min(1, 'Choose at least one scope.')
          .max(SCOPES.length)
          .refine((scopes) => new Set(scopes).size === scopes.length, 'must not name a scope twice'),
        expiresAt: Moment.nullish(),
      }),
    )
    .output(ApiKey.extend({ key: z.string() })),

  adopt: route('POST /api-keys/{id}/adopt', 'admin', 'rows', {
    summary: 'Adopt an API key that is or will be suspended',
    description:
      'A key is suspended when its creator is no longer an admin. The adopted key works again and acts for you. Notifies the owner.',
    errors: ['API_KEY_NOT_FOUND', 'API_KEY_STATE'],
  })
    .input(z.strictObject({ id: Id }))
    .output(ApiKey),

  remove: route('DELETE /api-keys/{id}', 'admin', 'rows', {
    summary: 'Delete an API key, which ends its access immediately',
    errors: ['API_KEY_NOT_FOUND'],
  }).input(z.strictObject({ id: Id })),
}
