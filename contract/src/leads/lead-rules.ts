import { z } from 'zod'
import { FollowerQuery, Id, isStorable, Moment, requiredText, text, UNSTORABLE } from '../fields.ts'
import { formatList } from '../format.ts'
import { REPLY_LABELS } from '../reply-labels.ts'
import { CONTACT_BASES, LEAD_FILTER_STATUSES } from './lead-values.ts'
import {
  customFieldIn,
  FIELD_CONDITIONS_MAX,
  FIELD_NAME_MAX,
  FIELD_OPS,
  FIELD_VALUE_MAX,
  FILTER_TAGS_MAX,
  opsOf,
  RULE_OPS,
  RULES_MAX,
  type RuleField,
  type RuleOp,
  takesValue,
} from './rule-fields.ts'

/** Also accepts the value as JSON text, for query strings. Bodies and typed clients pass the value. */
function jsonInQuery<T extends z.ZodType>(schema: T) {
  const read = z.preprocess((value, context) => {
    if (typeof value !== 'string') return value
    try {
      return JSON.parse(value) as unknown
    } catch {
      context.addIssue({ code: 'custom', message: 'must be JSON', input: value })
      return z.NEVER
    }
  }, schema.optional())
  return read as z.ZodType<z.output<T> | undefined, z.input<T> | string | undefined>
}

/** Ids of tags. In a query string they are separated by commas. */
export const FilterTags = z
  .union([z.array(Id), z.string().transform((ids) => ids.split(',').flatMap((id) => id.trim() || []))])
  .pipe(z.array(Id).min(1).max(FILTER_TAGS_MAX))

/** Not trimmed, because an imported name may begin with a space. */
const FieldName = z.string().min(1).max(FIELD_NAME_MAX).refine(isStorable, UNSTORABLE)

const FieldCondition = z
  .strictObject({ name: FieldName, op: z.enum(FIELD_OPS), value: text(FIELD_VALUE_MAX).optional() })
  .superRefine(({ op, value }, context) => checkPresence(op, value || undefined, context))
export type FieldCondition = z.output<typeof FieldCondition>

/** Conditions on custom fields. A lead must meet all of them. */
export const FieldConditions = jsonInQuery(z.array(FieldCondition).min(1).max(FIELD_CONDITIONS_MAX))

function checkPresence(op: RuleOp, value: unknown, context: z.RefinementCtx): void {
  if (takesValue(op) === (value !== undefined)) return
  const message = takesValue(op) ? 'is required' : `must be left out with ${op}`
  context.addIssue({ code: 'custom', message, path: ['value'] })
}

const VALUES: Record<RuleField, z.ZodType<RuleValue>> = {
  keyword: requiredText(200),
  minFollowers: FollowerQuery,
  maxFollowers: FollowerQuery,
  status: z.enum(LEAD_FILTER_STATUSES),
  listId: Id,
  tag: requiredText(100),
  tags: FilterTags,
  basis: z.enum(CONTACT_BASES),
  label: z.enum(REPLY_LABELS),
  scrapeId: Id,
  contactedAfter: Moment,
  contactedBefore: Moment,
  createdAt: Moment,
}

const Amount = z.union([
  z.number(),
  z
    .string()
    .regex(/^[+-]?\d{1,15}(\.\d{1,10})?$/, 'must be a number')
    .transform(Number),
])

function customValueOf(op: RuleOp): z.ZodType<RuleValue> {
  if (op === 'at_least' || op === 'at_most') return Amount.pipe(z.number().min(-1e15).max(1e15))
  if (op === 'before' || op === 'after') return z.iso.date('must be a day such as 2026-01-31')
  return requiredText(FIELD_VALUE_MAX)
}

const RuleValue = z.union([z.string(), z.number(), z.array(z.string())])
type RuleValue = z.output<typeof RuleValue>

/** Compares one field. `after` includes the time itself; `is_not` and `not_contains` negate `is` and `contains`. */
const LeadRule = z
  .strictObject({
    /** A field of the plain filter, `createdAt`, or `field:{name}` for a custom field. */
    field: z.string().max(FIELD_NAME_MAX + 10),
    op: z.enum(RULE_OPS),
    value: RuleValue.optional(),
  })
  .transform((rule, context): { field: string; op: RuleOp; value?: RuleValue } => {
    const { field, op, value } = rule
    const ops = opsOf(field)
    const name = customFieldIn(field)
    const refuse = (message: string, at: PropertyKey[]) => context.addIssue({ code: 'custom', message, path: at })
    if (!ops || (name !== null && !FieldName.safeParse(name).success))
      refuse('must be a filter field, createdAt or field:{name}', ['field'])
    else if (!ops.includes(op)) refuse(`must be ${formatList(ops, 'disjunction')} for ${field}`, ['op'])
    else {
      checkPresence(op, value, context)
      if (!takesValue(op) || value === undefined) return { field, op }
      const read = (name === null ? VALUES[field as RuleField] : customValueOf(op)).safeParse(value)
      if (read.success) return { field, op, value: read.data }
      for (const { message, path } of read.error.issues) refuse(message, ['value', ...path])
    }
    return z.NEVER
  })
  .pipe(z.object({ field: z.string(), op: z.enum(RULE_OPS), value: RuleValue.optional() }))
export type LeadRule = z.output<typeof LeadRule>

const RuleMatch = z.enum(['all', 'any'])
export type RuleMatch = z.output<typeof RuleMatch>

const RuleGroup = z.strictObject({ match: RuleMatch, rules: z.array(LeadRule).min(1).max(RULES_MAX) })

const Rules = z
  .strictObject({
    match: RuleMatch,
    rules: z
      .array(z.union([LeadRule, RuleGroup]))
      .min(1)
      .max(RULES_MAX),
  })
  .refine((rules) => countRules(rules) <= RULES_MAX, {
    message: `may have at most ${RULES_MAX} rules`,
    path: ['rules'],
  })
export type LeadRules = z.output<typeof Rules>

/** Rules with one level of groups. A lead must meet all of them, or any. */
export const LeadRules = jsonInQuery(Rules)

/** Counts the rules, including those in groups. */
export function countRules({ rules }: { rules: readonly (object | { rules: readonly object[] })[] }): number {
  return rules.reduce((sum, node) => sum + ('rules' in node ? node.rules.length : 1), 0)
}
