import { renderToString } from 'react-dom/server'
import { expect, test } from 'vitest'
import { ChipsInput, withChip } from './chips-input'

test('withChip trims chips and drops empty and duplicate ones', () => {
  expect(withChip([], '  founder ')).toEqual(['founder'])
  expect(withChip(['founder'], ' ')).toEqual(['founder'])
  expect(withChip(['founder'], 'Founder')).toEqual(['founder'])
  expect(withChip(['founder'], 'co-founder')).toEqual(['founder', 'co-founder'])
})

test('enforces the maximum number of chips, and their length without cutting one', () => {
  const render = (values: string[], maxLength = 100) =>
    renderToString(
      <ChipsInput values={values} onChange={() => {}} typed="more" noun="keyword" most={2} maxLength={maxLength} />,
    )
  expect(render(['founder'], 3)).toMatch(/value="more"[\s\S]*At most 3 characters\./)
  expect(render(['founder'])).not.toMatch(/readonly/i)
  const full = render(['founder', 'maker'])
  expect(full).toMatch(/<input[^>]*readonly/i)
  expect(full).toContain('No more than 2 keywords')
  expect(full).toMatch(/aria-label="Add keyword"[^>]*disabled|disabled[^>]*aria-label="Add keyword"/)
})
