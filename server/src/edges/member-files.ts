import { Readable } from 'node:stream'
import { stringify } from 'csv-stringify'
import type { FastifyInstance } from 'fastify'
import { authenticateOperator } from '../domains/identity/auth/service.ts'
import { type ExportedMember, startExport } from '../domains/overview/operator/service.ts'
import type { Services } from '../services.ts'

/** GET /api/operator/members/export: every member as CSV. 404 for everyone but operators. */
export function serveMemberFiles(app: FastifyInstance, services: Services): void {
  app.get('/api/operator/members/export', { exposeHeadRoute: false }, async (request, reply) => {
    const { db } = services.database
    const actor = await authenticateOperator({ ...services, db }, request.headers.authorization ?? null)
    services.limits.countCall(actor.userId)
    const { total, batches } = await startExport({ db, log: request.log }, actor.userId)
    const lines = stringify({
      header: true,
      bom: true,
      columns: [...COLUMNS],
      // Spreadsheets would run a cell that looks like a formula.
      escape_formulas: true,
      record_delimiter: 'windows',
    })
    const rows = Readable.from(rowsOf(batches))
    rows.on('error', (error) => lines.destroy(error))
    lines.on('close', () => rows.destroy())
    return (
      reply
        .type('text/csv; charset=utf-8')
        .header('content-disposition', 'attachment; filename="members.csv"')
        // For progress bars. Members may join during the export.
        .header('x-total-count', String(total))
        .send(rows.pipe(lines))
    )
  })
}

/** Columns of the export. */
const COLUMNS = [
  'id',
  'email',
  'referral_code',
  'referred_by',
  'signup_date',
  'position',
  'achievements',
  'referral_count',
  'country',
  'joined_at',
  'confirmed_at',
  'invited_at',
] as const

async function* rowsOf(
  batches: AsyncIterable<ExportedMember[]>,
): AsyncGenerator<Record<(typeof COLUMNS)[number], unknown>> {
  for await (const batch of batches) {
    for (const { member, referralCount } of batch) {
      yield {
        id: member.id,
        email: member.email,
        referral_code: member.referralCode,
        referred_by: member.referredBy,
        signup_date: member.signupDate.toISOString(),
        position: member.position,
        achievements: member.achievements.join(' '),
        referral_count: referralCount ?? 0,
        country: member.country,
        joined_at: member.joinedAt?.toISOString(),
        confirmed_at: member.confirmedAt?.toISOString(),
        invited_at: member.invitedAt?.toISOString(),
      }
    }
  }
}
