import { CAMPAIGN_STATUSES, type CampaignStatus } from '@x-automated/contract/outreach/campaigns'
import { readSegments, type Template } from '@x-automated/contract/outreach/template'
import { describe, expect, it } from 'vitest'
import { billOf, mayBeEdited, placeholdersWithFallback, refusalOf, transition } from './states.ts'

/** Every transition, from (row) to (column). */
const TABLE: Record<CampaignStatus, Record<'active' | 'paused' | 'archived', ReturnType<typeof transition>>> = {
  draft: { active: 'changes', paused: 'forbidden', archived: 'changes' },
  paused: { active: 'changes', paused: 'same', archived: 'changes' },
  active: { active: 'same', paused: 'changes', archived: 'changes' },
  completed: { active: 'forbidden', paused: 'forbidden', archived: 'changes' },
  archived: { active: 'forbidden', paused: 'forbidden', archived: 'forbidden' },
}

describe('billOf', () => {
  const prices = { sendPriceCents: 1.5, readPriceCents: 1 }
  const plan = { channel: 'api' as const, people: 1_000, messages: 3_000, lookups: 100, days: 10 }

  it('adds messages, their reading, replies and their delivery, lookups, and what is read again', () =>
    expect(billOf(plan, prices)).toBe(4_500 + 3_000 + 500 + 100 + 50))

  it('charges nothing for messages that the extension sends', () =>
    expect(billOf({ ...plan, channel: 'extension', lookups: 0 }, prices)).toBe(500 + 50))

  it('is null if X charges nothing, and 0 if nobody gets a message', () => {
    expect(billOf(plan, { sendPriceCents: 0, readPriceCents: 0 })).toBeNull()
    expect(billOf({ ...plan, people: 0, messages: 0, lookups: 0, days: 0 }, prices)).toBe(0)
  })
})

describe('transition', () => {
  for (const from of CAMPAIGN_STATUSES)
    for (const [to, expected] of Object.entries(TABLE[from]))
      it(`returns '${expected}' for ${from} → ${to}`, () =>
        expect(transition(from, to as CampaignStatus)).toBe(expected))

  it('never returns a campaign to draft', () => {
    for (const from of CAMPAIGN_STATUSES.filter((status) => status !== 'draft'))
      expect(transition(from, 'draft')).toBe('forbidden')
  })

  it('never allows a user to complete a campaign', () => {
    for (const from of CAMPAIGN_STATUSES) expect(transition(from, 'completed')).toBe('forbidden')
  })

  it('has a message for every refusal', () => {
    for (const from of CAMPAIGN_STATUSES)
      for (const to of CAMPAIGN_STATUSES) expect(refusalOf(from, to)).toMatch(/^An? .+\.$/)
  })
})

it('allows edits of draft, paused and active campaigns', () => {
  expect(CAMPAIGN_STATUSES.filter(mayBeEdited)).toEqual(['draft', 'paused', 'active'])
})

it('returns each placeholder with a fallback once', () => {
  const template = readSegments(
    '{Lead_Name|you} {lead_name} {company|us} {Company|us} {company|them} {twitter_handle} {first_name} {{first_name|you}}',
  )
  expect(placeholdersWithFallback(template as Template)).toEqual([
    { place: '{lead_name}', part: { kind: 'name', fallback: '' } },
    { place: '{company|us}', part: { kind: 'variable', key: 'company', fallback: '' } },
    { place: '{company|them}', part: { kind: 'variable', key: 'company', fallback: '' } },
    { place: '{first_name}', part: { kind: 'firstName', fallback: '' } },
    { place: '{first_name|you}', part: { kind: 'firstName', fallback: '' } },
  ])
})
