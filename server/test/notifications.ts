import { sql } from 'drizzle-orm'
import { notifications } from '../src/domains/platform/notifications/tables.ts'
import { matching, type Which, type Writer } from './matching.ts'

type Notification = typeof notifications.$inferInsert

/** Notifies a person in the app that a lead replied. */
export async function notifyOfReply(
  { db }: Writer,
  { id, workspaceId }: { id: string; workspaceId: string },
  facts: Notification['facts'],
): Promise<void> {
  const kind = 'lead_replied' as const
  await db.insert(notifications).values({ workspaceId, userId: id, kind, facts, inApp: true, email: false })
}

/** Backdates the notifications to `hours` hours ago. */
export async function ageNotifications({ db }: Writer, which: Which<typeof notifications>, hours: number) {
  const createdAt = sql`now() - make_interval(hours => ${hours})`
  await db.update(notifications).set({ createdAt }).where(matching(notifications, which))
}

/** Notifies a person in the app and by email, of something without facts. */
export async function notifyByEmail(
  { db }: Writer,
  { id, workspaceId }: { id: string; workspaceId: string },
  kind: Notification['kind'],
): Promise<void> {
  await db.insert(notifications).values({ workspaceId, userId: id, kind, facts: {}, inApp: true, email: true })
}
