import { TemplateSteps } from '@x-automated/contract/outreach/steps'
import { parseTemplate } from '@x-automated/contract/outreach/template'
import { describe, expect, it } from 'vitest'
import { sharingLimit, templateLimit } from './rules.ts'
import { findStarters, STARTERS } from './starters.ts'

describe('plans', () => {
  it.each([
    ['free', 2, false, null],
    ['free', 3, false, 3],
    ['free', 3, true, null],
    ['pro', 49, false, null],
    ['pro', 50, false, 50],
    ['pro', 50, true, null],
    ['agency', 100_000, false, null],
  ] as const)(
    'of %s with %i templates (unlimited: %s) limit the next one as planned',
    (plan, used, isUnlimited, limit) => {
      expect(templateLimit({ plan, used, isUnlimited })?.limit ?? null).toBe(limit)
    },
  )

  it('name the limit and the plan that lifts it', () => {
    expect(templateLimit({ plan: 'free', used: 3, isUnlimited: false })?.text).toBe(
      'Your Free plan includes 3 templates. Upgrade to Pro for 50, or archive one.',
    )
    expect([sharingLimit('pro'), sharingLimit('agency')]).toEqual([expect.stringContaining('Upgrade to Agency'), null])
  })
})

describe('starters', () => {
  it.each(STARTERS)('are six valid templates: $name', ({ steps }) => {
    expect(STARTERS).toHaveLength(6)
    expect(TemplateSteps.parse(steps)).toEqual(steps)
    for (const { variants } of steps)
      for (const { messageTemplate } of variants) expect(parseTemplate(messageTemplate)).toHaveProperty('template')
  })

  it('are found by their name and their messages, and are in no folder', () => {
    expect(findStarters({ q: ' short CALL ' }).map(({ name }) => name)).toEqual(['Invite to a call'])
    expect(findStarters({ folder: 'Founders' })).toEqual([])
  })
})
