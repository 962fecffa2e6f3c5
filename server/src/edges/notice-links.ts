import type { FastifyInstance } from 'fastify'
import type { Services } from '../app.ts'
import { unsubscribe } from '../domains/notices/service.ts'
import { serveUnsubscribePage } from './unsubscribe-page.ts'

/** The link in mails that tell of notices: GET and POST /api/notices/unsubscribe. */
export async function serveNoticeLinks(app: FastifyInstance, services: Services): Promise<void> {
  await serveUnsubscribePage(app, {
    path: '/api/notices/unsubscribe',
    question: 'Stop these mails?',
    async unsubscribe(token) {
      const about = await unsubscribe({ db: services.database.db, env: services.env }, token)
      return `You will get no more mails when ${about}. To get them again, see Notices in the settings.`
    },
  })
}
