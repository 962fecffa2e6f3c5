import { type Dice, dice, hash } from './hash.ts'
import { HANDLE, handleOfId, idOfHandle } from './ids.ts'
import {
  asWritten,
  followerCountFrom,
  memberOf,
  type People,
  POPULATION,
  peopleOf,
  TRAIT_POPULATION,
} from './population.ts'
import * as words from './words.ts'

/** What the leading parts of a handle say about its person (README.md lists them): `closed_f250_x`. */
type Traits = {
  existence: 'there' | 'missing' | 'suspended'
  inbox?: 'open' | 'closed'
  protected?: boolean
  answers?: 'never' | 'answers' | 'optsOut'
  reads?: boolean
  followers?: number
  following?: number
  /** The trait that everybody who follows this handle carries in their own. */
  followersAre?: string
}

const FAMOUS: Record<string, number> = {
  bigfounder: 1_000_000,
  hugefounder: 4_200_000,
  growthqueen: 48_200,
  indiehans: 5_400,
}

const PARTS: Record<string, Partial<Traits>> = {
  missing: { existence: 'missing' },
  suspended: { existence: 'suspended' },
  open: { inbox: 'open', answers: 'never', reads: false, protected: false },
  reads: { inbox: 'open', answers: 'never', reads: true, protected: false },
  closed: { inbox: 'closed', answers: 'never', protected: false },
  protected: { protected: true },
  replies: { inbox: 'open', answers: 'answers', protected: false },
  stops: { inbox: 'open', answers: 'optsOut', protected: false },
  allopen: { followersAre: 'open', protected: false },
  allclosed: { followersAre: 'closed', protected: false },
  allreplies: { followersAre: 'replies', protected: false },
  allstops: { followersAre: 'stops', protected: false },
}

/** Whether a handle begins with a trait at all: nearly none does, and the rest is spared the reading. */
const HAS_TRAIT = new RegExp(`^(?:[fg]\\d{1,7}[km]?|${Object.keys(PARTS).join('|')})(?:_|$)`)

function traitsOf(handle: string): Traits {
  const traits: Traits = { existence: 'there' }
  if (!HAS_TRAIT.test(handle)) return traits
  for (const part of handle.split('_')) {
    const count = /^([fg])(\d{1,7})([km]?)$/.exec(part)
    if (count) {
      const number = Number(count[2]) * (count[3] === 'm' ? 1_000_000 : count[3] === 'k' ? 1_000 : 1)
      if (count[1] === 'f') traits.followers = number
      else traits.following = number
      // A list of a named size is there to be read.
      traits.protected ??= false
    } else if (part in PARTS) Object.assign(traits, PARTS[part])
    else break
  }
  return traits
}

/** Somebody on X. All of it follows from the handle. */
export type Person = {
  id: string
  handle: string
  name: string
  bio: string
  location: string
  website: string
  createdAt: string
  followerCount: number
  followingCount: number
  postCount: number
  listedCount: number
  likeCount: number
  verified: boolean
  protected: boolean
  inboxOpen: boolean
  /** What they write back to a first message, if they do. */
  answer: string | undefined
  /** Whether others see that they have read a message. */
  reads: boolean
}

/** Says whether a handle is anybody's: `missing` where nobody ever was, `suspended` where X has shut the account. */
export function existenceOf(handle: string): Traits['existence'] {
  return HANDLE.test(handle) ? traitsOf(handle.toLowerCase()).existence : 'missing'
}

/** The person behind a handle, the same each time. The handle must be one that X takes. */
export function personOf(handle: string): Person {
  const key = handle.toLowerCase()
  const traits = traitsOf(key)
  const member = memberOf(key)
  const draw = dice(hash(key))

  const followerCount = traits.followers ?? FAMOUS[key] ?? followerCountFrom(hash(key, 3))
  const isFamous = followerCount > 100_000
  const isProtected = draw.chance(0.04)
  const isClosed = draw.chance(0.12)
  const answers = draw.chance(0.08) ? (draw.chance(0.12) ? 'optsOut' : 'answers') : 'never'
  const answerKind = traits.answers ?? answers

  return {
    id: idOfHandle(key),
    handle: member ? asWritten(key) : key,
    name: nameFrom(draw, member?.firstName),
    bio: bioFrom(draw),
    location: draw.chance(0.6) ? draw.pick(words.PLACES) : '',
    website: draw.chance(0.35) ? `https://${key.replaceAll('_', '-')}.example` : '',
    createdAt: new Date(Date.UTC(2007, 2, 1) + Math.floor(draw.next() * 18 * 365 * 86_400) * 1000).toISOString(),
    followerCount: Math.min(followerCount, traits.followersAre ? TRAIT_POPULATION : POPULATION),
    followingCount: Math.min(POPULATION, traits.following ?? Math.round(10 ** (1 + draw.next() * 2.4))),
    postCount: Math.round(10 ** (draw.next() * 4.3)),
    listedCount: Math.round(followerCount / 200),
    likeCount: Math.round(10 ** (draw.next() * 4.5)),
    verified: isFamous || draw.chance(0.06),
    protected: traits.protected ?? (isProtected && !isFamous),
    inboxOpen: traits.inbox ? traits.inbox === 'open' : !isClosed,
    answer: answerKind === 'never' ? undefined : draw.pick(answerKind === 'answers' ? words.ANSWERS : words.OPT_OUTS),
    // Drawn last, so that all else of a person stays as it was.
    reads: answerKind !== 'never' || (traits.reads ?? draw.chance(0.5)),
  }
}

/** Those who follow the handle, newest first. */
export function followersOf(handle: string): People {
  const key = handle.toLowerCase()
  return peopleOf(`followers:${key}`, personOf(key).followerCount, traitsOf(key).followersAre)
}

/** Those whom the handle follows, newest first. */
export function followedBy(handle: string): People {
  const key = handle.toLowerCase()
  return peopleOf(`following:${key}`, personOf(key).followingCount)
}

/** Remembers the few handles whose id does not lead back to them (those of 13 to 15 characters). */
export type Registry = {
  /** Notes that the handle has been seen. */
  see(handle: string): void
  /** The handle of an id, if anybody on X has it. */
  find(id: string): string | undefined
}

/** `remember` is told of each handle that has to outlive a restart. */
export function createRegistry(remember: (handle: string) => void): Registry {
  const long = new Map<string, string>()
  return {
    see(handle) {
      if (handle.length <= 12) return
      const id = idOfHandle(handle)
      if (long.has(id)) return
      long.set(id, handle.toLowerCase())
      remember(handle)
    },
    find: (id) => long.get(id) ?? handleOfId(id),
  }
}

function nameFrom(draw: Dice, firstName: string | undefined): string {
  const kind = draw.next()
  if (kind < 0.06) return draw.pick(words.RIGHT_TO_LEFT_NAMES)
  if (kind < 0.1) return draw.pick(words.EAST_ASIAN_NAMES)
  if (kind < 0.11) return draw.pick(words.AWKWARD_NAMES)
  const first = firstName ?? draw.pick(words.FIRST_NAMES)
  const capital = first.charAt(0).toUpperCase() + first.slice(1)
  const name = draw.chance(0.75) ? `${capital} ${draw.pick(words.LAST_NAMES)}` : capital
  if (kind < 0.24) return `${name} ${draw.pick(words.EMOJIS)}`
  return kind < 0.27 ? name.toLowerCase() : name
}

function bioFrom(draw: Dice): string {
  if (draw.chance(0.09)) return ''
  const lines = [tradeFrom(draw)]
  if (draw.chance(0.3)) lines.push(tradeFrom(draw))
  if (draw.chance(0.45)) lines.push(draw.pick(words.BIO_TAILS))
  if (draw.chance(0.25)) lines.push(draw.pick(words.EMOJIS))
  return lines
    .join(draw.pick(['. ', ' | ', ' · ', '\n']))
    .replaceAll('{co}', draw.pick(words.COMPANIES))
    .replaceAll('{market}', draw.pick(words.MARKETS))
    .slice(0, 160)
}

function tradeFrom(draw: Dice): string {
  let left = draw.below(TRADE_TOTAL)
  for (const trade of words.TRADES) {
    left -= trade.perThousand
    if (left < 0) return draw.pick(trade.lines)
  }
  return ''
}

const TRADE_TOTAL = words.TRADES.reduce((sum, trade) => sum + trade.perThousand, 0)
