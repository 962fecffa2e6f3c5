import { renderToString } from 'react-dom/server'
import { expect, test } from 'vitest'
import { Pager } from './pager'

const render = (page: number, total: number | undefined) =>
  renderToString(
    <Pager
      page={page}
      pageSize={25}
      query={{ data: total === undefined ? undefined : { total }, isFetching: false }}
      onChange={() => {}}
      noun="lists"
    />,
  )

test('shows the pager for several pages, or if the current page is past the last', () => {
  expect(render(1, 25)).toBe('')
  expect(render(1, undefined)).toBe('')
  expect(render(1, 26)).toContain('aria-label="Page 2"')
  // The rows of page 2 were deleted.
  const behind = render(2, 25)
  expect(behind).toContain('aria-label="Page 1"')
  expect(behind).toMatch(/<button(?![^>]*disabled=)[^>]*>(?:(?!<\/button>).)*Previous/)
})

test('disables Previous and Next at the ends without taking their focus', () => {
  for (const [page, button] of [
    [1, 'Previous'],
    [2, 'Next'],
  ] as const) {
    const html = render(page, 26)
    expect(html).toMatch(new RegExp(`<button[^>]* aria-disabled="true"[^>]*>(?:(?!</button>).)*${button}`))
    expect(html).not.toContain(' disabled=')
  }
})
