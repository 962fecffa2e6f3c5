import { PassThrough } from 'node:stream'
import { ERROR_STATUS } from '@x-automated/contract/errors'
import { QueryFlag, text } from '@x-automated/contract/fields'
import { BASIS_SOURCE_MAX } from '@x-automated/contract/leads/lead-limits'
import { CONTACT_BASES, IMPORT_MAX_BYTES, LeadExportQuery } from '@x-automated/contract/leads/leads'
import { LIST_NAME_MAX } from '@x-automated/contract/leads/lists'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { z } from 'zod'
import type { Actor } from '../actor.ts'
import type { ImportSource } from '../core/people/import.ts'
import { resolveFilter } from '../core/people/selection.ts'
import { importSuppressions } from '../core/people/suppression.ts'
import { run } from '../domains/leads/imports/imports.ts'
import { type LeadRow, readAll } from '../domains/leads/leads/leads.ts'
import { asRefusal } from '../operations.ts'
import { Refusal } from '../refusal.ts'
import type { Services } from '../services.ts'
import { BODY_SECONDS_MAX } from './body-time.ts'
import { csvOf } from './csv-download.ts'
import { openUploads, type Upload } from './csv-uploads.ts'
import { envelopeOf } from './envelope.ts'
import { onlyExport } from './one-export.ts'
import { readInput } from './read-input.ts'
import { signedIn } from './signed-in.ts'

/** Minimum speed of uploads: slower than any connection used for them. */
const UPLOAD_BYTES_PER_SECOND = 4 * 1024

/** POST /api/leads/import, GET /api/leads/export and POST /api/suppressions/import. */
export function serveLeadFiles(app: FastifyInstance, services: Services): void {
  const uploads = openUploads(services.database.requestsMax)
  app.addHook('onClose', () => uploads.close())
  app.register(async (files) => {
    // Keep the body as a stream until the handler has authenticated the client.
    files.removeAllContentTypeParsers()
    files.addContentTypeParser('*', (_request, body, done) => done(null, body))

    const limits = {
      bodyLimit: IMPORT_MAX_BYTES,
      config: { bodySeconds: BODY_SECONDS_MAX, bodyBytesPerSecond: UPLOAD_BYTES_PER_SECOND },
    }
    files.post('/api/leads/import', limits, async (request, reply) => {
      const { actor } = await signedIn(services, [request, reply], 'member', 'leads:write')
      const options = readOptions(request.query)
      const needs = { ...services, database: forFiles(services, actor) }
      if (!/\bapplication\/x-ndjson\b/.test(request.headers.accept ?? ''))
        return uploads.receive(request, actor, (upload) => run(needs, actor, leadsIn(upload), options))
      // An NDJSON client gets the import's id, its progress and the result. The import continues if
      // the client disconnects.
      return new Promise((resolve, refuse) => {
        const lines = new PassThrough()
        const writeLine = (line: object) => void lines.write(`${JSON.stringify(line)}\n`)
        const take = async (upload: Upload) => {
          resolve(reply.type('application/x-ndjson').header('x-accel-buffering', 'no').send(lines))
          try {
            const result = await run(needs, actor, leadsIn(upload), {
              ...options,
              onBegun: (id) => writeLine({ import: { id } }),
              onProgress: (progress) => writeLine({ progress }),
            })
            writeLine({ result })
          } catch (error) {
            writeLine({ failure: failureOf(request, error) })
          }
          lines.end()
        }
        uploads.receive(request, actor, take).catch(refuse)
      })
    })
    files.post('/api/suppressions/import', limits, async (request, reply) => {
      const { actor } = await signedIn(services, [request, reply], 'member', 'suppressions:write')
      const { columns, header: hasHeader } = readInput(SuppressionQuery, request.query)
      const { db } = forFiles(services, actor)
      return uploads.receive(request, actor, (upload) =>
        upload.inTurn(() =>
          importSuppressions({ ...services, db }, actor, () =>
            upload.read({ domain: 'suppressions', columns, hasHeader }),
          ),
        ),
      )
    })
  })

  app.get('/api/leads/export', { exposeHeadRoute: false }, async (request, reply) => {
    const caller = await signedIn(services, [request, reply], 'viewer', 'leads:read')
    const { actor, database } = caller
    // Resolve the filter before the response starts, so that a refusal still gets its status.
    const filter = await resolveFilter(database.db, actor, readInput(LeadExportQuery, request.query))
    const file = await onlyExport(caller, () => csvOf(COLUMNS, readAll(database.db, actor, filter)))
    return reply
      .type('text/csv; charset=utf-8')
      .header('content-disposition', 'attachment; filename="leads.csv"')
      .send(file)
  })
}

/** The database for files. Each file takes a connection for minutes; `uploads` limits how many do. */
const forFiles = ({ database }: Services, { workspaceId }: Actor) =>
  database.for({ workspaceId, operation: 'import', isUnjudged: true })

const leadsIn = (upload: Upload): ImportSource => ({
  ...upload,
  read: (columns) => upload.read({ domain: 'leads', columns }),
})

/** The meaning of each column as a JSON list. */
const ColumnNames = z
  .string()
  .max(30_000)
  .transform((json, context) => {
    try {
      return JSON.parse(json) as unknown
    } catch {
      context.addIssue('must be a JSON list')
      return z.NEVER
    }
  })
  .pipe(z.array(z.string().max(200)).max(200))

const SuppressionQuery = z.object({ columns: ColumnNames.optional(), header: QueryFlag.optional() })

/** The columns, the default contact basis, the file's name, and the name of a list for its leads. */
const ImportQuery = z.object({
  columns: ColumnNames.optional(),
  basis: z.enum(CONTACT_BASES).optional(),
  basisSource: text(BASIS_SOURCE_MAX).optional(),
  fileName: text(255).optional(),
  listName: text(LIST_NAME_MAX).optional(),
})

function readOptions(query: unknown) {
  const { columns, basis, basisSource, fileName, listName } = readInput(ImportQuery, query)
  return {
    columns,
    fileName,
    listName,
    basis: basis && basis !== 'none' ? { basis, source: basisSource || null } : null,
  }
}

/** A failure after the response has started: the status and body it would have had. */
function failureOf({ log }: FastifyRequest, error: unknown) {
  const refusal = asRefusal(error)
  if (!refusal) log.error({ err: error }, 'import failed')
  const body = envelopeOf(refusal ?? new Refusal('INTERNAL'))
  return { status: ERROR_STATUS[body.code], body }
}

/** Columns of an export. Imports accept the same names. */
const COLUMNS: Record<string, (lead: LeadRow & { tags: string[] }) => unknown> = {
  id: (lead) => lead.id,
  name: (lead) => lead.name,
  twitter_handle: (lead) => lead.twitterHandle,
  bio: (lead) => lead.bio,
  follower_count: (lead) => lead.followerCount,
  following_count: (lead) => lead.followingCount,
  source_profile: (lead) => lead.sourceProfile,
  url: (lead) => lead.url,
  profile_image_url: (lead) => lead.profileImageUrl,
  location: (lead) => lead.location,
  website: (lead) => lead.website,
  metadata: (lead) => (Object.keys(lead.metadata).length > 0 ? JSON.stringify(lead.metadata) : ''),
  tags: (lead) => lead.tags.join(', '),
  basis: (lead) => (lead.basis === 'none' ? '' : lead.basis),
  basis_at: (lead) => lead.basisAt?.toISOString(),
  basis_source: (lead) => lead.basisSource,
  dm_status: (lead) => lead.dmStatus,
  created_at: (lead) => lead.createdAt.toISOString(),
  updated_at: (lead) => lead.updatedAt.toISOString(),
}
