import { timingSafeEqual } from 'node:crypto'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { genericProblem } from './problems.ts'

/** An app registered at X. Without a secret, it is a public client. */
const App = z.strictObject({
  id: z.string().min(1),
  secret: z.string().optional(),
  /** Signs deliveries to the app's webhooks. */
  consumerSecret: z.string().min(1),
  /** The app-only token, which registers webhooks. */
  bearerToken: z.string().min(1),
  /**
   * Number of direct messages that X allows in 24 hours over all users of the app, even if limits
   * are off. Defaults to X's own limit.
   */
  messagesPerDay: z.int().min(0).optional(),
})
export type App = z.output<typeof App>

/** Stored on disk, so that apps survive a restart. */
export type AppsEntry = { type: 'apps'; apps: App[] }

export type Apps = ReturnType<typeof createApps>

/** Manages the registered apps: the first one, and those that tests add with `PUT /_apps`. */
export function createApps(first: App, write: (entry: AppsEntry) => void) {
  let others: App[] = []
  // Registering an app with the first app's id replaces the first app, to rotate or revoke its secrets.
  const all = () => [...others, ...(others.some(({ id }) => id === first.id) ? [] : [first])]

  return {
    first,
    find: (id: string | undefined): App | undefined => all().find((app) => app.id === id),
    /** Returns the app whose app-only token the request has. @throws a 401 if there is none */
    ofBearer({ headers }: FastifyRequest): App {
      const app = all().find(({ bearerToken }) => isSame(headers.authorization ?? '', `Bearer ${bearerToken}`))
      if (!app) throw genericProblem(401)
      return app
    },
    replay: ({ apps }: AppsEntry) => {
      others = apps
    },
    addRoutes(app: FastifyInstance) {
      app.get('/_apps', async () => others)
      app.put('/_apps', async (request, reply) => {
        const { data, error } = z.array(App).safeParse(request.body)
        if (!data) return reply.code(400).send({ error: z.prettifyError(error) })
        write({ type: 'apps', apps: data })
        others = data
        return data
      })
    },
  }
}

/** Compares secrets in constant time. */
export function isSame(a: string, b: string): boolean {
  const [actual, expected] = [Buffer.from(a), Buffer.from(b)]
  return actual.length === expected.length && timingSafeEqual(actual, expected)
}
