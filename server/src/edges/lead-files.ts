import { createReadStream } from 'node:fs'
import { mkdtemp, open, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { IMPORT_MAX_BYTES, LeadFilter } from '@x-automated/contract/leads'
import { stringify } from 'csv-stringify'
import type { FastifyInstance } from 'fastify'
import type { Services } from '../app.ts'
import { importLeads, type LeadRow, readAll } from '../domains/leads/service.ts'
import { Refusal } from '../refusal.ts'
import { BODY_SECONDS_MAX } from './body-time.ts'
import { readCsv } from './csv-records.ts'
import { signedIn } from './signed-in.ts'

/** POST /api/leads/import and GET /api/leads/export, both text/csv with the specification's column names (§3). */
export function serveLeadFiles(app: FastifyInstance, services: Services): void {
  const enter = placesForImports()
  app.register(async (files) => {
    // The body comes as it is sent; what it is, the handler finds out once it knows who sends it.
    files.removeAllContentTypeParsers()
    files.addContentTypeParser('*', (_request, body, done) => done(null, body))

    const options = { bodyLimit: IMPORT_MAX_BYTES, config: { bodySeconds: BODY_SECONDS_MAX } }
    files.post('/api/leads/import', options, async (request) => {
      const actor = await signedIn(services, request, 'member')
      const type = request.headers['content-type'] ?? ''
      if (!/^text\/csv\s*(;|$)/i.test(type)) throw new Refusal('INVALID_INPUT', 'Send the file as text/csv.')
      const charset = /charset\s*=\s*"?([\w-]+)/i.exec(type)?.[1]
      if (charset && !/^utf-?8$/i.test(charset)) throw new Refusal('INVALID_INPUT', NOT_UTF8)
      const leave = enter(actor.userId)
      let folder = ''
      try {
        folder = await mkdtemp(join(tmpdir(), 'lead-import-'))
        // Received whole before a database connection is taken: a slow sender holds up nobody.
        const file = join(folder, 'leads.csv')
        await receive(request.body as Readable | undefined, file)
        return await importLeads(
          services.database.db,
          actor,
          readCsv(createReadStream(file, { highWaterMark: CHUNK_BYTES })),
        )
      } finally {
        if (folder) await rm(folder, { recursive: true, force: true })
        leave()
      }
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

const CHUNK_BYTES = 256 * 1024
const NOT_UTF8 = 'The file is not UTF-8 text. Save it as CSV UTF-8 and try again.'

/** Each import has a file on our disk, and in the end a connection of the database for minutes: the rest of the API needs some too. */
const IMPORTS_AT_ONCE = 6
const IMPORTS_OF_ONE_USER = 3

/** @returns takes a place for an import of a user, and returns what gives it back; RATE_LIMITED where none is free */
function placesForImports(): (userId: string) => () => void {
  const importing: string[] = []
  return (userId) => {
    const own = importing.filter((id) => id === userId).length
    if (own >= IMPORTS_OF_ONE_USER || importing.length >= IMPORTS_AT_ONCE)
      throw new Refusal('RATE_LIMITED', 'Other files are being imported. Please try again in a minute.', {
        retryAfterSeconds: 30,
      })
    importing.push(userId)
    return () => importing.splice(importing.indexOf(userId), 1)
  }
}

/** Writes the body to a file. @throws Refusal BODY_TOO_LARGE, INVALID_INPUT (not UTF-8) */
async function receive(body: Readable | undefined, path: string): Promise<void> {
  const file = await open(path, 'wx', 0o600)
  const utf8 = new TextDecoder('utf-8', { fatal: true })
  const check = (chunk?: Buffer) => {
    try {
      utf8.decode(chunk, { stream: chunk !== undefined })
    } catch {
      throw new Refusal('INVALID_INPUT', NOT_UTF8)
    }
  }
  try {
    let size = 0
    for await (const chunk of body?.iterator({ destroyOnReturn: false }) ?? []) {
      size += chunk.length
      if (size > IMPORT_MAX_BYTES)
        throw new Refusal('BODY_TOO_LARGE', `A file may have at most ${IMPORT_MAX_BYTES / 1024 / 1024} MB.`)
      check(chunk)
      await file.write(chunk)
    }
    check()
  } finally {
    // Read to its end, so that the sender comes to read our answer.
    body?.resume()
    await file.close()
  }
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
