import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { inputProblems, predicateOf } from '../input-problems.ts'
import { hasOneFilter, LeadFilter } from './leads.ts'
import { RULE_FIELDS, RULE_OPS, type RuleOp } from './rule-fields.ts'

beforeAll(() => void z.config({ customError: predicateOf }))
afterAll(() => void z.config({ customError: undefined }))

const ID = '01900000-0000-7000-8000-000000000000'
const problems = (filter: unknown) => {
  const read = LeadFilter.safeParse(filter)
  return read.success ? [] : inputProblems(read.error.issues)
}
const all = (...rules: unknown[]) => ({ rules: { match: 'all', rules } })
const keyword = { field: 'keyword', op: 'contains', value: 'founder' }

/** A valid value for each field. */
const VALUES = {
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
  contactedAfter: '2026-01-31T00:00:00Z',
  contactedBefore: '2026-01-31T00:00:00Z',
  createdAt: '2026-01-31T00:00:00Z',
}
const customValue = (op: RuleOp) =>
  op === 'at_least' || op === 'at_most' ? 5 : op === 'before' || op === 'after' ? '2026-01-31' : 'Acme'
const ruleOf = (field: string, op: RuleOp, value: unknown) =>
  op === 'is_set' || op === 'is_not_set' ? { field, op } : { field, op, value }

describe('a rule', () => {
  it('accepts exactly the operators of its field', () => {
    for (const [field, ops] of Object.entries(RULE_FIELDS))
      for (const op of RULE_OPS) {
        const fits = (ops as readonly RuleOp[]).includes(op)
        const reported = problems(all(ruleOf(field, op, VALUES[field as keyof typeof VALUES])))
        expect([field, op, reported.map((problem) => problem.field)]).toEqual([
          field,
          op,
          fits ? [] : ['rules.rules.0.op'],
        ])
      }
    for (const op of RULE_OPS) expect(problems(all(ruleOf('field:Company', op, customValue(op))))).toEqual([])
  })

  it.each([
    [{ field: 'handle', op: 'is', value: 'ana' }, 'field', 'Field must be a filter field, createdAt or field:{name}.'],
    [{ field: 'field:', op: 'is_set' }, 'field', 'Field must be a filter field, createdAt or field:{name}.'],
    [{ field: 'toString', op: 'is_set' }, 'field', 'Field must be a filter field, createdAt or field:{name}.'],
    [{ field: 'field:a\u0000', op: 'is_set' }, 'field', 'Field must be a filter field, createdAt or field:{name}.'],
    [{ field: 'keyword', op: 'is', value: 'x' }, 'op', 'Op must be contains or not_contains for keyword.'],
    [{ field: 'keyword', op: 'like', value: 'x' }, 'op', expect.stringMatching(/^Op must be is, is_not, /)],
    [{ field: 'keyword', op: 'contains' }, 'value', 'Value is required.'],
    [{ field: 'keyword', op: 'contains', value: '  ' }, 'value', 'Value is required.'],
    [{ field: 'label', op: 'is_set', value: 'later' }, 'value', 'Value must be left out with is_set.'],
    [{ field: 'minFollowers', op: 'at_least', value: 'many' }, 'value', 'Value must be a whole number.'],
    [{ field: 'minFollowers', op: 'at_least', value: -1 }, 'value', 'Value must be at least 0.'],
    [{ field: 'createdAt', op: 'after', value: '2026-02-30T00:00:00Z' }, 'value', expect.stringMatching(/a time such/)],
    [{ field: 'field:Paid', op: 'at_most', value: '1e3' }, 'value', 'Value must be a number.'],
    [{ field: 'field:Since', op: 'before', value: '2026-02-30' }, 'value', 'Value must be a day such as 2026-01-31.'],
    [{ field: 'tags', op: 'is', value: [] }, 'value', 'Value must have at least 1 entry.'],
    [{ ...keyword, extra: 1 }, 'extra', '“extra” is not a field of this call.'],
  ])('rejects %j at its %s', (rule, field, problem) => {
    expect(problems(all(rule))).toEqual([{ field: `rules.rules.0.${field}`, problem }])
    expect(problems(all(keyword, { match: 'any', rules: [rule] }))).toEqual([
      { field: `rules.rules.1.rules.0.${field}`, problem },
    ])
  })
})

describe('rules', () => {
  it('have at most 20 rules over all groups, and one level of groups', () => {
    const group = (count: number) => ({ match: 'any', rules: Array(count).fill(keyword) })
    expect(problems(all(...Array(20).fill(keyword)))).toEqual([])
    expect(problems(all(group(10), group(9), keyword))).toEqual([])
    expect(problems(all(group(10), group(10), keyword))).toEqual([
      { field: 'rules.rules', problem: 'Rules may have at most 20 rules.' },
    ])
    for (const rules of [[], [{ match: 'any', rules: [] }], [{ match: 'all', rules: [group(1)] }], ['x'], [null], [[]]])
      expect(problems(all(...rules))).not.toEqual([])
    expect(problems({ rules: { match: 'none', rules: [keyword] } })[0]?.field).toBe('rules.match')
  })

  it('are JSON in a query string, as conditions on fields are', () => {
    const fields = [{ name: 'Company', op: 'is', value: 'Acme' }]
    const { rules } = all(keyword)
    expect(LeadFilter.parse({ rules: JSON.stringify(rules), fields: JSON.stringify(fields) })).toEqual({
      rules,
      fields,
    })
    for (const text of ['', '{', 'null', '[]', '1', '"x"', '{"match":"all"}'])
      expect([text, problems({ rules: text }).length]).toEqual([text, 1])
    expect(problems({ rules: '{' })).toEqual([{ field: 'rules', problem: 'Rules must be JSON.' }])
    expect(problems({ fields: '[' })).toEqual([{ field: 'fields', problem: 'Fields must be JSON.' }])
  })
})

it('takes tags as a list, or separated by commas', () => {
  const other = ID.replace('0', 'a').toUpperCase()
  expect(LeadFilter.parse({ tags: `${ID}, ${other}` }).tags).toEqual([ID, other.toLowerCase()])
  expect(LeadFilter.parse({ tags: [ID] }).tags).toEqual([ID])
  expect(problems({ tags: Array(21).fill(ID) })).toHaveLength(1)
  for (const tags of [[], '', ',']) expect(problems({ tags })).toHaveLength(1)
})

it.each([
  [{ name: 'Company', op: 'is', value: ' ' }, 'fields.0.value'],
  [{ name: 'Company', op: 'contains' }, 'fields.0.value'],
  [{ name: 'Company', op: 'is_set', value: 'x' }, 'fields.0.value'],
  [{ name: '', op: 'is_set' }, 'fields.0.name'],
  [{ name: 'Company', op: 'at_least', value: '5' }, 'fields.0.op'],
])('rejects the condition %j', (condition, field) => {
  expect(problems({ fields: [condition] }).map((problem) => problem.field)).toEqual([field])
})

it('is a saved filter or has fields', () => {
  expect(hasOneFilter({ filterId: ID, suppressed: false, bioWords: 'founder' })).toBe(true)
  expect(hasOneFilter({ filterId: ID, keyword: '' })).toBe(true)
  expect(hasOneFilter({ filterId: ID, label: 'later' })).toBe(false)
  expect(hasOneFilter({ keyword: 'x' })).toBe(true)
})
