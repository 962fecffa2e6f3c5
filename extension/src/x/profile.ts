import type { Answer, Problem } from '../wire.ts'
import { find, pause, shownText, until } from './dom.ts'
import { LOCKED_PATHS, PAGE, PROFILE } from './parts.ts'
import { handleIn, idInFollowName, isHandle } from './text.ts'

const LOAD_MS = 12_000
/** X loads the buttons of a profile one by one, sometimes late. */
const BUTTONS_MS = 4000
/** How long the account switcher's text may take to appear. */
const WORDS_MS = 400

/** Reads the open profile, including whether it has a message button. */
export async function meet({ handle, sendsAs }: Sender & { handle: string }): Promise<Answer<'meet'>> {
  const account = await signedIn()
  if ('code' in account) return { problem: account }
  const other = otherSender(account.handle, sendsAs)
  if (other) return { problem: other }

  const isThere = () => isHandle(handleIn(shownText(find(PROFILE.name) ?? document.createElement('p'))), handle)
  const seen = await until(
    () => (isThere() ? 'there' : find(PROFILE.missing) ? 'missing' : find(PAGE.trouble) && 'trouble'),
    {
      ms: LOAD_MS,
      untilIdle: isIdle,
    },
  )
  if (seen === 'missing') return { problem: { code: 'NO_SUCH_PERSON' } }
  if (seen !== 'there') return { problem: missing(seen, 'the name on a profile') }
  if (!(await until(() => find(PROFILE.actions), { ms: LOAD_MS, untilIdle: isIdle })))
    return { problem: missing(null, 'the buttons on a profile') }
  if (!(await until(() => find(PROFILE.message), { ms: BUTTONS_MS }))) {
    const bar = find(PROFILE.actions)?.parentElement?.parentElement
    const isRenamed = bar && find(PROFILE.likeMessage, bar)
    return { problem: isRenamed ? { code: 'PAGE_CHANGED', detail: 'the message button' } : { code: 'INBOX_CLOSED' } }
  }
  return { done: { recipientId: idInFollowName(find(PROFILE.follow)?.dataset.testid) } }
}

/** The signed-in account's handle without @, or a problem. */
export async function signedIn(): Promise<{ handle: string } | Problem> {
  const seen = await until(
    () => {
      if (LOCKED_PATHS.some((path) => location.pathname.startsWith(path))) return 'locked'
      if (find(PAGE.signedIn)) return 'in'
      return find(PAGE.signedOut) ? 'out' : find(PAGE.trouble) && 'trouble'
    },
    { ms: LOAD_MS, untilIdle: isIdle },
  )
  if (seen === 'locked') return { code: 'X_NEEDS_YOU', detail: 'it has locked your account for the moment' }
  if (seen === 'out') return { code: 'NOT_SIGNED_IN' }
  if (seen !== 'in') return missing(seen, 'the button of your account')
  // The switcher's text may appear slightly later than the switcher.
  for (let tries = 0; tries < 5; tries += 1) {
    const handle = ownHandle()
    if (handle !== null) return { handle }
    await pause(WORDS_MS)
  }
  return { code: 'PAGE_CHANGED', detail: 'the button of your account' }
}

export interface Sender {
  /** The account that must be signed in, without @; undefined: any. */
  sendsAs?: string | undefined
}

/** Returns a problem if another account is signed in. @param own null: not visible on this page */
export function otherSender(own: string | null, sendsAs: string | undefined): Problem | null {
  if (own === null || sendsAs === undefined || isHandle(own, sendsAs)) return null
  return { code: 'WRONG_ACCOUNT', detail: `@${own}, but the campaign sends as @${sendsAs}` }
}

/** The signed-in account's handle without @, if the page shows it. */
export function ownHandle(): string | null {
  const link = find(PAGE.ownProfile)?.getAttribute('href')
  const inLink = /^\/(\w{1,15})$/.exec(link ?? '')?.[1]
  const switcher = find(PAGE.accountSwitcher)
  return inLink ?? (switcher && handleIn(shownText(switcher)))
}

/** Whether the page has content and shows no loading indicator. */
export function isIdle(): boolean {
  return find(PAGE.loading) === null && document.body?.innerText.trim() !== ''
}

/** The problem for a missing part: X is slow or failing, or has changed its page. */
export function missing(seen: 'trouble' | null, part: string): Problem {
  const isEmpty = (document.body?.innerText.trim() ?? '') === ''
  return seen === 'trouble' || isEmpty || !isIdle() ? { code: 'X_UNAVAILABLE' } : { code: 'PAGE_CHANGED', detail: part }
}
