import { z } from 'zod'
import { NoInput, requiredText, Success, Time } from './fields.ts'
import { route } from './route.ts'

export const XConnection = z.object({
  connected: z.boolean(),
  /** Null: never. */
  lastConnected: Time.nullable(),
  /** Without the @. */
  handle: z.string().nullable(),
  /** Sign-in methods that the configured X offers. */
  methods: z.array(z.enum(['password', 'oauth'])),
  /** Why a connection was lost, as a text to show. */
  reason: z.string().nullable(),
})
export type XConnection = z.output<typeof XConnection>

export const xAccount = {
  status: route({
    method: 'GET',
    path: '/session/status',
    tag: 'X connection',
    summary: 'Is an X account connected?',
    access: 'viewer',
    effect: 'none',
  }).output(XConnection),

  connect: route({
    method: 'POST',
    path: '/session/connect',
    tag: 'X connection',
    summary: 'Connect an X account by user name and password',
    description:
      'Offered only where the configured X has a password grant. The password goes to X and is never stored.',
    access: 'admin',
    effect: 'outside',
    errors: ['X_CREDENTIALS_REFUSED', 'X_UNAVAILABLE'],
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

  disconnect: route({
    method: 'POST',
    path: '/session/disconnect',
    tag: 'X connection',
    summary: 'Disconnect the X account and revoke its tokens',
    access: 'admin',
    effect: 'outside',
  })
    .input(NoInput)
    .output(Success.extend({ message: z.string() })),
}
