import { DAY_MS } from '@x-automated/contract/time'
import { expect, it, vi } from 'vitest'
import { withMemoryFallback } from './browser-storage'
import type { AuthEvent, SessionState } from './session-store'

const { session, listeners } = vi.hoisted(() => {
  const listeners = new Set<(event: AuthEvent, state: SessionState) => void>()
  const session = {
    state: vi.fn<() => SessionState>(),
    workspaceId: () => 'w',
    onEvent(listen: (event: AuthEvent, state: SessionState) => void) {
      listeners.add(listen)
      return () => void listeners.delete(listen)
    },
  }
  return { session, listeners }
})
vi.mock('./session', () => ({ session, useSession: () => session.state() }))

const { attachTypedText, readTyped, typedKey, writeTyped } = await import('./typed-text')
const { localStorage, sessionStorage } = await import('./browser-storage')

const signedIn = (id: string): SessionState => ({ status: 'signed-in', user: { id, email: `${id}@example.com` } })

it('keeps a text for 90 days', () => {
  const storage = withMemoryFallback(() => undefined)
  writeTyped(storage, 'k', 'text')
  expect(readTyped(storage, 'k', Date.now() + 89 * DAY_MS)).toBe('text')
  expect(readTyped(storage, 'k', Date.now() + 91 * DAY_MS)).toBeNull()
  writeTyped(storage, 'k', null)
  expect(readTyped(storage, 'k')).toBeNull()
})

it('deletes what a user has typed when they sign out in any tab, not when their session ends', async () => {
  session.state.mockReturnValue(signedIn('ada'))
  const key = typedKey('/lists list')!
  session.state.mockReturnValue(signedIn('bob'))
  const other = typedKey('/lists list')!
  session.state.mockReturnValue(signedIn('ada'))
  const detach = attachTypedText()
  const otherTab = new BroadcastChannel('x-automated-sign-out')
  const announced = vi.fn()
  otherTab.addEventListener('message', ({ data }: MessageEvent<string>) => announced(data))
  const emit = (event: AuthEvent, state: SessionState) => {
    for (const listen of listeners) listen(event, state)
  }
  const typeAll = () => {
    for (const storage of [localStorage, sessionStorage]) {
      writeTyped(storage, key, 'mine')
      writeTyped(storage, other, 'theirs')
    }
    writeTyped(sessionStorage, 'typed.guest./login log-in', 'guest')
  }
  typeAll()
  emit('SIGNED_OUT', { status: 'signed-out', reason: 'expired' })
  expect(readTyped(localStorage, key)).toBe('mine')
  emit('SIGNED_IN', signedIn('ada'))
  emit('SIGNED_OUT', { status: 'signed-out', reason: 'signed-out-here' })
  for (const storage of [localStorage, sessionStorage]) {
    expect(readTyped(storage, key)).toBeNull()
    expect(readTyped(storage, other)).toBe('theirs')
  }
  expect(readTyped(sessionStorage, 'typed.guest./login log-in')).toBeNull()
  await vi.waitFor(() => expect(announced.mock.calls).toEqual([['ada']]))
  typeAll()
  otherTab.postMessage('ada')
  await vi.waitFor(() => expect(readTyped(sessionStorage, key)).toBeNull())
  expect(readTyped(sessionStorage, other)).toBe('theirs')
  otherTab.close()
  detach()
})
