import { sequenceLimits } from '@x-automated/contract/outreach/sequence-limits'
import type { TemplateStep } from '@x-automated/contract/outreach/steps'
import type { PlanLevel } from '@x-automated/contract/platform/plans'
import { describe, expect, it } from 'vitest'
import { authorText, rateText, withinPlan } from './template-text'

const step = (...texts: string[]): TemplateStep => ({
  allocation: 'weights',
  switchToWinner: false,
  testWindowDays: 7,
  variants: texts.map((messageTemplate) => ({ messageTemplate, weight: 1, isActive: true })),
})

const on = (plan: PlanLevel, achievements: string[] = []) => ({ plan, limits: sequenceLimits(plan, achievements) })

describe('withinPlan', () => {
  it('keeps what the plan allows and names the rest', () => {
    const { steps, leftOut } = withinPlan([step('A', 'B'), step('C'), step('D')], on('free'))
    expect(steps).toEqual([step('A')])
    expect(leftOut).toBe(
      'Left out: 2 of 3 messages and A/B variants. Your Free plan includes 1 step per campaign. Upgrade to Pro for 3.',
    )
  })

  it('names variants alone', () => {
    expect(withinPlan([step('A', 'B')], on('pro')).leftOut).toBe(
      'Left out: A/B variants. Upgrade to Agency to test several messages.',
    )
  })

  it('keeps three messages on Free for a Global Networker', () => {
    const steps = ['A', 'B', 'C'].map((text) => step(text))
    expect(withinPlan(steps, on('free', ['global']))).toEqual({ steps, leftOut: null })
    expect(withinPlan([...steps, step('D')], on('free', ['global']))).toEqual({
      steps,
      leftOut:
        'Left out: 1 of 4 messages. Your Free plan, with the Global Networker reward, includes 3 steps per campaign. Upgrade to Agency for 10.',
    })
  })

  it.each([
    ['agency', on('agency')],
    ['an unknown plan', undefined],
  ] as const)('keeps everything on %s', (_, planLimits) => {
    const steps = [step('A', 'B'), step('C')]
    expect(withinPlan(steps, planLimits)).toEqual({ steps, leftOut: null })
  })
})

it('shows a dash if nobody was messaged, and rates of 0', () => {
  expect([rateText(null), rateText(0), rateText(33.3)]).toEqual(['–', '0.0%', '33.3%'])
})

it('names the product as the author of starters', () => {
  expect(authorText({ author: null, isStarter: true })).toBe('X-Automated')
  expect(authorText({ author: null, isStarter: false })).toBe('Deleted account')
})
