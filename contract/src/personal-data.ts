import { z } from 'zod'
import { Success } from './fields.ts'
import { route } from './route.ts'

export const personalData = {
  remove: route({
    method: 'DELETE',
    path: '/auth/user',
    tag: 'Account',
    summary: 'Delete the account, at once and for good',
    description:
      'With its own workspace and all that is in it; a place on the waitlist stays as an anonymous one. ' +
      'Needs its address as confirmation, and the current password or a fresh reauthentication. GET /auth/user/export makes an archive before.',
    access: 'viewer',
    effect: 'unkeyed',
    errors: ['REAUTHENTICATION_NEEDED', 'INVALID_CREDENTIALS'],
  })
    .input(
      z.strictObject({ confirmation: z.string().max(300), currentPassword: z.string().min(1).max(1000).optional() }),
    )
    .output(Success),
}
