import type { FastifyInstance } from 'fastify'
import type { Services } from '../app.ts'
import { unsubscribe } from '../domains/notices/service.ts'
import { serveUnsubscribePage } from './unsubscribe-page.ts'

/** Unsubscribe links in notification emails: GET and POST /api/notices/unsubscribe. */
export async function serveNotificationLinks(app: FastifyInstance, services: Services): Promise<void> {
  await serveUnsubscribePage(app, {
    path: '/api/notices/unsubscribe',
    question: 'Unsubscribe from these emails?',
    async unsubscribe(token) {
      const about = await unsubscribe({ db: services.database.db, env: services.env }, token)
      return `You'll no longer get emails when ${about}. You can turn them back on in Settings → Notifications.`
    },
  })
}
