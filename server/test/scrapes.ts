import { eq, type SQL } from 'drizzle-orm'
import type { PgUpdateSetSource } from 'drizzle-orm/pg-core'
import { linkScraped } from '../src/core/people/scraped.ts'
import { leads } from '../src/core/tables/leads.ts'
import { scrapeLeads } from '../src/core/tables/scrape-leads.ts'
import { scrapes } from '../src/domains/leads/scrapes/tables.ts'
import { createXApi } from '../src/outside/x.ts'
import type { XUser } from '../src/outside/x-schemas.ts'
import type { Person } from './makers.ts'
import { matching, type Which, type Writer } from './matching.ts'
import type { TestApp } from './open-app.ts'

type ScrapeRow = typeof scrapes.$inferSelect

/** Returns all followers or followed accounts of the handle, read directly from the stand-in X. */
export async function everyone(x: TestApp['x'], handle: string, type: 'followers' | 'following'): Promise<XUser[]> {
  const api = createXApi({ apiUrl: x.url, clientId: x.clientId, clientSecret: x.clientSecret })
  const { accessToken } = await api.signInWithPassword('someone_else', 'long enough')
  const user = await api.findUser(accessToken, handle)
  const users: XUser[] = []
  let cursor: string | null = null
  do {
    const page: { users: XUser[]; next: string | null } = await api.listUsers(accessToken, user!.id, type, {
      cursor,
      size: 1_000,
    })
    users.push(...page.users)
    cursor = page.next
  } while (cursor)
  return users
}

/** Creates a scrape that no worker runs, and marks the leads in `finds` as found by it. */
export async function makeScrape(
  { db }: Pick<TestApp, 'db'>,
  { workspaceId }: Pick<Person, 'workspaceId'>,
  { finds = [], ...change }: Partial<typeof scrapes.$inferInsert> & { finds?: readonly { id: string }[] } = {},
): Promise<ScrapeRow> {
  const bounds = { minFollowers: 0, maxFollowers: 1, keywords: [], maxResults: 1 }
  const [scrape] = await db
    .insert(scrapes)
    .values({ workspaceId, twitterHandle: 'x', type: 'followers', ...bounds, ...change })
    .returning()
  const ids = finds.map(({ id }) => id)
  if (ids.length > 0) await linkScraped(db, scrape!.id, ids)
  return scrape!
}

/** Starts a scrape of the handle's followers, without bounds unless `body` sets some. */
export async function startScrape(person: Person, twitterHandle: string, body: object = {}): Promise<string> {
  const response = await person.call('POST', '/scrapes', {
    twitterHandle,
    type: 'followers',
    minFollowers: 0,
    maxFollowers: 1_000_000_000,
    maxResults: 100_000,
    ...body,
  })
  if (response.status !== 200) throw new Error(JSON.stringify(response.body))
  return response.body.id
}

/** Polls the scrape until `holds` returns true; fails after 60 seconds. */
export async function until(
  app: Pick<TestApp, 'db'>,
  id: string,
  holds: (row: ScrapeRow) => boolean,
): Promise<ScrapeRow> {
  let row: ScrapeRow | undefined
  for (const end = Date.now() + 60_000; Date.now() < end; ) {
    ;[row] = await app.db.select().from(scrapes).where(eq(scrapes.id, id))
    if (row && holds(row)) return row
    await new Promise((resolve) => setTimeout(resolve, 25))
  }
  throw new Error(`still ${JSON.stringify(row)}`)
}

/** Returns the X ids of the people that the scrape found. People who were stored twice appear twice. */
export async function foundBy(app: Pick<TestApp, 'db'>, id: string): Promise<string[]> {
  const rows = await app.db
    .select({ xUserId: leads.xUserId })
    .from(scrapeLeads)
    .innerJoin(leads, eq(leads.id, scrapeLeads.leadId))
    .where(eq(scrapeLeads.scrapeId, id))
  return rows.map((row) => row.xUserId as string)
}

/** Changes the scrapes' progress, as their workers would. */
export async function changeScrapes(
  { db }: Writer,
  which: Which<typeof scrapes>,
  set: PgUpdateSetSource<typeof scrapes>,
): Promise<void> {
  await db.update(scrapes).set(set).where(matching(scrapes, which))
}

/** Sets when scrapes found their people. */
export async function setFoundAt({ db }: Writer, which: Which<typeof scrapeLeads>, foundAt: Date | SQL): Promise<void> {
  await db.update(scrapeLeads).set({ foundAt }).where(matching(scrapeLeads, which))
}
