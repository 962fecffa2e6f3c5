import { matchPath } from '@x-automated/contract/outreach/extension-pages'
import type { Answer, Peer, Problem } from '../wire.ts'
import { createSteadiness, enclosing, find, findAll, pause, until, visibleText } from './dom.ts'
import { part, pathsOf } from './parts.ts'
import { handleIn, idInName, isHandle } from './text.ts'

/**
 * How long to wait for a positive sign. X shows skeletons for seconds, without an indicator and
 * without changes, so a page that does not change may still be loading.
 */
export const SIGN_MS = 20_000
/** X loads a profile's buttons one by one. */
const BUTTONS_MS = 4000
/** How long a profile must look missing before it counts as missing. */
const MISSING_MS = 1000
/** Interval between reads of the account switcher, whose text may appear late. */
const WORDS_MS = 400

export interface Sender {
  /** The account that must be signed in, without @; undefined if any may. */
  sendsAs?: string | undefined
}

/** Checks who is signed in. @param ms how long to wait for the page */
export async function check({ sendsAs }: Sender, ms = SIGN_MS): Promise<Answer<'check'>> {
  const account = await signedIn(ms)
  const problem = 'code' in account ? account : otherSender(account.handle, sendsAs)
  return problem ? { problem } : { done: {} }
}

/** Reads the open profile, and waits for its message button. */
export async function meet({ handle, xUserId, sendsAs }: Sender & Omit<Peer, 'recipientId'>): Promise<Answer<'meet'>> {
  const deadline = performance.now() + SIGN_MS
  const msLeft = () => deadline - performance.now()
  const checked = await check({ sendsAs }, msLeft())
  if ('problem' in checked) return checked
  const problem = await findProfile(handle, msLeft())
  if (problem) return { problem }

  const sign = await until(() => (find(part('messageButton')) ? 'open' : isInboxClosed() && 'closed'), msLeft())
  const recipientId = await until(profileId, sign === 'open' ? BUTTONS_MS : 0)
  if (xUserId !== undefined && recipientId !== null && recipientId !== xUserId)
    return { problem: { code: 'WRONG_PERSON' } }
  if (sign === 'open') return { done: { recipientId } }
  if (sign === 'closed') return { problem: { code: 'INBOX_CLOSED' } }
  const bar = find(part('profileActions'))?.parentElement?.parentElement
  const isRenamed = bar && find(part('likeMessageButton'), bar)
  return { problem: isRenamed ? { code: 'PAGE_CHANGED', detail: 'the message button' } : { code: 'CANNOT_TELL' } }
}

/**
 * Whether the profile shows that this person accepts no messages. Ignores the drawer, which may
 * show someone else's conversation.
 */
function isInboxClosed(): boolean {
  return findAll(part('inboxClosed')).some((notice) => enclosing(notice, part('drawer')) === null)
}

/** Waits for this person's profile. @returns why it could not be found */
async function findProfile(handle: string, ms: number): Promise<Problem | null> {
  const hasName = () =>
    isHandle(handleIn(visibleText(find(part('profileName')) ?? document.createElement('p'))), handle)
  const hasActions = () => find(part('profileActions')) !== null
  // A profile without posts also contains the part `profileMissing`.
  const isMissing = () => find(part('profileMissing')) !== null && !hasActions()
  const isSteady = createSteadiness(MISSING_MS)
  const sign = await until(() => {
    if (find(part('trouble'))) return 'trouble'
    if (hasName() && hasActions()) return 'profile'
    return isSteady(isMissing() && !hasName()) && 'missing'
  }, ms)
  if (sign === 'profile') return null
  if (sign === 'missing') return { code: 'NO_SUCH_PERSON' }
  if (sign === 'trouble') return { code: 'X_UNAVAILABLE' }
  if (isMissing()) return { code: 'CANNOT_TELL' }
  if (hasName()) return { code: 'PAGE_CHANGED', detail: 'the buttons on a profile' }
  const isShown = hasActions() || document.body.innerText.toLowerCase().includes(`@${handle.toLowerCase()}`)
  return isShown ? { code: 'PAGE_CHANGED', detail: 'the name on a profile' } : { code: 'X_UNAVAILABLE' }
}

/** The id of the person whose profile is open, if the page shows it. */
function profileId(): string | null {
  return idInName(find(part('profileId'))?.dataset.testid)
}

/** The signed-in account's handle without @, or a problem. */
export async function signedIn(ms = SIGN_MS): Promise<{ handle: string } | Problem> {
  const sign = await until(() => {
    if (isLocked()) return 'locked'
    if (find(part('signedIn'))) return 'in'
    return find(part('signedOut')) ? 'out' : find(part('trouble')) && 'trouble'
  }, ms)
  if (sign === 'locked') return LOCKED
  if (sign === 'out') return { code: 'NOT_SIGNED_IN' }
  if (sign !== 'in') return { code: 'X_UNAVAILABLE' }
  // The switcher's text may appear slightly later than the switcher.
  for (let tries = 0; tries < 5; tries += 1) {
    const handle = ownHandle()
    if (handle !== null) return { handle }
    await pause(WORDS_MS)
  }
  return { code: 'PAGE_CHANGED', detail: 'the button of your account' }
}

export const LOCKED: Problem = { code: 'X_NEEDS_YOU', detail: 'it has locked your account for the moment' }

/** Whether X asks the account to confirm something first. */
export function isLocked(): boolean {
  return matchPath(pathsOf('lockedPaths'), location.pathname) !== null
}

/** WRONG_ACCOUNT if another account is signed in, or else null. @param own null if this page does not show it */
export function otherSender(own: string | null, sendsAs: string | undefined): Problem | null {
  if (own === null || sendsAs === undefined || isHandle(own, sendsAs)) return null
  return { code: 'WRONG_ACCOUNT', detail: `@${own}, but the campaign sends as @${sendsAs}` }
}

/** The signed-in account's handle without @, if the page shows it. */
export function ownHandle(): string | null {
  const link = find(part('ownProfile'))?.getAttribute('href')
  const inLink = /^\/(\w{1,15})$/.exec(link ?? '')?.[1]
  const switcher = find(part('accountSwitcher'))
  return inLink ?? (switcher && handleIn(visibleText(switcher)))
}
