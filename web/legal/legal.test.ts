import { readFileSync } from 'node:fs'
import { formatNumber } from '@x-automated/contract/format'
import { INVITATION_DAYS } from '@x-automated/contract/identity/people'
import { IMPORTS_KEPT } from '@x-automated/contract/leads/import-limits'
import { NOTIFICATION_DAYS } from '@x-automated/contract/platform/notifications'
import { PLAN_LEVELS, PLANS } from '@x-automated/contract/platform/plans'
import { REFERRAL_TIERS } from '@x-automated/contract/waitlist/waitlist'
import { describe, expect, it } from 'vitest'
import { faq } from '../app/features/waitlist/landing/faq-answers'

const wordsOf = (file: string) =>
  readFileSync(new URL(file, import.meta.url), 'utf8')
    .replaceAll(/<[^>]+>/g, ' ')
    .replaceAll(/\s+/g, ' ')
const privacy = wordsOf('./privacy.html')
const terms = wordsOf('./terms.html')

const count = (value: number | null) => (value === null ? 'unlimited' : formatNumber(value))
const priceOf = (id: string) => `$${(PLANS.find((plan) => plan.id === id)?.priceCents ?? Number.NaN) / 100}`

describe('the terms', () => {
  it.each(['free', 'pro', 'agency'] as const)('list the limits of %s', (id) => {
    const { name, scrapedLeads, dms, xAccounts } = PLAN_LEVELS[id]
    const said = terms.match(new RegExp(`${id === 'free' ? 'The free plan' : name} includes [^.]+\\.`))?.[0]
    expect(said).toMatch(`${count(scrapedLeads)} ${scrapedLeads === null ? 'leads' : 'scraped leads'}`)
    expect(said).toMatch(`${count(dms)} messages a month`)
    expect(said).toMatch(xAccounts === 1 ? 'one X account' : `${xAccounts} X accounts`)
    if (id !== 'free') expect(said).toMatch(`${priceOf(`${id}_monthly`)} a month or ${priceOf(`${id}_yearly`)} a year`)
  })

  it('list the referral rewards', () => {
    const list = (values: number[]) => `${values.slice(0, -1).join(', ')} and ${values.at(-1)}`
    const referrals = list(REFERRAL_TIERS.map(({ threshold }) => threshold))
    expect(terms).toContain(`${referrals} credited referrals earn ${list(REFERRAL_TIERS.map(({ months }) => months))}`)
  })
})

describe('the privacy policy', () => {
  it.each([
    ['Notifications in the product', `${NOTIFICATION_DAYS} days`],
    ['Email addresses invited to a workspace', `at most ${INVITATION_DAYS} days`],
    ['Your purchases', 'With your workspace'],
    ['Paired browser extensions', 'Until you unpair them'],
    ['Imports:', `The newest ${IMPORTS_KEPT}, with your workspace`],
  ])('states the retention period of “%s”', (what, how) => {
    const [, after] = privacy.split(what)
    expect(after?.slice(0, 500)).toContain(how)
  })

  /** Reads a constant from the server's source, which the web app may not import. */
  const constantIn = (file: string, name: string) => {
    const text = readFileSync(new URL(`../../server/src/${file}`, import.meta.url), 'utf8')
    return Number(text.match(new RegExp(`const ${name} = (\\d+)\\b`))?.[1])
  }
  it.each([
    [
      'Sessions, with their network address',
      `${constantIn('domains/identity/auth/engine.ts', 'SESSION_DAYS')} days after their last use`,
    ],
    ['Codes and links that we email', `to ${constantIn('domains/identity/auth/sign-up.ts', 'LINK_HOURS')} hours`],
    ['a sign-up that is never confirmed', `${constantIn('domains/identity/auth/sign-up.ts', 'WAITING_DAYS')} days`],
    [
      'The network address of a join',
      `${constantIn('domains/waitlist/waitlist/waitlist.ts', 'ADDRESSES_KEPT_DAYS')} days`,
    ],
    ['Deliveries of webhooks', `${constantIn('domains/platform/webhooks/webhooks.ts', 'KEPT_DAYS')} days`],
    ['requests with an idempotency key', `${constantIn('requests/once.ts', 'KEPT_HOURS')} hours`],
  ])("states the server's retention period of “%s”", (what, how) => {
    const [, after] = privacy.split(what)
    expect(after?.slice(0, 300)).toContain(how)
  })
  it('matches the grace period in the terms', () => {
    expect(terms).toContain(
      `you keep the plan for ${constantIn('domains/platform/billing/rules.ts', 'GRACE_DAYS')} more days`,
    )
  })

  it.each([
    'Campaigns with their messages, saved filters',
    'Scrapes:',
    'Single sign-on of a workspace',
    'What operators of this server did',
    'when people replied and what kind of reply it was, and when messages were read',
    'texts of replies and of messages you send the same people yourself',
    'the handle of people who write to the X account and are not leads',
    'Notes about conversations, and snippets for replies',
    'People who opted out',
    'A provider of AI models receives what is needed for a text',
    'We do not store what was sent to a model',
    'Copies of profile pictures on X',
    'messages you are sending from the messenger and their recipients',
    'what you last opened from search, with people’s names',
    'Links that confirm a place on the waitlist, or unsubscribe from its emails, are not stored',
  ])('mentions “%s”', (what) => {
    expect(privacy).toContain(what)
  })

  it('says what the preview image of a referral link shows', () => {
    expect(privacy).toContain('When your referral link is shared, its preview image shows that position')
  })

  // Connecting X on a page of its own needs one cookie
  // (server/src/domains/platform/x-account/routes.ts), and a sign-up needs another
  // (domains/identity/auth/routes.ts).
  it('names the two cookies, and no text claims there are none', () => {
    expect(privacy).toContain('There are two cookies')
    const all = [privacy, terms, ...faq.map(({ answer }) => answer)].join(' ')
    expect(all).not.toMatch(/no cookies|never cookies/)
  })
})
