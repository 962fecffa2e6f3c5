import { expect, test } from 'vitest'
import { campaignWarnings } from './campaign-warnings'

const campaign = (
  name: string,
  status: 'draft' | 'paused' | 'active' | 'completed' | 'archived',
  totalLeadsInList = 0,
) => ({
  name,
  status,
  totalLeadsInList,
})

test('names the campaigns that use a list and what deleting it does to them', () => {
  expect(campaignWarnings([campaign('Spring', 'paused', 5)])).toEqual([
    'The campaign “Spring” uses this list. It keeps its messages and can be resumed.',
  ])
  expect(
    campaignWarnings([
      campaign('A', 'active', 5),
      campaign('B', 'active', 5),
      ...['C', 'D', 'E', 'F', 'G'].map((name) => campaign(name, name === 'C' ? 'paused' : 'draft')),
      campaign('H', 'completed', 5),
      campaign('I', 'archived'),
    ]),
  ).toEqual([
    'The campaigns “A” and “B” are active and use this list. Pause them first.',
    'The campaigns “C”, “D”, “E”, and 2 more use this list and could no longer be launched.',
  ])
  expect(campaignWarnings([])).toEqual([])
  expect(campaignWarnings([campaign('A', 'completed', 5)], 1_202)).toEqual([
    '1,201 more campaigns were created for this list.',
  ])
  expect(campaignWarnings([campaign('A', 'completed', 5)], 2)).toEqual(['1 more campaign was created for this list.'])
})
