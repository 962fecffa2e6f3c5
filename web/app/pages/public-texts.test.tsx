import { QueryClientProvider } from '@tanstack/react-query'
import type { ComponentType } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { MemoryRouter } from 'react-router'
import { describe, expect, it } from 'vitest'
import { FALLBACK_PLANS } from '../features/platform/billing/fallback-plans'
import { createQueryClient } from '../query-client'
import Pricing from './platform/pricing'
import Home from './waitlist/home'

/** The text of a prerendered page, with one line per element. */
function textOf(Page: ComponentType): string {
  const html = renderToStaticMarkup(
    <QueryClientProvider client={createQueryClient()}>
      <MemoryRouter>
        <Page />
      </MemoryRouter>
    </QueryClientProvider>,
  )
  return html
    .replaceAll(/<[^>]+>/g, '\n')
    .replaceAll('&#x27;', "'")
    .toLowerCase()
}

/**
 * Texts that may be part of a sentence. Other texts must be a complete element, so that
 * 'Pro Yearly' does not match 'Pro'.
 */
const WITHIN_A_SENTENCE = new Set([
  '40%',
  'role-based permissions',
  'shared templates',
  'within 15 minutes',
  'free tier',
])

/** Texts that public pages must contain, ignoring upper and lower case. */
describe.each([
  [
    'the landing page',
    Home,
    [
      ['hero', 'Automate your X outreach with AI', 'Sign Up Now'],
      ['preview', '327', 'messages sent', '43%', 'response rate', '18', 'conversions'],
      ['trust badges', 'GDPR compliant', 'secure data', '24/7 support', 'on Agency Yearly', 'regular updates'],
      [
        'claims',
        '15+ hours',
        'saved every week',
        'up to 500 DMs',
        'a day',
        'about 15k DMs',
        'a month',
        '3x higher',
        'response rate',
        '40%',
      ],
      ['writing', 'AI writer', 'custom variables', 'A/B testing'],
      ['following up', 'multi-stage follow-ups', 'smart pausing', 're-engagement'],
      [
        'features',
        'lead scraping',
        'auto DMs',
        'analytics',
        'team access',
        'role-based permissions',
        'shared templates',
      ],
      ['bronze', 'Bronze', '3 referrals', '1 month free premium'],
      ['silver', 'Silver', '10 referrals', '3 months free plus strategy session'],
      ['gold', 'Gold', '25 referrals', '6 months free plus custom templates'],
      ['platinum', 'Platinum', '50+ referrals', '1 year free with dedicated support'],
      ['pioneer', 'Pioneer', 'first 100 users', 'priority feature access', 'from the next release on'],
      ['viral', 'Viral Sensation', '5 referrals in one day', 'exclusive AI features'],
      ['global', 'Global Networker', 'referrals from 3+ countries', 'custom X automation'],
      ['questions', 'within 15 minutes', 'free tier'],
      ['last call', 'Join the early access list now!'],
    ],
  ],
  [
    'the pricing page',
    Pricing,
    [
      ['heads', 'Choose Your Plan', 'Start automating your Twitter growth today', 'Save 50%', 'Get Started'],
      [
        'Pro',
        '$50',
        '/month',
        'up to 1,000 leads per month',
        'advanced filtering',
        'automated DM campaigns',
        'basic analytics',
        'email support',
      ],
      ['Pro Yearly', '$300', '/year', 'all Pro features', 'priority email support', 'Save $300', 'MOST POPULAR'],
      [
        'Agency',
        '$120',
        'unlimited leads',
        'custom filtering rules',
        'advanced DM campaigns',
        'team collaboration',
        'advanced analytics',
        'priority support',
        'API access',
      ],
      ['Agency Yearly', '$720', 'all Agency features', '24/7 priority support', 'Save $720'],
    ],
  ],
] as const)('%s', (_, Page, texts) => {
  const content = textOf(Page)
  const elements = content.split('\n').map((line) => line.trim())
  it.each(texts.map(([what, ...expected]) => [what, expected] as const))(
    'shows every text of %s',
    (_what, expected) => {
      for (const text of expected)
        expect(WITHIN_A_SENTENCE.has(text) ? content : elements).toContain(text.toLowerCase())
    },
  )
})

it.each([
  [
    'Pro',
    '5,000 DMs per month|unlimited leads|advanced analytics|priority support|custom message templates|up to 3 Twitter accounts',
  ],
  ['Pro Yearly', 'Save $300 per year'],
  [
    'Agency',
    '20,000 DMs per month|unlimited leads|advanced analytics|dedicated support|custom templates|up to 10 Twitter accounts|white-label reports|API access',
  ],
  ['Agency Yearly', 'Save $720 per year'],
])('the fallback plan %s lists its features', (name, list) => {
  const features = FALLBACK_PLANS.find((plan) => plan.name === name)?.features.map((text) => text.toLowerCase())
  expect(features).toEqual(expect.arrayContaining(list.toLowerCase().split('|')))
})

it('labels figures as examples, and says which plan has what', () => {
  const home = textOf(Home)
  expect(home).toMatch(/time saved and response rates are examples/)
  expect(home).toMatch(/for example: following up raises conversion by 40%/)
  expect(home).toMatch(/on agency yearly within\s+4 hours, day and night\s+\(24\/7 support\)/)
  expect(home).toMatch(
    /on agency and\s+pro yearly within\s+1 business day,\s+on pro within\s+2 business days,\s+and on free/,
  )
  const pricing = textOf(Pricing)
  expect(pricing).toMatch(/a\/b tests\s+no\s+no\s+yes/)
  expect(pricing).toMatch(/re-engagement\s+no\s+no\s+yes/)
  expect(pricing).toMatch(/messages in a sequence\s+1\s+3\s+10/)
})
