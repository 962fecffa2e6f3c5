import { Readable } from 'node:stream'
import { IMPORT_MAX_BYTES, LeadFilter } from '@x-automated/contract/leads'
import { stringify } from 'csv-stringify'
import type { FastifyInstance } from 'fastify'
import type { Services } from '../app.ts'
import { importLeads, type LeadRow, readAll } from '../domains/leads/service.ts'
import { importSuppressions } from '../domains/suppressions/service.ts'
import { Refusal } from '../refusal.ts'
import { BODY_SECONDS_MAX } from './body-time.ts'
import { openUploads } from './csv-uploads.ts'
import { signedIn } from './signed-in.ts'

/**
 * What comes and goes as text/csv: POST /api/leads/import and GET /api/leads/export with the specification's column names (§3),
 * and POST /api/suppressions/import.
 */
export function serveLeadFiles(app: FastifyInstance, services: Services): void {
  const uploads = openUploads()
  app.register(async (files) => {
    // The body comes as it is sent; what it is, the handler finds out once it knows who sends it.
    files.removeAllContentTypeParsers()
    files.addContentTypeParser('*', (_request, body, done) => done(null, body))

    const options = { bodyLimit: IMPORT_MAX_BYTES, config: { bodySeconds: BODY_SECONDS_MAX } }
    files.post('/api/leads/import', options, async (request) => {
      const actor = await signedIn(services, request, 'member')
      return uploads.receive(request, actor.userId, (records) => importLeads(services.database.db, actor, records))
    })
    files.post('/api/suppressions/import', options, async (request) => {
      const actor = await signedIn(services, request, 'member')
      return uploads.receive(request, actor.userId, (records) =>
        importSuppressions(services.database.db, actor, records),
      )
    })
  })

  app.get('/api/leads/export', { exposeHeadRoute: false }, async (request, reply) => {
    const actor = await signedIn(services, request, 'viewer')
    const filter = LeadFilter.safeParse(request.query)
    if (!filter.success) {
      const details = filter.error.issues.map((issue) => ({ field: issue.path.join('.'), problem: issue.message }))
      throw new Refusal('INVALID_INPUT', `${details[0]?.field}: ${details[0]?.problem}`, { details })
    }
    const lines = stringify({
      header: true,
      bom: true,
      columns: [...EXPORT_COLUMNS],
      // A cell that begins like a formula would run in a spreadsheet; an import takes the guard off again.
      escape_formulas: true,
      record_delimiter: 'windows',
    })
    const rows = Readable.from(rowsOf(readAll(services.database.db, actor, filter.data)))
    rows.on('error', (error) => lines.destroy(error))
    lines.on('close', () => rows.destroy())
    return reply
      .type('text/csv; charset=utf-8')
      .header('content-disposition', 'attachment; filename="leads.csv"')
      .send(rows.pipe(lines))
  })
}

/** In the order of the specification's entity. */
const EXPORT_COLUMNS = [
  'id',
  'name',
  'twitter_handle',
  'bio',
  'follower_count',
  'following_count',
  'source_profile',
  'url',
  'profile_image_url',
  'location',
  'website',
  'metadata',
  'dm_status',
  'created_at',
  'updated_at',
] as const

async function* rowsOf(
  batches: AsyncIterable<LeadRow[]>,
): AsyncGenerator<Record<(typeof EXPORT_COLUMNS)[number], unknown>> {
  for await (const batch of batches) {
    for (const lead of batch) {
      yield {
        id: lead.id,
        name: lead.name,
        twitter_handle: lead.twitterHandle,
        bio: lead.bio,
        follower_count: lead.followerCount,
        following_count: lead.followingCount,
        source_profile: lead.sourceProfile,
        url: lead.url,
        profile_image_url: lead.profileImageUrl,
        location: lead.location,
        website: lead.website,
        metadata: Object.keys(lead.metadata).length > 0 ? JSON.stringify(lead.metadata) : '',
        dm_status: lead.dmStatus,
        created_at: lead.createdAt.toISOString(),
        updated_at: lead.updatedAt.toISOString(),
      }
    }
  }
}
