import type { Answer, Problem } from '../wire.ts'
import { find, pause, shownText, until } from './dom.ts'
import { LOCKED_PATHS, PAGE, PROFILE } from './parts.ts'
import { handleIn, idInFollowName, isHandle } from './text.ts'

const LOAD_MS = 12_000
/** X draws the buttons of a profile one after the other, and what it has to ask for may come late. */
const BUTTONS_MS = 4000
/** Its words stand there at once, or not at all. */
const WORDS_MS = 400

/** Reads the profile that is open, down to whether it has a message button. */
export async function meet({ handle, sendsAs }: Sender & { handle: string }): Promise<Answer<'meet'>> {
  const account = await signedIn()
  if ('code' in account) return { problem: account }
  const other = otherSender(account.handle, sendsAs)
  if (other) return { problem: other }

  const isThere = () => isHandle(handleIn(shownText(find(PROFILE.name) ?? document.createElement('p'))), handle)
  const seen = await until(
    () => (isThere() ? 'there' : find(PROFILE.nobody) ? 'nobody' : find(PAGE.trouble) && 'trouble'),
    {
      ms: LOAD_MS,
      untilIdle: isIdle,
    },
  )
  if (seen === 'nobody') return { problem: { code: 'NO_SUCH_PERSON' } }
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

/** Who is signed in, without @, or what stands in the way. */
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
  // The switcher may draw its words a little later than itself.
  for (let tries = 0; tries < 5; tries += 1) {
    const handle = ownHandle()
    if (handle !== null) return { handle }
    await pause(WORDS_MS)
  }
  return { code: 'PAGE_CHANGED', detail: 'the button of your account' }
}

export interface Sender {
  /** Who has to be signed in, without @; undefined: whoever is. */
  sendsAs?: string | undefined
}

/** What it means that this account is signed in: nothing, where it is the one that the message is from. @param own null: not to be seen here */
export function otherSender(own: string | null, sendsAs: string | undefined): Problem | null {
  if (own === null || sendsAs === undefined || isHandle(own, sendsAs)) return null
  return { code: 'WRONG_ACCOUNT', detail: `@${own}, but the campaign sends as @${sendsAs}` }
}

/** The handle of who is signed in, without @, where the page shows it. */
export function ownHandle(): string | null {
  const link = find(PAGE.ownProfile)?.getAttribute('href')
  const inLink = /^\/(\w{1,15})$/.exec(link ?? '')?.[1]
  const switcher = find(PAGE.accountSwitcher)
  return inLink ?? (switcher && handleIn(shownText(switcher)))
}

/** There is something on the page, and nothing there says that more is to come. */
export function isIdle(): boolean {
  return find(PAGE.loading) === null && document.body?.innerText.trim() !== ''
}

/** What it means that a part is not there: that X is slow or in trouble, or that it has changed its page. */
export function missing(seen: 'trouble' | null, part: string): Problem {
  const isEmpty = (document.body?.innerText.trim() ?? '') === ''
  return seen === 'trouble' || isEmpty || !isIdle() ? { code: 'X_UNAVAILABLE' } : { code: 'PAGE_CHANGED', detail: part }
}
