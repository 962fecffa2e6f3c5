import { ORPCError } from '@orpc/client'
import { expect, it, vi } from 'vitest'
import { loadWithRenewal, SessionGone } from './session-renewal'

const refused = new ORPCError('UNAUTHORIZED', { status: 401, message: 'Session expired. Please log in again.' })

/** Loads that fail as told, one after the other, and then succeed. */
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

it('renews nothing where nothing is wrong', async () => {
  const { renew, ...rest } = world()
  expect(await loadWithRenewal(failing(), { renew, ...rest })).toBe('the board')
  expect(renew).not.toHaveBeenCalled()
})

it('renews the session and tries again after a second', async () => {
  const here = world()
  expect(await loadWithRenewal(failing(refused), here)).toBe('the board')
  expect(here.renew).toHaveBeenCalledTimes(1)
  expect(here.wait.mock.calls).toEqual([[1000]])
})

it('knows by its words that a token is refused', async () => {
  const here = world()
  const jwt = new ORPCError('BAD_REQUEST', { status: 400, message: 'JWT expired' })
  expect(await loadWithRenewal(failing(jwt), here)).toBe('the board')
  expect(here.onRetry).toHaveBeenCalledTimes(1)
})

it('stops after three retries', async () => {
  const load = failing(refused, refused, refused, refused, refused)
  await expect(loadWithRenewal(load, world())).rejects.toBe(refused)
  expect(load).toHaveBeenCalledTimes(4)
})

it('tries no more where the session is gone', async () => {
  const load = failing(refused)
  await expect(loadWithRenewal(load, world(null))).rejects.toBeInstanceOf(SessionGone)
  expect(load).toHaveBeenCalledTimes(1)
})

it('hands on every other failure at once', async () => {
  const broken = new ORPCError('INTERNAL', { status: 500, message: 'broken' })
  const here = world()
  await expect(loadWithRenewal(failing(broken), here)).rejects.toBe(broken)
  expect(here.renew).not.toHaveBeenCalled()
})
