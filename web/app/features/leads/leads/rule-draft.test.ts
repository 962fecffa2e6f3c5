import { LeadRules } from '@x-automated/contract/leads/lead-rules'
import { asCustomField, opsOf, RULE_FIELDS, RULE_OPS, takesValue } from '@x-automated/contract/leads/rule-fields'
import { expect, test } from 'vitest'
import {
  draftOfRules,
  isGroup,
  newGroup,
  newRule,
  opsOfField,
  rulesOfDraft,
  rulesOfText,
  SCREEN_FIELDS,
  textOfRules,
  withField,
  withOp,
} from './rule-draft'
import { conditionText, rulesTexts } from './rule-text'

const ID = '01900000-0000-7000-8000-000000000000'
const VALUES: Record<string, string | number | string[]> = {
  keyword: 'founder',
  minFollowers: 10,
  maxFollowers: 10,
  status: 'replied',
  listId: ID,
  tag: 'VIP',
  tags: [ID],
  basis: 'asked',
  label: 'interested',
  scrapeId: ID,
  contactedAfter: '2026-01-31T12:34:56.000Z',
  contactedBefore: '2026-01-31T00:00:00.000Z',
  createdAt: '2026-01-31T00:00:00.000Z',
}

test('shows every rule that the API stores, and writes it back with the same meaning', () => {
  for (const field of [...Object.keys(RULE_FIELDS), asCustomField('Company')])
    for (const op of opsOf(field) ?? []) {
      const custom = op === 'before' || op === 'after' ? '2026-01-31' : '5'
      const rule = { field, op, ...(takesValue(op) && { value: VALUES[field] ?? custom }) }
      const rules = LeadRules.parse({ match: 'any', rules: [rule, { match: 'all', rules: [rule] }] })
      const draft = draftOfRules(rules!)
      expect(opsOfField(draft.nodes[0] && 'field' in draft.nodes[0] ? draft.nodes[0].field : '')).toHaveProperty(op)
      // `is_set` means the same for both of these fields.
      const same = takesValue(op)
        ? rules
        : JSON.parse(
            JSON.stringify(rules)
              .replaceAll('maxFollowers', 'minFollowers')
              .replaceAll('contactedBefore', 'contactedAfter')
              .replaceAll('"tags"', '"tag"'),
          )
      expect(rulesOfDraft(draft).rules).toEqual(same)
    }
})

test('offers only operators that the API takes', () => {
  const wire: Record<string, string[]> = {
    followers: ['minFollowers', 'maxFollowers'],
    contacted: ['contactedAfter', 'contactedBefore'],
  }
  for (const field of Object.keys(SCREEN_FIELDS)) {
    const accepted = (wire[field] ?? [field]).flatMap((name) => opsOf(name) ?? [])
    for (const op of Object.keys(opsOfField(field)))
      expect([field, accepted]).toEqual([field, expect.arrayContaining([op])])
  }
  expect(Object.keys(opsOfField('field:x')).sort()).toEqual([...RULE_OPS].sort())
})

test('shows each problem at its rule', () => {
  const [empty, count] = [newRule(), withField(newRule(), 'followers')]
  const group = { ...newGroup(), rules: [withOp(withField(newRule(), 'field:Since'), 'before')] }
  const inGroup = { ...group.rules[0]!, value: 'soon' }
  const { problems } = rulesOfDraft({ match: 'all', nodes: [empty, count, { ...group, rules: [inGroup] }] })
  expect(problems).toEqual(
    new Map([
      [empty.key, 'Value is required.'],
      [count.key, 'Value is required.'],
      [inGroup.key, 'Value must be a day such as 2026-01-31.'],
    ]),
  )
})

test('removes a value that does not fit another field or operator', () => {
  const rule = { ...newRule(), value: 'founder' }
  expect(withOp(rule, 'not_contains').value).toBe('founder')
  expect(withField(rule, 'status')).toMatchObject({ op: 'is', value: '' })
  expect(withField(rule, 'field:Company')).toMatchObject({ op: 'contains', value: '' })
})

test('puts rules and conditions in words', () => {
  expect(conditionText({ name: 'Company', op: 'is', value: 'Acme' })).toBe('Company is Acme')
  expect(conditionText({ name: 'Company', op: 'is_not_set' })).toBe('Company is empty')
  const rules = LeadRules.parse({
    match: 'all',
    rules: [
      { field: 'minFollowers', op: 'at_least', value: 1000 },
      {
        match: 'any',
        rules: [
          { field: 'tag', op: 'is', value: ID },
          { field: 'contactedAfter', op: 'is_not_set' },
        ],
      },
    ],
  })
  expect(rulesTexts(rules!, [{ id: ID, name: 'VIP' }])).toEqual([
    'Followers at least 1,000',
    'Tag is VIP or Last contacted never',
  ])
})

test('restores a draft from its text, whatever its keys are', () => {
  const group = { ...newGroup(), rules: [{ ...newRule(), value: 'saas' }, newRule()] }
  const text = textOfRules({ match: 'all', nodes: [{ ...newRule(), value: 'founder' }, group] })
  const restored = rulesOfText(text)
  expect(textOfRules(restored)).toBe(text)
  const keys = restored.nodes.flatMap((node) => [node.key, ...(isGroup(node) ? node.rules.map(({ key }) => key) : [])])
  expect(new Set(keys).size).toBe(4)
})
