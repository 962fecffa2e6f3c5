/** `/embed`: the framed widget. No framework, cookies or session. Storage is optional. */

import type { Client } from '@x-automated/contract/client'
import type { ErrorEnvelope } from '@x-automated/contract/errors'
import { formatNumber } from '@x-automated/contract/format'
import { ALREADY_JOINED } from '@x-automated/contract/waitlist/already-joined'
import { localStorage as countStorage } from '../app/browser-storage'
import { emailProblem, isEmail } from '../app/features/identity/auth/email'
import { COUNT_FAILED, joinedText } from '../app/features/waitlist/waitlist/joined-text'
import { readLastCount, writeLastCount } from '../app/features/waitlist/waitlist/last-count'
import { referralLinks } from '../app/features/waitlist/waitlist/referral-links'
import { readPlace, removePlace, type StoredPlace, writePlace } from '../app/place-storage'
import { hostOrigin, type JoinedMessage, readThemeMessage, type SizeMessage } from './messages'

type Answer<Operation extends (...given: never[]) => unknown> = Awaited<ReturnType<Operation>>

const query = new URLSearchParams(location.search)
const ref = query.get('ref')
/** The embedding page's origin. Messages are only exchanged with it. */
const host = hostOrigin(query.get('host'))

const byId = <E extends HTMLElement = HTMLElement>(id: string) => document.getElementById(id) as E
const form = byId<HTMLFormElement>('form')
const email = byId<HTMLInputElement>('email')
const problem = byId('email-problem')
const joinButton = byId<HTMLButtonElement>('join')
const failure = byId('failure')
const joined = byId('joined')
const notice = byId('notice')
const link = byId<HTMLInputElement>('link')
const copyButton = byId<HTMLButtonElement>('copy')

/** The frame's storage. Null if the browser blocks third-party storage. */
const storage = (() => {
  try {
    return localStorage
  } catch {
    return null
  }
})()

async function ask<T>(path: string, body?: object): Promise<T> {
  const answer = await fetch(`/api${path}`, {
    credentials: 'omit',
    ...(body && { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
  })
  if (!answer.ok) throw (await answer.json()) as ErrorEnvelope
  return (await answer.json()) as T
}

// Color scheme and size.

const isFramed = parent !== window
function postToParent(message: SizeMessage | JoinedMessage): void {
  if (isFramed && host) parent.postMessage(message, host)
}
addEventListener('message', ({ origin, source, data }) => {
  const theme = source === parent && origin === host ? readThemeMessage(data) : null
  if (theme) document.documentElement.dataset.theme = theme
})
new ResizeObserver(() =>
  postToParent({ type: 'x-automated:size', height: Math.ceil(document.body.getBoundingClientRect().height) }),
).observe(document.body)

// The number of members.

let count = 0
function showCount(): void {
  byId('count').textContent = joinedText(count)
  writeLastCount(countStorage, count)
}
void ask<Answer<Client['waitlist']['count']>>('/waitlist/count')
  .then((answer) => {
    count = answer.count
    showCount()
  })
  .catch((error) => {
    console.warn('Could not count who has joined', error)
    const known = readLastCount(countStorage)
    byId('count').textContent = known === null ? COUNT_FAILED : joinedText(known)
  })

// The form is validated on first blur, then on each change and on submit.

let isTouched = false
function show(element: HTMLElement, text: string | null): void {
  element.textContent = text
  element.hidden = text === null
}
function showProblem(text: string | null): void {
  show(problem, text)
  email.setAttribute('aria-invalid', String(text !== null))
}
const shapeProblem = () => (email.value.trim() === '' || isEmail(email.value) ? null : emailProblem)
email.addEventListener('blur', () => {
  isTouched = true
  showProblem(shapeProblem())
})
email.addEventListener('input', () => {
  if (isTouched) showProblem(shapeProblem())
})

let isSending = false
form.addEventListener('submit', async (event) => {
  event.preventDefault()
  if (isSending) return
  isTouched = true
  const address = email.value.trim()
  const text = address === '' ? 'Please enter your email address' : shapeProblem()
  showProblem(text)
  show(failure, null)
  if (text) return email.focus()
  setSending(true)
  try {
    await join(address)
  } catch (error) {
    fail(error as Partial<ErrorEnvelope>)
  }
  setSending(false)
})

function setSending(sending: boolean): void {
  isSending = sending
  joinButton.disabled = sending
  joinButton.setAttribute('aria-busy', String(sending))
}

async function join(address: string): Promise<void> {
  const input = { email: address, path: '/embed', ...(ref ? { referralCode: ref } : {}) }
  const { position, referralCode, message } = await ask<Answer<Client['waitlist']['join']>>('/waitlist/join', input)
  const place = { email: address, position, referralCode }
  remember(place)
  if (message !== ALREADY_JOINED) {
    count += 1
    showCount()
    postToParent({ type: 'x-automated:joined', position })
  }
  showPlace(place)
  show(notice, message === ALREADY_JOINED ? message : "You're on the waitlist!")
  byId('position').focus({ preventScroll: true })
}

/** Shows a rejected email at its field, the server's message for rate limits, or else a generic message. */
function fail({ code, error }: Partial<ErrorEnvelope>): void {
  if (code === 'INVALID_INPUT') {
    showProblem(emailProblem)
    email.focus()
  } else {
    const refused = code === 'RATE_LIMITED' && error
    show(failure, refused || 'Failed to join the waitlist. Please try again later.')
  }
}

// The joined state.

function remember(place: StoredPlace): void {
  try {
    if (storage) writePlace(storage, place)
  } catch {
    // Storage is full or blocked. Show the position anyway.
  }
}

function showPlace(place: StoredPlace): void {
  byId('address').textContent = place.email
  byId('position').textContent = `Your position: #${formatNumber(place.position)}`
  link.value = referralLinks.waitlist(location.origin, place.referralCode)
  form.hidden = true
  joined.hidden = false
}

byId('leave').addEventListener('click', () => {
  if (storage) removePlace(storage)
  form.reset()
  isTouched = false
  showProblem(null)
  show(notice, null)
  joined.hidden = true
  form.hidden = false
  email.focus()
})

link.addEventListener('focus', () => link.select())
const copied = copyButton.firstElementChild as HTMLElement
let resetTimer: ReturnType<typeof setTimeout> | undefined
copyButton.addEventListener('click', async () => {
  try {
    await navigator.clipboard.writeText(link.value)
    copied.textContent = 'Copied!'
    clearTimeout(resetTimer)
    resetTimer = setTimeout(() => {
      copied.textContent = 'Copy'
    }, 2000)
  } catch {
    // The embedding page blocks the clipboard, so select the link for copying by hand.
    link.focus()
  }
})

// Referral code and returning members.

if (ref) byId<HTMLAnchorElement>('product').href = referralLinks.waitlist('', ref)
const before = storage && readPlace(storage)
if (before) {
  showPlace(before)
  void ask<Answer<Client['waitlist']['position']>>('/waitlist/position', { email: before.email })
    .then(({ user }) => {
      const now = { email: before.email, position: user.position, referralCode: user.referral_code }
      remember(now)
      showPlace(now)
    })
    .catch((error) => console.warn('Could not look up the place', error))
}
joinButton.disabled = false
void ask('/track-view', { path: '/embed', ...(ref && { ref }) }).catch(() => {})
