import type { PlanId } from '@x-automated/contract/platform/plans'
import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import { insertCampaign } from '../../../../test/campaigns.ts'
import { insertConversation } from '../../../../test/conversations.ts'
import { addedAt, makeLeads, recordPastContact, recordReply } from '../../../../test/leads.ts'
import { connectX, earn, makePerson, type Person, subscribe } from '../../../../test/makers.ts'
import { insertMessages } from '../../../../test/messages.ts'
import { openApp, type TestApp } from '../../../../test/open-app.ts'
import { makeScrape } from '../../../../test/scrapes.ts'
import { unsubscribe } from '../../../../test/subscriptions.ts'
import type { LeadRow } from './leads.ts'

const JAN = '2026-01-15T12:00:00.000Z'
const FEB = '2026-02-15T12:00:00.000Z'
const MAR = '2026-03-15T12:00:00.000Z'

/** The lead `ana` has a value for every rule, `bob` has other values, `cat` has none. */
let app: TestApp
let person: Person
let stranger: Person
let ids: Record<'vip' | 'cold' | 'list' | 'smart' | 'scrape' | 'theirs', string>
let theirs: { list: string; scrape: string; tag: string }
beforeAll(async () => {
  app = await openApp({ unlimitedCalls: true })
  ;[person, stranger] = [await makePerson(app), await makePerson(app)]
  for (const user of [person, stranger]) await subscribe(app, user)
  const rows = await makeLeads(app, person, [
    {
      twitterHandle: 'ana',
      name: 'Ana',
      bio: '100% founder, 50_50 "quoted" o\'clock \\',
      followerCount: 500,
      metadata: { Company: 'Acme', Revenue: '1200.50', Since: '2026-02-15', 'Odd "key" %': "it's_1%" },
      dmStatus: 'sent',
    },
    {
      twitterHandle: 'bob',
      name: 'Bob',
      bio: 'Founder of nothing',
      followerCount: 0,
      metadata: { Company: 'acme inc', Revenue: 900, Since: '2026-03-01T10:00:00Z', Active: true },
    },
    { twitterHandle: 'cat', name: 'Cat', metadata: { Company: '', Revenue: 'unknown', Since: 'soon', None: null } },
  ])
  const [ana, bob, cat] = rows as [LeadRow, LeadRow, LeadRow]
  const { client } = person
  const [vip, cold] = [await client.tags.create({ name: 'VIP' }), await client.tags.create({ name: 'Cold' })]
  await client.tags.apply({ leadIds: [ana.id, bob.id], add: [vip.id] })
  await client.tags.apply({ leadIds: [ana.id], add: [cold.id] })
  const list = await client.lists.create({ name: 'By hand' })
  await client.lists.addLeads({ id: list.id, leadIds: [ana.id] })
  const smart = await client.lists.create({ name: 'Smart', filter: { keyword: 'founder', maxFollowers: 100 } })
  const scrape = await makeScrape(app, person, { finds: [bob] })
  await client.leads.setBasis({ leadIds: [bob.id], basis: 'customer' })
  await insertConversation(app, {
    workspaceId: person.workspaceId,
    label: 'interested',
    leadId: ana.id,
    at: new Date(JAN),
  })
  // Ana was messaged in January and February. Bob was messaged in January, then deleted and added again.
  const { workspaceId } = person
  const campaign = await insertCampaign(app, { workspaceId })
  const sent = { workspaceId, campaignId: campaign.id, leadId: ana.id, message: 'm', status: 'sent' as const }
  await insertMessages(
    app,
    [JAN, FEB].map((at, step) => ({ ...sent, step, sentAt: new Date(at) })),
  )
  await recordPastContact(app, { id: bob.id }, new Date(JAN))
  await recordReply(app, { id: ana.id }, new Date(FEB), { createdAt: new Date(JAN) })
  await addedAt(app, { id: cat.id }, new Date(MAR))
  const [theirLead] = await makeLeads(app, stranger, [{ twitterHandle: 'ana' }])
  const theirTag = await stranger.client.tags.create({ name: 'Theirs' })
  const theirList = await stranger.client.lists.create({ name: 'Theirs' })
  await stranger.client.tags.apply({ leadIds: [theirLead!.id], add: [theirTag.id] })
  await stranger.client.lists.addLeads({ id: theirList.id, leadIds: [theirLead!.id] })
  const theirSaved = await stranger.client.savedFilters.create({ name: 'Theirs', filter: {} })
  theirs = { list: theirList.id, scrape: (await makeScrape(app, stranger)).id, tag: theirTag.id }
  ids = { vip: vip.id, cold: cold.id, list: list.id, smart: smart.id, scrape: scrape.id, theirs: theirSaved.id }
})

const ask = (query: Record<string, unknown>, by = person, path = '/leads') => {
  const texts = Object.entries(query).map(([key, value]) => [
    key,
    typeof value === 'object' ? JSON.stringify(value) : `${value}`,
  ])
  return by.call('GET', `${path}?${new URLSearchParams(texts as [string, string][])}`)
}
/** The handles of the leads that match. Asserts that the total agrees. */
const who = async (query: Record<string, unknown>, by = person) => {
  const { status, body } = await ask({ ...query, sort: 'twitterHandle' }, by)
  expect([status, body.code]).toEqual([200, undefined])
  expect(body.total).toBe(body.leads.length)
  return body.leads.map((lead: { twitterHandle: string }) => lead.twitterHandle).join(' ')
}
const match = (how: 'all' | 'any', ...rules: unknown[]) => ({ rules: { match: how, rules } })
const rule = (field: string, op: string, value?: unknown) => ({ field, op, value })

describe('a rule', () => {
  /** The opposite of an operator, which must match all other leads. */
  const OPPOSITES: Record<string, string> = { is: 'is_not', contains: 'not_contains', is_set: 'is_not_set' }
  it.each<[field: string, op: string, value: unknown, who: string]>([
    ['keyword', 'contains', 'FOUNDER', 'ana bob'],
    ['keyword', 'contains', '100%', 'ana'],
    ['keyword', 'contains', '50_5', 'ana'],
    ['keyword', 'contains', '%', 'ana'],
    ['keyword', 'contains', '"quoted" o\'clock', 'ana'],
    ['keyword', 'contains', '\\', 'ana'],
    ['keyword', 'contains', 'cat', 'cat'],
    ['keyword', 'contains', 'Bob bob', ''],
    ['minFollowers', 'at_least', 1, 'ana'],
    ['minFollowers', 'at_least', 0, 'ana bob'],
    ['minFollowers', 'is_set', undefined, 'ana bob'],
    ['maxFollowers', 'at_most', 499, 'bob'],
    ['maxFollowers', 'is_set', undefined, 'ana bob'],
    ['status', 'is', 'sent', 'ana'],
    ['status', 'is', 'not_sent', 'bob cat'],
    ['status', 'is', 'replied', 'ana'],
    ['basis', 'is', 'customer', 'bob'],
    ['basis', 'is', 'none', 'ana cat'],
    ['label', 'is', 'interested', 'ana'],
    ['label', 'is', 'later', ''],
    ['label', 'is_set', undefined, 'ana'],
    ['tag', 'is', 'vip', 'ana bob'],
    ['tag', 'is', "' or 1=1 --", ''],
    ['tag', 'is_set', undefined, 'ana bob'],
    ['tags', 'is_set', undefined, 'ana bob'],
    ['listId', 'is_set', undefined, 'ana'],
    ['scrapeId', 'is_set', undefined, 'bob'],
    ['contactedAfter', 'after', FEB, 'ana'],
    ['contactedAfter', 'after', JAN, 'ana bob'],
    ['contactedAfter', 'after', MAR, ''],
    ['contactedAfter', 'is_set', undefined, 'ana bob'],
    ['contactedBefore', 'before', FEB, 'bob'],
    ['contactedBefore', 'before', MAR, 'ana bob'],
    ['contactedBefore', 'before', JAN, ''],
    ['contactedBefore', 'is_set', undefined, 'ana bob'],
    ['createdAt', 'before', FEB, 'ana'],
    ['createdAt', 'after', MAR, 'bob cat'],
    ['field:Company', 'is', 'acme', 'ana'],
    ['field:Company', 'contains', 'ACME', 'ana bob'],
    ['field:Company', 'contains', '%', ''],
    ['field:Company', 'contains', '_', ''],
    ['field:Company', 'is_set', undefined, 'ana bob'],
    ['field:None', 'is_set', undefined, ''],
    ['field:Active', 'is', 'true', 'bob'],
    ['field:company', 'is_set', undefined, ''],
    ['field:Odd "key" %', 'is', "it's_1%", 'ana'],
    ['field:Odd "key" %', 'contains', '_1%', 'ana'],
    ["field:'; drop table leads; --", 'is_set', undefined, ''],
    ['field:Revenue', 'at_least', 900, 'ana bob'],
    ['field:Revenue', 'at_least', '1200.5', 'ana'],
    ['field:Revenue', 'at_most', 1_200, 'bob'],
    ['field:Since', 'before', '2026-02-16', 'ana'],
    ['field:Since', 'before', '2026-02-15', ''],
    ['field:Since', 'after', '2026-02-15', 'ana bob'],
    ['field:Since', 'after', '2026-03-01', 'bob'],
  ])('%s %s %j matches %j, and reversed everyone else', async (field, op, value, expected) => {
    expect(await who(match('all', rule(field, op, value)))).toBe(expected)
    const opposite = OPPOSITES[op]
    if (!opposite) return
    const others = ['ana', 'bob', 'cat'].filter((handle) => !expected.includes(handle)).join(' ')
    const fits = await ask(match('all', rule(field, opposite, value)))
    if (fits.status === 200) expect(await who(match('any', rule(field, opposite, value)))).toBe(others)
    else expect([field, fits.body.details[0].field]).toEqual([field, 'rules.rules.0.op'])
  })

  it('finds tags, lists, smart lists and scrapes by id, and none of another workspace', async () => {
    for (const [field, value, expected] of [
      ['tag', ids.cold, 'ana'],
      ['tags', [ids.vip, ids.cold], 'ana'],
      ['tags', [ids.vip], 'ana bob'],
      ['listId', ids.list, 'ana'],
      ['listId', ids.smart, 'bob'],
      ['scrapeId', ids.scrape, 'bob'],
      ['listId', theirs.list, ''],
      ['scrapeId', theirs.scrape, ''],
      ['tags', [theirs.tag], ''],
      ['tag', theirs.tag, ''],
      ['tag', 'Theirs', ''],
      ['listId', 'nonsense', ''],
    ] as const) {
      expect([field, value, await who(match('all', rule(field, 'is', value)))]).toEqual([field, value, expected])
      const others = ['ana', 'bob', 'cat'].filter((handle) => !expected.includes(handle)).join(' ')
      expect([field, await who(match('any', rule(field, 'is_not', value)))]).toEqual([field, others])
    }
  })
})

describe('rules', () => {
  it('combine by all and any, with groups of one level, and with plain fields', async () => {
    const [acme, replied, cat] = [
      rule('field:Company', 'contains', 'acme'),
      rule('status', 'is', 'replied'),
      rule('keyword', 'contains', 'cat'),
    ]
    expect(await who(match('all', acme, replied))).toBe('ana')
    expect(await who(match('any', replied, cat))).toBe('ana cat')
    expect(await who(match('all', acme, { match: 'any', rules: [cat, replied] }))).toBe('ana')
    expect(await who(match('any', cat, { match: 'all', rules: [acme, rule('status', 'is_not', 'replied')] }))).toBe(
      'bob cat',
    )
    expect(await who({ ...match('any', replied, cat), keyword: 'ana' })).toBe('ana')
    expect(await who({ ...match('any', acme, cat), listId: ids.smart, status: 'not_sent' })).toBe('bob')
    expect(await who(match('any', ...Array(19).fill(cat), acme))).toBe('ana bob cat')
  })

  it('are rejected with the place of the problem, never with a server error', async () => {
    for (const [query, field] of [
      [match('any', ...Array(21).fill(rule('status', 'is', 'sent'))), 'rules.rules'],
      [match('all', rule('status', 'contains', 'sent')), 'rules.rules.0.op'],
      [match('all', { match: 'any', rules: [rule('minFollowers', 'at_least', 'x')] }), 'rules.rules.0.rules.0.value'],
      [{ rules: '{' }, 'rules'],
      [
        { rules: '{"match":"all","rules":[{"field":"keyword","op":"contains","value":"\\u0000"}]}' },
        'rules.rules.0.value',
      ],
      [{ rules: '{"__proto__":{"match":"all"}}' }, 'rules.match'],
      [{ fields: 'Company' }, 'fields'],
      [{ fields: [{ name: 'a\ud800', op: 'is_set' }] }, 'fields.0.name'],
      [{ contactedAfter: 'yesterday' }, 'contactedAfter'],
      [{ filterId: ids.theirs, label: 'later' }, 'filterId'],
    ] as const)
      for (const path of ['/leads', '/leads/export']) {
        const { status, body } = await ask(query, person, path)
        expect([query, path, status, body.code, body.details?.[0].field]).toEqual([
          query,
          path,
          400,
          'INVALID_INPUT',
          field,
        ])
      }
  })
})

describe('plain fields', () => {
  it('match leads with all tags, all conditions on custom fields, and the last contact', async () => {
    expect(await who({ tags: `${ids.vip},${ids.cold}` })).toBe('ana')
    expect(await who({ tags: ids.vip })).toBe('ana bob')
    expect(await who({ tags: theirs.tag })).toBe('')
    expect(await who({ tags: `${ids.vip},nonsense` })).toBe('')
    const company = { name: 'Company', op: 'contains', value: 'acme' }
    expect(await who({ fields: [company] })).toBe('ana bob')
    expect(await who({ fields: [company, { name: 'Active', op: 'is_not_set' }] })).toBe('ana')
    expect(await who({ contactedAfter: JAN, contactedBefore: FEB })).toBe('bob')
    expect(await who({ contactedAfter: FEB })).toBe('ana')
  })

  it('select the same leads as rules that must all be met', async () => {
    const tagged = fc.constantFrom<string[]>([ids.vip], [ids.cold], [ids.vip, ids.cold])
    const moment = fc.constantFrom(JAN, FEB, MAR)
    const plain = fc.record(
      {
        keyword: fc.constantFrom('founder', 'ana', '100%', 'Bob bob'),
        minFollowers: fc.constantFrom(0, 1, 500),
        maxFollowers: fc.constantFrom(0, 499, 500),
        status: fc.constantFrom('not_sent', 'sent', 'replied'),
        listId: fc.constantFrom(ids.list, ids.smart),
        tag: fc.constantFrom('vip', ids.cold),
        tags: tagged,
        basis: fc.constantFrom('none', 'customer'),
        label: fc.constantFrom('interested', 'later'),
        scrapeId: fc.constant(ids.scrape),
        contactedAfter: moment,
        contactedBefore: moment,
        fields: fc.array(
          fc.constantFrom(
            { name: 'Company', op: 'contains', value: 'acme' },
            { name: 'Company', op: 'is', value: 'acme' },
            { name: 'Company', op: 'is_not_set' },
          ),
          { minLength: 1, maxLength: 2 },
        ),
      },
      { requiredKeys: [] },
    )
    const ops: Record<string, string> = {
      keyword: 'contains',
      minFollowers: 'at_least',
      maxFollowers: 'at_most',
      contactedAfter: 'after',
      contactedBefore: 'before',
    }
    await fc.assert(
      fc.asyncProperty(plain, async ({ fields = [], ...rest }) => {
        const rules = [
          ...Object.entries(rest).map(([field, value]) => rule(field, ops[field] ?? 'is', value)),
          ...fields.map(({ name, op, value }: { name: string; op: string; value?: string }) =>
            rule(`field:${name}`, op, value),
          ),
        ]
        fc.pre(rules.length > 0)
        const filter = { ...rest, ...(rest.tags && { tags: rest.tags.join() }), ...(fields.length > 0 && { fields }) }
        expect(await who(match('all', ...rules))).toBe(await who(filter))
      }),
      { numRuns: 60 },
    )
  })
})

describe('plans', () => {
  const advanced = [
    () => ({ tags: [ids.vip] }),
    () => ({ fields: [{ name: 'Company', op: 'is', value: 'Acme' }] }),
    () => ({ contactedAfter: JAN }),
    () => ({ contactedBefore: FEB }),
    () => ({ label: 'interested' }),
  ]
  const rules = () => match('any', rule('tags', 'is', [ids.vip]), rule('status', 'is', 'sent'))
  const on = async (planId: PlanId | null) => {
    await unsubscribe(app, person)
    if (planId) await subscribe(app, person, planId)
  }
  const inQuery = (filter: object) =>
    Object.fromEntries(Object.entries(filter).map(([key, value]) => [key, key === 'tags' ? String(value) : value]))
  const uses = (filter: object) => [
    ask(inQuery(filter)),
    ask(inQuery(filter), person, '/leads/export'),
    person.call('POST', '/filters', { name: 'New', filter }),
    person.call('POST', '/lists', { name: 'New', filter }),
    person.call('POST', '/jobs', { kind: 'tag', tagIds: [ids.vip], filter }),
    person.call('POST', '/leads/delete', { filter }),
  ]

  it('refuse "Advanced filtering" on Free and rules below Agency, and name the plan that has them', async () => {
    for (const [planId, plan, filters] of [
      [null, 'Pro', advanced.map((filter) => filter())],
      [null, 'Agency', [rules()]],
      ['pro_monthly', 'Agency', [rules()]],
    ] as const) {
      await on(planId)
      for (const filter of filters)
        for (const { status, body } of await Promise.all(uses(filter)))
          expect([filter, status, body.code, body.error]).toEqual([
            filter,
            403,
            'PLAN_LIMIT',
            expect.stringContaining(`part of the ${plan} plan`),
          ])
    }
    await on('pro_monthly')
    for (const filter of advanced) expect((await ask(inQuery(filter()))).status).toBe(200)
    await on('agency_monthly')
    expect(await who(rules())).toBe('ana bob')
  })

  it('have rules on Free with the Global Networker reward', async () => {
    const owner = await makePerson(app)
    await earn(app, owner, 'global')
    expect(await who(match('any', rule('label', 'is_not_set')), owner)).toBe('')
    expect((await ask({ label: 'later' }, owner)).status).toBe(403)
  })

  it('keep what a saved filter and a smart list have after a downgrade', async () => {
    await on('agency_monthly')
    const filter = { ...rules(), fields: [{ name: 'Company', op: 'is' as const, value: 'Acme' }], keyword: 'founder' }
    const saved = (await person.call('POST', '/filters', { name: 'Kept', filter })).body
    expect(saved.filter).toEqual(filter)
    const smart = (await person.call('POST', '/lists', { name: 'Kept', filter })).body
    expect(smart).toMatchObject({ filter, leadCount: 1 })
    await on(null)
    try {
      expect(await who({ filterId: saved.id })).toBe('ana')
      // A screen sends the saved filter's fields instead of its id, so that people can remove some.
      expect(await who(filter)).toBe('ana')
      expect(await who(rules())).toBe('ana bob')
      expect((await person.call('GET', `/lists/${smart.id}/leads`)).body.total).toBe(1)
      expect(
        (await person.call('POST', '/jobs', { kind: 'untag', tagIds: [ids.cold], filter: { filterId: saved.id } }))
          .body,
      ).toMatchObject({ total: 1 })
      const csv = await person.call('GET', `/leads/export?filterId=${saved.id}`)
      expect(csv.status).toBe(200)
      const { fields, ...less } = filter
      for (const path of [`/filters/${saved.id}`, `/lists/${smart.id}`]) {
        expect(
          (await person.call('PATCH', path, { name: 'Renamed', filter: { ...filter, keyword: 'ana' } })).status,
        ).toBe(200)
        expect((await person.call('PATCH', path, { filter: { ...filter, label: 'later' } })).status).toBe(403)
        expect(
          (await person.call('PATCH', path, { filter: { ...filter, ...match('all', rule('status', 'is', 'sent')) } }))
            .status,
        ).toBe(403)
        expect((await person.call('PATCH', path, { filter: less })).body.filter).toEqual(less)
        expect((await person.call('PATCH', path, { filter: { ...less, fields } })).status).toBe(403)
      }
      // The saved filter no longer has conditions on fields, and a copy of it would be a new filter.
      expect((await ask(inQuery(filter))).status).toBe(403)
      expect((await person.call('POST', '/filters', { name: 'Copy', filter: less })).status).toBe(403)
    } finally {
      await on('agency_monthly')
    }
  })
})

describe('a saved filter instead of fields', () => {
  it('is found in this workspace only, also by viewers', async () => {
    const saved = await person.client.savedFilters.create({
      name: 'Smart and more',
      filter: { listId: ids.smart, ...match('any', rule('listId', 'is_not', ids.list)) } as never,
    })
    expect(await who({ filterId: saved.id })).toBe('bob')
    expect(await who({ filterId: saved.id, suppressed: true })).toBe('')
    const viewer = await makePerson(app, { in: person, role: 'viewer' })
    expect(await who({ filterId: saved.id }, viewer)).toBe('bob')
    const list = await person.client.lists.create({ name: 'Filled' })
    const filter = { filterId: saved.id }
    expect((await person.call('POST', `/lists/${list.id}/leads`, { filter })).body).toMatchObject({ changed: 1 })
    await connectX(app, person)
    const draft = { name: 'Drafted', leadListId: list.id, messageTemplate: 'Hello', status: 'draft' }
    const openers = `/campaigns/${(await person.call('POST', '/campaigns', draft)).body.id}/openers`
    for (const filterId of [ids.theirs, 'nonsense']) {
      const responses = [
        ask({ filterId }),
        ask({ filterId }, person, '/leads/export'),
        person.call('POST', '/leads/basis', { filter: { filterId }, basis: 'asked' }),
        person.call('POST', '/leads/tags', { filter: { filterId }, add: [ids.vip] }),
        person.call('POST', '/leads/delete', { filter: { filterId } }),
        person.call('POST', '/suppressions', { filter: { filterId } }),
        person.call('POST', `/lists/${list.id}/leads`, { filter: { filterId } }),
        person.call('DELETE', `/lists/${list.id}/leads`, { filter: { filterId } }),
        person.call('POST', '/leads/queue', { filter: { filterId } }),
        person.call('POST', `${openers}/estimate`, { filter: { filterId } }),
        person.call('POST', openers, { filter: { filterId } }),
        person.call('POST', '/jobs', { kind: 'delete', filter: { filterId } }),
      ]
      for (const { status, body } of await Promise.all(responses))
        expect([filterId, status, body.code]).toEqual([filterId, 404, 'FILTER_NOT_FOUND'])
    }
    expect((await person.call('POST', '/leads/delete', { filter: { filterId: saved.id, keyword: 'a' } })).status).toBe(
      400,
    )
  })

  it('stores no id of another workspace, and smart lists no smart list', async () => {
    for (const [path, definition, field] of [
      ['/filters', match('any', rule('listId', 'is_not', theirs.list)), 'filter.rules'],
      ['/filters', match('any', { match: 'all', rules: [rule('tags', 'is', [theirs.tag])] }), 'filter.rules'],
      ['/lists', match('any', rule('scrapeId', 'is', theirs.scrape)), 'filter.rules'],
      ['/lists', match('any', rule('tag', 'is', theirs.tag)), 'filter.rules'],
      ['/lists', match('any', rule('listId', 'is', ids.smart)), 'filter.rules'],
      ['/lists', { tags: [ids.vip, theirs.tag] }, 'filter.tags'],
    ] as const) {
      const { status, body } = await person.call('POST', path, { name: 'Foreign', filter: definition })
      expect([path, definition, status, body.details?.[0].field]).toEqual([path, definition, 400, field])
    }
    const { body } = await person.call('POST', '/filters', { name: 'Own', filter: { tags: [theirs.tag, ids.vip] } })
    expect(body.filter).toEqual({ tags: [ids.vip] })
    expect(
      (await person.call('POST', '/filters', { name: 'None', filter: { tags: [theirs.tag] } })).body.filter,
    ).toEqual({})
  })

  it('and smart lists keep a tag that is merged into another', async () => {
    const { client } = person
    const old = await client.tags.create({ name: 'Old' })
    const filter = {
      tags: [old.id, ids.vip],
      ...match('any', rule('tag', 'is', 'OLD'), { match: 'all', rules: [rule('tags', 'is_not', [ids.cold, old.id])] }),
    }
    const saved = (await person.call('POST', '/filters', { name: 'Tagged', filter })).body
    const smart = (await person.call('POST', '/lists', { name: 'Tagged', filter })).body
    await client.tags.merge({ id: old.id, into: ids.vip })
    const merged = {
      tags: [ids.vip],
      ...match('any', rule('tag', 'is', ids.vip), {
        match: 'all',
        rules: [rule('tags', 'is_not', [ids.cold, ids.vip])],
      }),
    }
    const listed = await client.savedFilters.list()
    expect(listed.filters.find(({ id }) => id === saved.id)?.filter).toEqual(merged)
    expect((await client.lists.find({ id: smart.id })).filter).toEqual(merged)
  })
})
