import { REFERRAL_TIERS } from '@x-automated/contract/waitlist/waitlist'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { normalizeEmail } from '../../../mailbox.ts'
import {
  addressRange,
  BURSTS,
  holdReason,
  isDisposable,
  maskEmail,
  newAchievements,
  nextReward,
  progressPercent,
  rewardMonths,
} from './rules.ts'

const local = fc.stringMatching(/^[a-z][a-z0-9]{0,8}$/)

describe('normalizeEmail', () => {
  it.each([
    ['John.Doe+news@GMail.com', 'johndoe@gmail.com'],
    ['john.doe@googlemail.com', 'johndoe@gmail.com'],
    ['john.doe+x@outlook.com', 'john.doe@outlook.com'],
    ['jane+x+y@fastmail.com', 'jane@fastmail.com'],
    ['jane+x@protonmail.com', 'jane@proton.me'],
    ['jane@pm.me', 'jane@proton.me'],
    ['jane+x@me.com', 'jane@icloud.com'],
    ['john.doe+x@example.com', 'john.doe+x@example.com'],
    ['A.B@Example.com', 'a.b@example.com'],
    // A local part must not become empty.
    ['+x@gmail.com', '+x@gmail.com'],
  ])('normalizes %s to %s', (email, normalized) => {
    expect(normalizeEmail(email)).toBe(normalized)
  })

  it('distinguishes hotmail from outlook', () => {
    expect(normalizeEmail('a@hotmail.com')).not.toBe(normalizeEmail('a@outlook.com'))
  })

  it('is idempotent', () => {
    const domains = fc.constantFrom('gmail.com', 'googlemail.com', 'me.com', 'pm.me', 'example.com', 'outlook.com')
    const email = fc
      .tuple(fc.stringMatching(/^[a-zA-Z0-9][a-zA-Z0-9.+]{0,10}$/), domains)
      .map((parts) => parts.join('@'))
    fc.assert(fc.property(email, (e) => normalizeEmail(normalizeEmail(e)) === normalizeEmail(e)))
  })

  it('recognizes every spelling of a Gmail mailbox', () => {
    fc.assert(
      fc.property(local, fc.array(fc.nat(8)), local, fc.boolean(), (name, dots, tag, isOld) => {
        const dotted = dots.reduce(
          (text, at) => (at > 0 && at < text.length ? `${text.slice(0, at)}.${text.slice(at)}` : text),
          name,
        )
        const written = `${dotted.toUpperCase()}+${tag}@${isOld ? 'googlemail' : 'gmail'}.com`
        expect(normalizeEmail(written)).toBe(`${name}@gmail.com`)
      }),
    )
  })
})

describe('maskEmail', () => {
  it.each([
    ['alexander@example.com', 'ale***@example.com'],
    ['bob@example.com', 'bob***@example.com'],
    ['jo@example.com', 'j***@example.com'],
    ['x@example.com', 'x***@example.com'],
  ])('masks %s as %s', (email, masked) => {
    expect(maskEmail(email)).toBe(masked)
  })
})

describe('holdReason', () => {
  it.each(['a@mailinator.com', 'a@yopmail.com', 'a@sub.mailinator.com'])('is disposable_domain for %s', (email) => {
    expect(isDisposable(email)).toBe(true)
    expect(holdReason(email, [0, 0])).toBe('disposable_domain')
  })

  it.each(['a@gmail.com', 'a@example.com', 'a@duck.com', 'a@privaterelay.appleid.com', 'a@co.uk'])(
    'is null for %s',
    (email) => {
      expect(isDisposable(email)).toBe(false)
    },
  )

  it.each(BURSTS.map((burst, i) => [burst, i] as const))('is address_burst after %j', (burst, i) => {
    const before = (joins: number) => BURSTS.map((_, j) => (j === i ? joins : 0))
    expect(holdReason('a@example.com', before(burst.joins - 1))).toBeNull()
    expect(holdReason('a@example.com', before(burst.joins))).toBe('address_burst')
  })
})

describe('addressRange', () => {
  it.each([
    ['203.0.113.77', '203.0.113.0/24'],
    ['::ffff:203.0.113.77', '203.0.113.0/24'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1::/48'],
    ['nonsense', null],
  ])('maps %s to %s', (address, range) => {
    expect(addressRange(address)).toBe(range)
  })
})

describe('newAchievements', () => {
  it.each([
    [{ alltime: 2, day: 2, countries: 2 }, []],
    [{ alltime: 3, day: 3, countries: 1 }, ['bronze']],
    [{ alltime: 9, day: 5, countries: 1 }, ['bronze', 'viral']],
    [{ alltime: 10, day: 1, countries: 3 }, ['bronze', 'silver', 'global']],
    [{ alltime: 50, day: 1, countries: 1 }, ['bronze', 'silver', 'gold', 'platinum']],
  ])('maps %j to %j', (standing, earned) => {
    expect(newAchievements([], standing)).toEqual(earned)
  })

  it('awards no achievement twice', () => {
    expect(newAchievements(['bronze', 'viral', 'pioneer'], { alltime: 4, day: 6, countries: 0 })).toEqual([])
  })

  it('grants months of Pro only for tiers', () => {
    expect(REFERRAL_TIERS.map((tier) => rewardMonths(tier.key))).toEqual([1, 3, 6, 12])
    expect(rewardMonths('viral')).toBe(0)
  })
})

describe('nextReward and progressPercent', () => {
  it.each([
    [0, 'bronze', 3, 0],
    [2, 'bronze', 1, 16.7],
    [3, 'silver', 7, 25],
    [10, 'gold', 15, 50],
    [25, 'platinum', 25, 75],
    [49, 'platinum', 1, 99],
    [50, 'platinum', 0, 100],
    [1000, 'platinum', 0, 100],
  ])('for %i referrals, return %s in %i at %d%%', (count, key, remaining, percent) => {
    expect(nextReward(count)).toMatchObject({ key, remaining })
    expect(progressPercent(count)).toBe(percent)
  })

  it('never decrease', () => {
    fc.assert(fc.property(fc.nat(60), (n) => progressPercent(n + 1) >= progressPercent(n)))
  })
})
