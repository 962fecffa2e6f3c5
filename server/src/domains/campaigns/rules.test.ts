import { CAMPAIGN_STATUSES, type CampaignStatus } from '@x-automated/contract/campaigns'
import { describe, expect, it } from 'vitest'
import { mayBeEdited, refusalOf, transition } from './rules.ts'

/** Specification §4, whole: from (row) to (column). */
const TABLE: Record<CampaignStatus, Record<'active' | 'paused' | 'archived', ReturnType<typeof transition>>> = {
  draft: { active: 'changes', paused: 'forbidden', archived: 'changes' },
  paused: { active: 'changes', paused: 'same', archived: 'changes' },
  active: { active: 'same', paused: 'changes', archived: 'changes' },
  completed: { active: 'forbidden', paused: 'forbidden', archived: 'changes' },
  archived: { active: 'forbidden', paused: 'forbidden', archived: 'forbidden' },
}

describe('transition', () => {
  for (const from of CAMPAIGN_STATUSES)
    for (const [to, expected] of Object.entries(TABLE[from]))
      it(`${from} → ${to}: ${expected}`, () => expect(transition(from, to as CampaignStatus)).toBe(expected))

  it('never makes a draft of anything', () => {
    for (const from of CAMPAIGN_STATUSES.filter((status) => status !== 'draft'))
      expect(transition(from, 'draft')).toBe('forbidden')
  })

  it('never completes by a wish', () => {
    for (const from of CAMPAIGN_STATUSES) expect(transition(from, 'completed')).toBe('forbidden')
  })

  it('has a sentence for every refusal', () => {
    for (const from of CAMPAIGN_STATUSES)
      for (const to of CAMPAIGN_STATUSES) expect(refusalOf(from, to)).toMatch(/^An? .+\.$/)
  })
})

it('a campaign may be edited until it is over', () => {
  expect(CAMPAIGN_STATUSES.filter(mayBeEdited)).toEqual(['draft', 'paused', 'active'])
})
