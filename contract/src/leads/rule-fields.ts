// This file imports no schemas, so that screens can import it cheaply.

/** Maximum number of rules in a filter, over all its groups. */
export const RULES_MAX = 20
export const FILTER_TAGS_MAX = 20
/** Maximum number of conditions on custom fields in a filter. */
export const FIELD_CONDITIONS_MAX = 20
/** Maximum length of a custom field's name in a filter. */
export const FIELD_NAME_MAX = 200
/** Maximum length of a custom field's value in a filter. */
export const FIELD_VALUE_MAX = 500

export const RULE_OPS = [
  'is',
  'is_not',
  'contains',
  'not_contains',
  'at_least',
  'at_most',
  'before',
  'after',
  'is_set',
  'is_not_set',
] as const
export type RuleOp = (typeof RULE_OPS)[number]

/** Operators of the plain filter for a custom field. */
export const FIELD_OPS = ['is', 'contains', 'is_set', 'is_not_set'] as const
export type FieldOp = (typeof FIELD_OPS)[number]

const CHOICE = ['is', 'is_not'] as const
const MAYBE = ['is_set', 'is_not_set'] as const

/** The operators of each field. A custom field is named `field:{name}` and allows all of them. */
export const RULE_FIELDS = {
  keyword: ['contains', 'not_contains'],
  minFollowers: ['at_least', ...MAYBE],
  maxFollowers: ['at_most', ...MAYBE],
  status: CHOICE,
  listId: [...CHOICE, ...MAYBE],
  tag: [...CHOICE, ...MAYBE],
  tags: [...CHOICE, ...MAYBE],
  basis: CHOICE,
  label: [...CHOICE, ...MAYBE],
  scrapeId: [...CHOICE, ...MAYBE],
  contactedAfter: ['after', ...MAYBE],
  contactedBefore: ['before', ...MAYBE],
  createdAt: ['before', 'after'],
} as const satisfies Record<string, readonly RuleOp[]>
export type RuleField = keyof typeof RULE_FIELDS

const CUSTOM = 'field:'

/** `field:Company` → `Company`; null for any other field. */
export function customFieldIn(field: string): string | null {
  return field.startsWith(CUSTOM) ? field.slice(CUSTOM.length) : null
}

/** `Company` → `field:Company`. */
export function asCustomField(name: string): string {
  return CUSTOM + name
}

function isRuleField(field: string): field is RuleField {
  return Object.hasOwn(RULE_FIELDS, field)
}

/** Returns a field's operators, or null if there is no such field. */
export function opsOf(field: string): readonly RuleOp[] | null {
  if (customFieldIn(field)) return RULE_OPS
  return isRuleField(field) ? RULE_FIELDS[field] : null
}

/** True for all operators except `is_set` and `is_not_set`. */
export function takesValue(op: RuleOp): boolean {
  return op !== 'is_set' && op !== 'is_not_set'
}
