import { beforeEach, expect, test, vi } from 'vitest'
import { fakeBrowser } from 'wxt/testing/fake-browser'
import { changeState, readState } from './state.ts'

vi.mock('wxt/browser', async () => ({ browser: (await import('wxt/testing/fake-browser')).fakeBrowser }))

beforeEach(() => fakeBrowser.reset())

test('keeps the permission that the version before stored as sendsAlone', async () => {
  await fakeBrowser.storage.local.set({ sendsAlone: true })
  expect(await readState()).toMatchObject({ sendsInBackground: true })
  await changeState({ sendsInBackground: false })
  expect(await readState()).toMatchObject({ sendsInBackground: false })
})
