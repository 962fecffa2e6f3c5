import { Readable } from 'node:stream'
import type { FastifyInstance } from 'fastify'
import { requireAccountSession } from '../domains/identity/auth/sessions.ts'
import { archiveOf } from '../domains/overview/personal-data/personal-data.ts'
import type { Services } from '../services.ts'
import { onlyExport } from './one-export.ts'
import { signedIn } from './signed-in.ts'

/** GET /api/auth/user/export: all account data as a ZIP. 403 for single sign-on sessions. */
export function serveAccountArchive(app: FastifyInstance, services: Services): void {
  app.get('/api/auth/user/export', { exposeHeadRoute: false }, async (request, reply) => {
    const caller = await signedIn(services, [request, reply], 'viewer')
    const { db } = caller.database
    await requireAccountSession(db, caller.actor)
    const archive = await onlyExport(caller, async () => Readable.from(await archiveOf(db, caller.actor)))
    return reply
      .type('application/zip')
      .header('content-disposition', 'attachment; filename="x-automated.zip"')
      .send(archive)
  })
}
