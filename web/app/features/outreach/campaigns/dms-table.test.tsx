import { renderToStaticMarkup } from 'react-dom/server'
import { expect, it } from 'vitest'
import { WaitingStatus } from './dms-table'

it('says why a queued message waits with its status', () => {
  const waiting = renderToStaticMarkup(<WaitingStatus status="queued" why="Waits until replies are checked" />)
  expect(waiting).toContain('aria-expanded="false"')
  expect(waiting).toContain('Queued')
  expect(waiting).toContain(': Waits until replies are checked')
  expect(renderToStaticMarkup(<WaitingStatus status="sent" why={null} />)).not.toContain('button')
})
