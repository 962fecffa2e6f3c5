import { expect, it } from 'vitest'
import { referralLinks, SHARE_WORDS, shareAddresses } from './referral-links'

it('writes the link as each page has it', () => {
  expect(referralLinks.waitlist('https://x.test', 'QW3RTY')).toBe('https://x.test/waitlist?ref=QW3RTY')
  expect(referralLinks.dashboard('https://x.test', 'QW3RTY')).toBe('https://x.test?ref=QW3RTY')
  expect(referralLinks.rankings('https://x.test', 'QW3RTY')).toBe('https://x.test/?ref=QW3RTY')
})

it('hands link and words to each network whole, whatever is in them', () => {
  const link = 'https://x.test/waitlist?ref=a&b'
  const text = `${SHARE_WORDS} ${link}`
  const read = (address: string) => Object.fromEntries(new URL(address).searchParams)
  expect(read(shareAddresses.twitter(link))).toEqual({ text: SHARE_WORDS, url: link })
  expect(read(shareAddresses.facebook(link))).toEqual({ u: link })
  expect(read(shareAddresses.linkedin(link))).toEqual({ url: link })
  expect(read(shareAddresses.whatsapp(link))).toEqual({ text })
  expect(read(shareAddresses.email(link))).toMatchObject({ body: text })
  expect(shareAddresses.email(link)).not.toContain('+')
  expect(read(shareAddresses.twitter(link, 'Look'))).toEqual({ text: 'Look', url: link })
})
