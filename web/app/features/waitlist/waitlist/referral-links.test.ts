import { expect, it } from 'vitest'
import { referralLinks, SHARE_TEXT, shareAddresses } from './referral-links'

it('builds the link for each page', () => {
  expect(referralLinks.waitlist('https://x.test', 'QW3RTY')).toBe('https://x.test/waitlist?ref=QW3RTY')
  expect(referralLinks.dashboard('https://x.test', 'QW3RTY')).toBe('https://x.test?ref=QW3RTY')
  expect(referralLinks.rankings('https://x.test', 'QW3RTY')).toBe('https://x.test/?ref=QW3RTY')
})

it('encodes link and text for each network', () => {
  const link = 'https://x.test/waitlist?ref=a&b'
  const text = `${SHARE_TEXT} ${link}`
  const read = (address: string) => Object.fromEntries(new URL(address).searchParams)
  expect(read(shareAddresses.twitter(link))).toEqual({ text: SHARE_TEXT, url: link })
  expect(read(shareAddresses.facebook(link))).toEqual({ u: link })
  expect(read(shareAddresses.linkedin(link))).toEqual({ url: link })
  expect(read(shareAddresses.whatsapp(link))).toEqual({ text })
  expect(read(shareAddresses.email(link))).toMatchObject({ body: text })
  expect(shareAddresses.email(link)).not.toContain('+')
  expect(read(shareAddresses.twitter(link, 'Look'))).toEqual({ text: 'Look', url: link })
})
