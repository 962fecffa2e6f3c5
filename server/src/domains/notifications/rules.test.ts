import { CONNECTION_LOST } from '@x-automated/contract/reason'
import { expect, it } from 'vitest'
import { notificationText } from './rules.ts'

it.each([
  [CONNECTION_LOST, 'X has ended this connection.'],
  [undefined, 'X has ended this connection.'],
  ['X has suspended this account.', 'X has suspended this account.'],
])('names the next step of a disconnect once (%s)', (reason, cause) => {
  expect(notificationText('x_disconnected', { handle: 'ana', reason })).toMatchObject({
    title: '@ana is disconnected',
    text: `${cause} Sending from this account is paused until you reconnect it.`,
  })
})
