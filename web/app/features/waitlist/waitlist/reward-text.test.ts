import { expect, it } from 'vitest'
import { rewardText } from './reward-text'

it.each([
  ['viral', 'free', "Pro's monthly allowance for our AI model."],
  ['viral', 'agency', "Twice your plan's monthly allowance for our AI model."],
  ['global', 'free', 'Custom filtering rules, and campaigns with up to 3 messages per person.'],
  ['global', 'pro', 'Custom filtering rules, and campaigns with up to 3 messages per person, also on Free.'],
  ['platinum', 'pro', 'Dedicated support for the owner: first answer within 1 business day.'],
] as const)('says what %s gives on %s', (achievement, plan, text) => {
  expect(rewardText(achievement, plan)).toBe(text)
})

it.each(['bronze', 'pioneer', 'founder'])('has no text for %s, which gives nothing of its own', (achievement) => {
  expect(rewardText(achievement, 'free')).toBeNull()
})
