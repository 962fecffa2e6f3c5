import { LeadSort } from '@x-automated/contract/leads/leads'
import { sql } from 'drizzle-orm'
import { beforeAll, expect, it } from 'vitest'
import { makePerson, type Person, subscribe } from '../../../../test/makers.ts'
import { fillForPlans } from '../../../../test/many-rows.ts'
import { openApp, type TestApp } from '../../../../test/open-app.ts'
import { openPlanned } from '../../../../test/plans.ts'
import type { Actor } from '../../../actor.ts'
import { queueDirect } from '../../../core/messages/direct.ts'
import { remove } from '../../../core/people/lead.ts'
import { removeMany, restore } from '../../../core/people/removal.ts'
import * as suppressions from '../../../core/people/suppression.ts'
import { apply } from '../../../core/people/tagging.ts'
import type { Db } from '../../../db/open.ts'
import * as lists from '../lists/lists.ts'
import * as tags from '../tags/tags.ts'
import { history } from './history.ts'
import { find, list, listByStanding, setBasis } from './leads.ts'

/** Tables that grow with the number of leads or workspaces. */
const LARGE = [
  'leads',
  'lead_counts',
  'lead_standings',
  'lead_list_items',
  'lead_tags',
  'scrape_leads',
  'scrape_counts',
  'dms',
  'replies',
  'lead_reads',
  'suppressions',
  'suppression_counts',
  'past_contacts',
  'removed_leads',
  'lead_removals',
  'campaigns',
]

let app: TestApp
let person: Person
let ids: { list: string; smart: string; tag: string; other: string; lead: string; scrape: string }
beforeAll(async () => {
  app = await openApp()
  person = await makePerson(app)
  await subscribe(app, person)
  const own = person.workspaceId
  await fillForPlans(app, person)
  const { client } = person
  const list = await client.lists.create({ name: 'By hand' })
  const smart = await client.lists.create({ name: 'Smart', filter: { minFollowers: 500, keyword: 'founder' } })
  const tag = await client.tags.create({ name: 'VIP' })
  const other = await client.tags.create({ name: 'Other' })
  await client.tags.apply({ filter: { maxFollowers: 300 }, add: [tag.id] })
  await client.lists.addLeads({ id: list.id, filter: { maxFollowers: 500 } })
  const [lead] = (await client.leads.list({})).leads
  const { rows } = await app.db.execute<{ id: string }>(sql`select id from scrapes where workspace_id = ${own}`)
  ids = { list: list.id, smart: smart.id, tag: tag.id, other: other.id, lead: lead!.id, scrape: rows[0]!.id }
  await app.db.execute(sql`vacuum analyze`)
})

/** A small selection: for many leads, a full scan is right. */
const FEW = { minFollowers: 997 }

type Service = (db: Db, actor: Actor) => Promise<unknown>
const page = { page: 1, pageSize: 10 }
const services: [name: string, service: Service][] = [
  ...LeadSort.options.map((sort): [string, Service] => [
    `a page of all leads by ${sort}, and the one behind it`,
    async (db, actor) => {
      const { cursor } = await list(db, actor, { ...page, sort })
      await list(db, actor, { ...page, sort, cursor: cursor! })
    },
  ]),
  ['pages of one status', (db, actor) => list(db, actor, { ...page, sort: '-createdAt', status: 'sent' })],
  ['pages of a keyword', (db, actor) => list(db, actor, { ...page, sort: '-createdAt', keyword: 'founder' })],
  ['pages within bounds', (db, actor) => list(db, actor, { ...page, sort: '-createdAt', minFollowers: 990 })],
  ['pages of a tag', (db, actor) => list(db, actor, { ...page, sort: '-createdAt', tag: ids.tag })],
  ['pages of a scrape', (db, actor) => list(db, actor, { ...page, sort: '-createdAt', scrapeId: ids.scrape })],
  [
    'pages of several resources together',
    (db, actor) => list(db, actor, { ...page, sort: 'name', tag: ids.tag, keyword: 'founder', status: 'sent' }),
  ],
  [
    'pages of several tags',
    (db, actor) => list(db, actor, { ...page, sort: '-createdAt', tags: [ids.tag, ids.other] }),
  ],
  [
    'pages by the last contact',
    async (db, actor) => {
      await list(db, actor, { ...page, sort: '-createdAt', contactedAfter: '2020-01-01T00:00:00Z' })
      await list(db, actor, { ...page, sort: '-createdAt', contactedBefore: '2020-01-01T00:00:00Z' })
    },
  ],
  [
    'pages of rules',
    (db, actor) =>
      list(db, actor, {
        ...page,
        sort: '-createdAt',
        rules: {
          match: 'any',
          rules: [
            { field: 'tags', op: 'is', value: [ids.tag] },
            { field: 'listId', op: 'is_not', value: ids.list },
            { field: 'contactedAfter', op: 'after', value: '2020-01-01T00:00:00Z' },
          ],
        },
      }),
  ],
  ['pages of a basis', (db, actor) => list(db, actor, { ...page, sort: '-createdAt', basis: 'asked' })],
  ['leads of the messenger', (db, actor) => listByStanding(db, actor, ['not_sent', 'queued'], page)],
  ['pages of a list', (db, actor) => lists.listLeads(db, actor, { ...page, id: ids.list })],
  ['pages of a smart list', (db, actor) => lists.listLeads(db, actor, { ...page, id: ids.smart })],
  ['lists with their counts', (db, actor) => lists.list(db, actor, page)],
  ['who of a page is in a list', (db, actor) => lists.members(db, actor, { id: ids.smart, leadIds: [ids.lead] })],
  [
    'one lead and its history',
    async (db, actor) => {
      await find(db, actor, ids.lead)
      await history(db, actor, { id: ids.lead, ...page })
    },
  ],
  ['tags', (db, actor) => tags.list(db, actor)],
  ['giving and taking tags', (db, actor) => apply(db, actor, { filter: FEW, add: [ids.other], remove: [ids.tag] })],
  ['merging tags', (db, actor) => tags.merge(db, actor, { id: ids.other, into: ids.tag })],
  ['a contact basis', (db, actor) => setBasis(db, actor, { filter: FEW, basis: 'asked' })],
  ['adding to a list', (db, actor) => lists.addLeads(db, actor, { id: ids.list, filter: FEW })],
  ['taking out of a list', (db, actor) => lists.removeLeads(db, actor, { id: ids.list, filter: FEW })],
  ['queueing DMs', (db, actor) => queueDirect(db, actor, { filter: FEW })],
  ['the suppression list', (db, actor) => suppressions.list(db, actor, page)],
  ['searching the suppression list', (db, actor) => suppressions.list(db, actor, { ...page, q: 'gone_1' })],
  [
    'suppressing leads',
    (db, actor) => suppressions.create({ ...app.services, db }, actor, { leadIds: [ids.lead], reason: 'manual' }),
  ],
  [
    'suppressing handles',
    (db, actor) => suppressions.create({ ...app.services, db }, actor, { handles: ['lead_5'], reason: 'opted_out' }),
  ],
  [
    'deleting and restoring leads',
    async (db, actor) => {
      const { removalId } = await removeMany(db, actor, { filter: FEW })
      await restore({ ...app.services, db }, actor, removalId!)
    },
  ],
  ['deleting a lead', (db, actor) => remove(db, actor, ids.lead)],
]

it.each(services)('%s read large tables only by index', async (_, service) => {
  const { db, reads } = await openPlanned(app.databaseUrl)
  await service(db, person.actor)
  expect(reads.length).toBeGreaterThan(0)
  expect(reads.filter(({ table, by }) => by !== 'index' && LARGE.includes(table))).toEqual([])
})
