import type { FastifyInstance } from 'fastify'
import { unsubscribe } from '../domains/platform/notifications/service.ts'
import type { Services } from '../services.ts'
import { serveUnsubscribePage } from './unsubscribe-page.ts'

/**
 * The unsubscribe link of notification emails. The old path stays: emails that were already sent
 * link to it.
 */
export async function serveNotificationLinks(app: FastifyInstance, services: Services): Promise<void> {
  for (const path of ['/api/notifications/unsubscribe', '/api/notices/unsubscribe'])
    await serveUnsubscribePage(app, {
      path,
      question: 'Unsubscribe from these emails?',
      async unsubscribe(token) {
        const about = await unsubscribe({ db: services.database.db, env: services.env }, token)
        return `You'll no longer get emails about ${about}. You can turn them back on in Settings → Notifications.`
      },
    })
}
