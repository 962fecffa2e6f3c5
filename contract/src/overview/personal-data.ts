import { z } from 'zod'
import { Success } from '../fields.ts'
import { routes } from '../route.ts'

const route = routes('Account')

export const personalData = {
  remove: route('DELETE /auth/user', 'viewer', 'unkeyed', {
    summary: 'Delete the account immediately and permanently',
    description:
      'Also deletes its own workspace with all its data. Its waitlist position is kept, but anonymized. ' +
      'Requires its email address as confirmation, and the current password or a recent reauthentication. Use GET /auth/user/export first to download an archive.',
    successStatus: 200,
    errors: ['REAUTHENTICATION_NEEDED', 'INVALID_CREDENTIALS'],
  })
    .input(
      z.strictObject({ confirmation: z.string().max(300), currentPassword: z.string().min(1).max(1000).optional() }),
    )
    .output(Success),
}
