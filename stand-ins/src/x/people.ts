import { type Dice, dice, hash } from './hash.ts'
import { HANDLE, handleOfId, idOfHandle } from './ids.ts'
import {
  followerCountFrom,
  memberOf,
  type People,
  POPULATION,
  peopleOf,
  TRAIT_POPULATION,
  withCapitals,
} from './population.ts'
import type { ProblemName } from './problems.ts'
import * as vocabulary from './vocabulary.ts'

/** Traits, from the leading parts of a handle such as `closed_f250_x` (see README.md). */
type Traits = {
  existence: 'there' | 'missing' | 'suspended'
  inbox?: 'open' | 'closed'
  protected?: boolean
  answers?: 'never' | 'answers' | 'optsOut'
  /** Answers in X Chat, which `dm_events` never shows. */
  chats?: boolean
  /** Has no X Chat: neither a public key nor conversations. */
  hasNoChat?: boolean
  /** X's error for messages to this person. */
  refusal?: ProblemName
  /** Has X Premium. */
  premium?: boolean
  reads?: boolean
  followers?: number
  following?: number
  /** A trait of everyone who follows this handle. */
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
  chats: { inbox: 'open', answers: 'answers', chats: true, protected: false },
  chatstops: { inbox: 'open', answers: 'optsOut', chats: true, protected: false },
  nochat: { hasNoChat: true },
  premium: { premium: true },
  premiumonly: { inbox: 'open', refusal: 'premium', answers: 'never', protected: false },
  encrypted: { inbox: 'open', refusal: 'encrypted', answers: 'never', protected: false },
  refused: { inbox: 'open', refusal: 'not-permitted', answers: 'never', protected: false },
  allopen: { followersAre: 'open', protected: false },
  allclosed: { followersAre: 'closed', protected: false },
  allreplies: { followersAre: 'replies', protected: false },
  allstops: { followersAre: 'stops', protected: false },
  allchats: { followersAre: 'chats', protected: false },
}

/** Matches handles that start with a trait. A quick check, because few do. */
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
      // If the size of a list is given, anyone must be able to read the list.
      traits.protected ??= false
    } else if (part in PARTS) Object.assign(traits, PARTS[part])
    else break
  }
  return traits
}

/** A person on X. Everything about them derives from their first handle. */
export type Person = {
  id: string
  /** Their first handle, in lower case. */
  key: string
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
  /** Their answer to a first message, if any. */
  answer: string | undefined
  /** Whether the person sends read receipts. */
  reads: boolean
  /** Whether the person always answers in X Chat. */
  chats: boolean
  hasChat: boolean
  refusal: ProblemName | undefined
  premium: boolean
}

/** Whether a person exists. `missing` never existed; `suspended` was suspended by X. */
export function existenceOf(handle: string): Traits['existence'] {
  return HANDLE.test(handle) ? traitsOf(handle.toLowerCase()).existence : 'missing'
}

/** Returns the person whose first handle this is. Never changes. @param handle a valid handle */
export function personOf(handle: string): Person {
  const key = handle.toLowerCase()
  const traits = traitsOf(key)
  const member = memberOf(key)
  const draw = dice(hash(key))

  const followerCount = traits.followers ?? FAMOUS[key] ?? followerCountFrom(hash(key, 3))
  const isFamous = followerCount > 100_000
  const isProtected = draw.chance(0.04)
  const isClosed = draw.chance(0.12)
  const drawnKind = draw.chance(0.08) ? (draw.chance(0.12) ? 'optsOut' : 'answers') : 'never'
  const answerKind = traits.answers ?? drawnKind

  return {
    id: idOfHandle(key),
    key,
    handle: member ? withCapitals(key) : key,
    name: nameFrom(draw, member?.firstName),
    bio: bioFrom(draw),
    location: draw.chance(0.6) ? draw.pick(vocabulary.PLACES) : '',
    website: draw.chance(0.35) ? `https://${key.replaceAll('_', '-')}.example` : '',
    createdAt: new Date(Date.UTC(2007, 2, 1) + Math.floor(draw.next() * 18 * 365 * 86_400) * 1000).toISOString(),
    followerCount: Math.min(followerCount, traits.followersAre ? TRAIT_POPULATION : POPULATION),
    followingCount: Math.min(POPULATION, traits.following ?? Math.round(10 ** (1 + draw.next() * 2.4))),
    postCount: Math.round(10 ** (draw.next() * 4.3)),
    listedCount: Math.round(followerCount / 200),
    likeCount: Math.round(10 ** (draw.next() * 4.5)),
    verified: isFamous || draw.chance(0.06) || traits.premium === true,
    protected: traits.protected ?? (isProtected && !isFamous),
    inboxOpen: traits.inbox ? traits.inbox === 'open' : !isClosed,
    answer:
      answerKind === 'never'
        ? undefined
        : draw.pick(answerKind === 'answers' ? vocabulary.ANSWERS : vocabulary.OPT_OUTS),
    // Drawn last, so that the values above never change between releases.
    reads: answerKind !== 'never' || (traits.reads ?? draw.chance(0.5)),
    chats: traits.chats ?? false,
    hasChat: !traits.hasNoChat,
    refusal: traits.refusal,
    premium: traits.premium ?? false,
  }
}

/** Whether a person's answers arrive in X Chat. @param share of the people who answer there, from 0 to 1 */
export function answersInChat({ key, chats }: Person, share: number): boolean {
  return chats || dice(hash(key, 7)).chance(share)
}

/** Returns the followers of a handle, newest first. */
export function followersOf(handle: string): People {
  const key = handle.toLowerCase()
  return peopleOf(`followers:${key}`, personOf(key).followerCount, traitsOf(key).followersAre)
}

/** Returns the people whom a handle follows, newest first. */
export function followedBy(handle: string): People {
  const key = handle.toLowerCase()
  return peopleOf(`following:${key}`, personOf(key).followingCount)
}

/** Maps people to handles. A person is identified by their first handle, from which they are generated. */
export type Registry = {
  /** Records a handle, because ids of handles with 13 to 15 characters cannot be decoded. */
  see(handle: string): void
  /** Returns the first handle of the person with this id, if known. */
  find(id: string): string | undefined
  /** Returns the first handle, in lower case, of the person who has this handle now, if anyone does. */
  holderOf(handle: string): string | undefined
  /** Returns the current handle of the person with this first handle. Undefined if another person took it. */
  handleOf(key: string): string | undefined
  /** Gives a person another handle and frees the former one. Anyone who had the new handle disappears. */
  rename(key: string, to: string): void
}

/** Stored on disk: a long handle, or a changed handle. */
export type RegistryEntry = { type: 'handle'; handle: string } | { type: 'renamed'; key: string; to: string }

/** Creates the registry. @param write must store an entry before returning */
export function createRegistry(write: (entry: RegistryEntry) => void): Registry {
  const long = new Map<string, string>()
  /** First handles by current handle in lower case; null: the handle is free. Only handles that changed hands. */
  const holders = new Map<string, string | null>()
  /** Current handles by first handle; null: another person took it. Only people whose handle changed. */
  const handles = new Map<string, string | null>()
  const holderOf = (handle: string) => {
    const key = handle.toLowerCase()
    return holders.has(key) ? (holders.get(key) ?? undefined) : key
  }
  const handleOf = (key: string) => (handles.has(key) ? (handles.get(key) ?? undefined) : key)
  return {
    see(handle) {
      if (handle.length <= 12) return
      const id = idOfHandle(handle)
      if (long.has(id)) return
      long.set(id, handle.toLowerCase())
      write({ type: 'handle', handle })
    },
    find: (id) => long.get(id) ?? handleOfId(id),
    holderOf,
    handleOf,
    rename(key, to) {
      write({ type: 'renamed', key, to })
      const [before, displaced] = [handleOf(key), holderOf(to)]
      if (displaced !== undefined) handles.set(displaced, null)
      if (before !== undefined) holders.set(before.toLowerCase(), null)
      holders.set(to.toLowerCase(), key)
      handles.set(key, to)
    },
  }
}

function nameFrom(draw: Dice, firstName: string | undefined): string {
  const kind = draw.next()
  if (kind < 0.06) return draw.pick(vocabulary.RIGHT_TO_LEFT_NAMES)
  if (kind < 0.1) return draw.pick(vocabulary.EAST_ASIAN_NAMES)
  if (kind < 0.11) return draw.pick(vocabulary.AWKWARD_NAMES)
  const first = firstName ?? draw.pick(vocabulary.FIRST_NAMES)
  const capital = first.charAt(0).toUpperCase() + first.slice(1)
  const name = draw.chance(0.75) ? `${capital} ${draw.pick(vocabulary.LAST_NAMES)}` : capital
  if (kind < 0.24) return `${name} ${draw.pick(vocabulary.EMOJIS)}`
  return kind < 0.27 ? name.toLowerCase() : name
}

function bioFrom(draw: Dice): string {
  if (draw.chance(0.09)) return ''
  const lines = [tradeFrom(draw)]
  if (draw.chance(0.3)) lines.push(tradeFrom(draw))
  if (draw.chance(0.45)) lines.push(draw.pick(vocabulary.BIO_TAILS))
  if (draw.chance(0.25)) lines.push(draw.pick(vocabulary.EMOJIS))
  return lines
    .join(draw.pick(['. ', ' | ', ' · ', '\n']))
    .replaceAll('{co}', draw.pick(vocabulary.COMPANIES))
    .replaceAll('{market}', draw.pick(vocabulary.MARKETS))
    .slice(0, 160)
}

function tradeFrom(draw: Dice): string {
  let left = draw.below(TRADE_TOTAL)
  for (const trade of vocabulary.TRADES) {
    left -= trade.perThousand
    if (left < 0) return draw.pick(trade.lines)
  }
  return ''
}

const TRADE_TOTAL = vocabulary.TRADES.reduce((sum, trade) => sum + trade.perThousand, 0)
