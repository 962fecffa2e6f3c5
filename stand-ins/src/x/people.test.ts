import { expect, test } from 'vitest'
import { existenceOf, followersOf, personOf } from './people.ts'

const crowd = Array.from({ length: 5000 }, (_, index) => personOf(followersOf('bigfounder').handleAt(index)))
const share = (of: (person: ReturnType<typeof personOf>) => unknown) => crowd.filter(of).length / crowd.length

test('derives the same person from a handle in every run and release', () => {
  expect(personOf('bigfounder')).toMatchObject({
    id: '4614978299255472806',
    name: 'Ida Ibrahim',
    followerCount: 1_000_000,
  })
  expect(personOf('BigFounder')).toEqual(personOf('bigfounder'))
  expect(followersOf('bigfounder').handleAt(0)).toBe('Annadj51')
})

test('applies the traits in a handle', () => {
  expect(personOf('f250_x').followerCount).toBe(250)
  expect(personOf('f5k_g40_x')).toMatchObject({ followerCount: 5000, followingCount: 40, protected: false })
  expect(personOf('f2m_x').followerCount).toBe(2_000_000)
  expect(personOf('closed_x')).toMatchObject({ inboxOpen: false, answer: undefined })
  expect(personOf('open_x')).toMatchObject({ inboxOpen: true, answer: undefined })
  expect(personOf('protected_f9').protected).toBe(true)
  expect(personOf('replies_x')).toMatchObject({ inboxOpen: true, answer: expect.any(String) })
  expect(personOf('stops_x').answer).toMatch(/stop|unsubscribe|remove/i)
  expect(existenceOf('missing_x')).toBe('missing')
  expect(existenceOf('suspended_x')).toBe('suspended')
  expect(existenceOf('not a handle')).toBe('missing')
})

test('recognizes traits only as whole leading parts', () => {
  expect(personOf('closedx').id).not.toBe(personOf('closed_x').id)
  expect(existenceOf('missingpiece')).toBe('there')
  expect(existenceOf('the_missing')).toBe('there')
})

test('gives all followers of an all… handle its trait', () => {
  const traits = { allopen: 'open', allclosed: 'closed', allreplies: 'replies', allstops: 'stops' }
  for (const [list, trait] of Object.entries(traits)) {
    const people = followersOf(`${list}_f30`)
    for (let index = 0; index < 30; index++)
      expect(people.handleAt(index)).toMatch(new RegExp(`^${trait}_[0-9a-z]{4}$`))
  }
})

test('mixes the population like X', () => {
  expect(share((person) => /founder/i.test(person.bio))).toBeGreaterThan(0.1)
  expect(share((person) => /saas|marketing|indie hacker|crypto|designer/i.test(person.bio))).toBeGreaterThan(0.4)
  expect(share((person) => person.bio === '')).toBeGreaterThan(0.04)
  expect(share((person) => /\p{Emoji_Presentation}/u.test(person.name))).toBeGreaterThan(0.05)
  expect(share((person) => /[\u0590-\u06ff]/.test(person.name))).toBeGreaterThan(0.03)
  expect(share((person) => person.followerCount === 0)).toBeGreaterThan(0.005)
  expect(share((person) => person.followerCount >= 100 && person.followerCount <= 10_000)).toBeGreaterThan(0.5)
  expect(Math.max(...crowd.map((person) => person.followerCount))).toBeGreaterThan(1_000_000)
  for (const trait of [
    (p: (typeof crowd)[0]) => !p.inboxOpen,
    (p: (typeof crowd)[0]) => p.protected,
    (p: (typeof crowd)[0]) => p.answer,
  ]) {
    expect(share(trait)).toBeGreaterThan(0.02)
    expect(share(trait)).toBeLessThan(0.2)
  }
})
