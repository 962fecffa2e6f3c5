import type { FastifyInstance } from 'fastify'
import { authenticateOperator } from '../domains/identity/auth/caller.ts'
import { type ExportedMember, startExport } from '../domains/overview/operator/members.ts'
import type { Services } from '../services.ts'
import { csvOf } from './csv-download.ts'

/** GET /api/operator/members/export: every member as CSV. 404 for everyone but operators. */
export function serveMemberFiles(app: FastifyInstance, services: Services): void {
  app.get('/api/operator/members/export', { exposeHeadRoute: false }, async (request, reply) => {
    const { db } = services.database.for('public')
    const actor = await authenticateOperator({ ...services, db }, request.headers.authorization ?? null)
    services.limits.countCall(actor.userId)
    const { total, batches } = await startExport({ db, log: request.log }, actor.userId)
    return (
      reply
        .type('text/csv; charset=utf-8')
        .header('content-disposition', 'attachment; filename="members.csv"')
        // For progress bars. Members may join during the export.
        .header('x-total-count', String(total))
        .send(csvOf(COLUMNS, batches))
    )
  })
}

const COLUMNS: Record<string, (row: ExportedMember) => unknown> = {
  id: ({ member }) => member.id,
  email: ({ member }) => member.email,
  referral_code: ({ member }) => member.referralCode,
  referred_by: ({ member }) => member.referredBy,
  signup_date: ({ member }) => member.signupDate.toISOString(),
  position: ({ member }) => member.position,
  achievements: ({ member }) => member.achievements.join(' '),
  referral_count: ({ referralCount }) => referralCount ?? 0,
  country: ({ member }) => member.country,
  joined_at: ({ member }) => member.joinedAt?.toISOString(),
  confirmed_at: ({ member }) => member.confirmedAt?.toISOString(),
  invited_at: ({ member }) => member.invitedAt?.toISOString(),
}
