import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { commandItems, commandOf, markedParts, matches, type PaletteItem, SETTINGS, suggestions } from './palette-items'

const labels = (q: string, results: PaletteItem[] = [], isMember = true) =>
  matches(q, results, isMember).map(({ label, items }) => [label, ...items.map((item) => item.label)])
const lead = (label: string): PaletteItem => ({ id: label, kind: 'lead', label, path: '/leads' })

describe('matches', () => {
  test('puts the group with the best match first', () => {
    expect(labels('camp', [lead('Zoe Camp')])).toEqual([
      ['Pages', 'Campaigns'],
      ['People', 'Zoe Camp'],
      ['Actions', 'New campaign', 'Pause all campaigns', 'Scrape @camp'],
    ])
    expect(labels('zoe', [lead('Zoe')])[0]).toEqual(['People', 'Zoe'])
  })

  test('shows at most three items per group', () => {
    expect(labels('ann', ['Ann', 'Anna', 'Anne', 'Annie'].map(lead))[0]).toEqual(['People', 'Ann', 'Anna', 'Anne'])
  })

  test('finds settings and actions by other words', () => {
    expect(labels('daily cap')).toEqual([['Settings', 'Sending']])
    expect(labels('opt-out words')).toEqual([['Settings', 'Sending']])
    expect(labels('snippets')[0]).toEqual(['Settings', 'Inbox settings'])
    expect(labels('api key')).toEqual([['Settings', 'API']])
    expect(labels('tokens')[0]).toEqual(['Settings', 'API'])
    expect(labels('delete account')).toEqual([['Pages', 'Account']])
    expect(labels('passkey')[0]).toEqual(['Pages', 'Account'])
    expect(labels('log out')).toEqual([['Actions', 'Sign out']])
  })

  test('offers to scrape the handle that was typed', () => {
    expect(labels('@indiehackers')[0]).toEqual(['Actions', 'Scrape @indiehackers'])
    expect(labels('scrape indiehackers')[0]).toEqual(['Actions', 'Scrape @indiehackers'])
    expect(labels('two words')).toEqual([])
    expect(labels('علی')).toEqual([])
    expect(labels('a_handle_of_16_ch')).toEqual([])
    expect(labels('scrape')).toEqual([
      ['Actions', 'Scrape a handle'],
      ['Pages', 'Find leads'],
    ])
  })

  test('offers viewers nothing that they may not do', () => {
    expect(labels('inbox', [], false)).toEqual([['Settings', 'Inbox settings']])
    expect(labels('campaign', [], false)).toEqual([['Pages', 'Campaigns']])
  })
})

test('suggestions begin with the actions of every day', () => {
  expect(
    suggestions([], true)
      .at(-1)
      ?.items.map(({ label }) => label),
  ).toEqual(['New campaign', 'Scrape a handle', 'Pause all campaigns'])
})

test('suggestions show a recent page once', () => {
  const [recent, pages] = suggestions([{ id: 'page /leads', kind: 'page', label: 'Leads', path: '/leads' }], true)
  expect(recent?.items.map(({ label }) => label)).toEqual(['Leads'])
  expect(pages?.items.map(({ label }) => label)).not.toContain('Leads')
})

test('markedParts splits a label around what was typed', () => {
  expect(markedParts('Indie founders', 'ind')).toEqual(['', 'Ind', 'ie founders'])
  expect(markedParts('Leads', 'people')).toEqual(['Leads', '', ''])
})

test('every section of the settings is found', () => {
  const source = readFileSync('web/app/features/overview/settings/settings-tabs.tsx', 'utf8')
  const ids = [...source.matchAll(/id: '([\w-]+)'/g)].map(([, id]) => id)
  expect(SETTINGS.map(({ path }) => path)).toEqual(ids.map((id) => `/settings?tab=${id}`))
})

test('a command pauses or resumes a campaign by its name', () => {
  expect(commandOf('pause saas')).toEqual({ verb: 'pause', keyword: 'saas' })
  expect(commandOf('Resume')).toEqual({ verb: 'resume', keyword: '' })
  for (const q of ['paused', 'saas', 'pause all', 'pause all campaigns']) expect(commandOf(q), q).toBeNull()
  const campaigns = ['SaaS founders', 'SaaS makers'].map((name, index) => ({ id: String(index), name }))
  const commands = commandItems({ verb: 'pause', keyword: 'saas' }, campaigns, '1')
  expect(matches('pause saas', [], true, commands)[0]).toMatchObject({
    label: 'Actions',
    items: [
      { label: 'Pause “SaaS makers”', run: 'pause', campaign: { id: '1' } },
      { label: 'Pause “SaaS founders”', run: 'pause' },
    ],
  })
})

test('finds themes', () => {
  expect(labels('dark')[0]).toEqual(['Actions', 'Dark theme', 'Scrape @dark'])
})
