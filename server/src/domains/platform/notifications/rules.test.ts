import { expect, it } from 'vitest'
import { notificationText } from './rules.ts'

it.each([
  [undefined, 'X has ended this connection. Connect again.'],
  ['X has suspended this account.', 'X has suspended this account.'],
])('says what a disconnect pauses, and why (%s)', (reason, cause) => {
  expect(notificationText('x_disconnected', { handle: 'ana', reason })).toMatchObject({
    title: '@ana is disconnected',
    text: `Sending from this account is paused. ${cause}`,
  })
})
