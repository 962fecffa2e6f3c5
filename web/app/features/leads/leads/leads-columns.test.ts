import { expect, test } from 'vitest'
import {
  columnChoices,
  DEFAULT_LAYOUT,
  fieldText,
  parseLayout,
  tableWidth,
  WIDTH_MAX,
  widthOf,
  withColumn,
  withMoved,
  withWidth,
} from './leads-columns'

test('reads a kept layout and leaves out what is unknown', () => {
  const stored = {
    shown: ['dmStatus', 'gone', 'bio', 'bio', 'field:company'],
    widths: { bio: 300, x: 1 },
    pageSize: 25,
  }
  expect(parseLayout(JSON.stringify(stored))).toEqual({
    shown: ['dmStatus', 'bio', 'field:company'],
    widths: { bio: 300 },
    pageSize: 25,
  })
  for (const bad of [null, '', '{}', '[]', 'null', '{"shown":1}']) expect(parseLayout(bad)).toEqual(DEFAULT_LAYOUT)
  expect(parseLayout('{"shown":[],"widths":{},"pageSize":7}').pageSize).toBe(10)
})

test('shows, hides and moves columns', () => {
  const layout = withColumn(DEFAULT_LAYOUT, 'field:company', true)
  expect(columnChoices(layout, ['company', 'stack']).slice(4)).toEqual([
    'field:company',
    'followingCount',
    'basis',
    'location',
    'field:stack',
  ])
  expect(withMoved(layout, 'field:company', -9).shown[0]).toBe('field:company')
  expect(withMoved(layout, 'bio', 1).shown.slice(0, 2)).toEqual(['followerCount', 'bio'])
  expect(withMoved(layout, 'location', 1)).toBe(layout)
  expect(withColumn(layout, 'bio', false).shown).not.toContain('bio')
})

test('gives what is left to the bio, or else to the name', () => {
  expect(widthOf('bio', DEFAULT_LAYOUT)).toBeNull()
  expect(widthOf('name', DEFAULT_LAYOUT)).not.toBeNull()
  expect(widthOf('name', withColumn(DEFAULT_LAYOUT, 'bio', false))).toBeNull()
  expect(withWidth(DEFAULT_LAYOUT, 'bio', 9_999).widths).toEqual({ bio: WIDTH_MAX })
  expect(tableWidth(withWidth(DEFAULT_LAYOUT, 'createdAt', 200)) - tableWidth(DEFAULT_LAYOUT)).toBe(88)
})

test('shows a custom field as text', () => {
  const metadata = { a: 'Acme', b: 1_200, c: '', d: ['x'] }
  expect(['a', 'b', 'c', 'd', 'toString'].map((field) => fieldText({ metadata }, field))).toEqual([
    'Acme',
    '1,200',
    null,
    '["x"]',
    null,
  ])
})
