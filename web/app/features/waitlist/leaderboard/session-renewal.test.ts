import { ORPCError } from '@orpc/client'
import { expect, it, vi } from 'vitest'
import { loadWithRenewal, SessionExpired } from './session-renewal'

const refused = new ORPCError('UNAUTHORIZED', { status: 401, message: 'Session expired. Please log in again.' })

/** Creates a load that throws these errors in turn, then succeeds. */
function failing(...errors: Error[]) {
  const left = [...errors]
  return vi.fn(async () => {
    const error = left.shift()
    if (error) throw error
    return 'the board'
  })
}

function world(token: string | null = 'fresh') {
  return { renew: vi.fn(async () => token), wait: vi.fn(async () => {}), onRetry: vi.fn() }
}

it('does not renew the session if the load succeeds', async () => {
  const { renew, ...rest } = world()
  expect(await loadWithRenewal(failing(), { renew, ...rest })).toBe('the board')
  expect(renew).not.toHaveBeenCalled()
})

it('renews the session and retries after a second', async () => {
  const here = world()
  expect(await loadWithRenewal(failing(refused), here)).toBe('the board')
  expect(here.renew).toHaveBeenCalledTimes(1)
  expect(here.wait.mock.calls).toEqual([[1000]])
})

it('recognizes a rejected token by its message', async () => {
  const here = world()
  const jwt = new ORPCError('BAD_REQUEST', { status: 400, message: 'JWT expired' })
  expect(await loadWithRenewal(failing(jwt), here)).toBe('the board')
  expect(here.onRetry).toHaveBeenCalledTimes(1)
})

it('gives up after three retries', async () => {
  const load = failing(refused, refused, refused, refused, refused)
  await expect(loadWithRenewal(load, world())).rejects.toBe(refused)
  expect(load).toHaveBeenCalledTimes(4)
})

it('does not retry if the session has ended', async () => {
  const load = failing(refused)
  await expect(loadWithRenewal(load, world(null))).rejects.toBeInstanceOf(SessionExpired)
  expect(load).toHaveBeenCalledTimes(1)
})

it('rethrows other errors immediately', async () => {
  const broken = new ORPCError('INTERNAL', { status: 500, message: 'broken' })
  const here = world()
  await expect(loadWithRenewal(failing(broken), here)).rejects.toBe(broken)
  expect(here.renew).not.toHaveBeenCalled()
})
