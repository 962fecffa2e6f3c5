import { inputProblems, predicateOf } from '@x-automated/contract/input-problems'
import { type LeadRule, LeadRules, type RuleMatch } from '@x-automated/contract/leads/lead-rules'
import { customFieldIn, RULE_OPS, type RuleOp, takesValue } from '@x-automated/contract/leads/rule-fields'

/* Rules as the builder shows them. It has one field for the follower count and one for the last
   contact. The API has two of each. */

/** A field of the builder: one of these, or `field:{name}`. */
export const SCREEN_FIELDS = {
  keyword: 'Bio, name or handle',
  followers: 'Followers',
  status: 'Status',
  tag: 'Tag',
  tags: 'Tags',
  basis: 'Contact basis',
  label: 'Reply label',
  listId: 'List',
  scrapeId: 'Scrape',
  contacted: 'Last contacted',
  createdAt: 'Added',
} as const
type ScreenField = keyof typeof SCREEN_FIELDS

const CHOICE: Ops = { is: 'is', is_not: 'is not' }
const MAYBE: Ops = { is_set: 'is set', is_not_set: 'is not set' }
type Ops = Partial<Record<RuleOp, string>>

const OPS: Record<ScreenField, Ops> = {
  keyword: { contains: 'contains', not_contains: "doesn't contain" },
  followers: { at_least: 'at least', at_most: 'at most', is_set: 'known', is_not_set: 'unknown' },
  status: CHOICE,
  tag: { ...CHOICE, ...MAYBE },
  tags: { is: 'include all of', is_not: "don't include all of" },
  basis: CHOICE,
  label: { ...CHOICE, ...MAYBE },
  listId: { ...CHOICE, ...MAYBE },
  scrapeId: { ...CHOICE, ...MAYBE },
  contacted: { after: 'on or after', before: 'before', is_set: 'at any time', is_not_set: 'never' },
  createdAt: { after: 'on or after', before: 'before' },
}
const CUSTOM_OPS: Ops = {
  is: 'is',
  is_not: 'is not',
  contains: 'contains',
  not_contains: "doesn't contain",
  at_least: 'at least (number)',
  at_most: 'at most (number)',
  after: 'on or after (date)',
  before: 'before (date)',
  is_set: 'has a value',
  is_not_set: 'is empty',
}

/** The operators of a field and their names. */
export function opsOfField(field: string): Ops {
  return customFieldIn(field) === null ? OPS[field as ScreenField] : CUSTOM_OPS
}

/** The field's name on screens. */
export function fieldName(field: string): string {
  return customFieldIn(field) ?? SCREEN_FIELDS[field as ScreenField]
}

/** The kind of control for entering a value. */
type ValueKind = 'none' | 'text' | 'number' | 'count' | 'day' | 'moment' | 'choice' | 'tags'

export function valueKind(field: string, op: RuleOp): ValueKind {
  if (!takesValue(op)) return 'none'
  if (customFieldIn(field) !== null)
    return op === 'at_least' || op === 'at_most' ? 'number' : op === 'before' || op === 'after' ? 'day' : 'text'
  switch (field as ScreenField) {
    case 'keyword':
      return 'text'
    case 'followers':
      return 'count'
    case 'contacted':
    case 'createdAt':
      return 'moment'
    case 'tags':
      return 'tags'
    default:
      return 'choice'
  }
}

export interface RuleDraft {
  key: number
  field: string
  op: RuleOp
  /** '' while it is empty. */
  value: string
  /** Only for several tags: their ids. */
  ids: readonly string[]
}
export interface GroupDraft {
  key: number
  match: RuleMatch
  rules: readonly RuleDraft[]
}
export interface RulesDraft {
  match: RuleMatch
  nodes: readonly (RuleDraft | GroupDraft)[]
}

let lastKey = 0
const newKey = () => {
  lastKey += 1
  return lastKey
}

export function newRule(): RuleDraft {
  return { key: newKey(), field: 'keyword', op: 'contains', value: '', ids: [] }
}

export function newGroup(): GroupDraft {
  return { key: newKey(), match: 'any', rules: [newRule()] }
}

export function isGroup(node: RuleDraft | GroupDraft): node is GroupDraft {
  return 'rules' in node
}

/** The rule about another field. Keeps the operator if it fits, but drops the value. */
export function withField(rule: RuleDraft, field: string): RuleDraft {
  const ops = opsOfField(field)
  const op = rule.op in ops ? rule.op : RULE_OPS.find((candidate) => candidate in ops)
  return { ...rule, field, op: op ?? 'is', value: '', ids: [] }
}

/** The rule with another operator. Drops the value if it is of another kind. */
export function withOp(rule: RuleDraft, op: RuleOp): RuleDraft {
  const isSameKind = valueKind(rule.field, rule.op) === valueKind(rule.field, op)
  return { ...rule, op, ...(isSameKind ? {} : { value: '', ids: [] }) }
}

const SCREEN_NAMES: Record<string, ScreenField> = {
  minFollowers: 'followers',
  maxFollowers: 'followers',
  contactedAfter: 'contacted',
  contactedBefore: 'contacted',
}

/** Translates a stored rule into the builder's names. */
export function screenRule({ field, op, value }: LeadRule): Omit<RuleDraft, 'key'> {
  const ids = Array.isArray(value) ? value : []
  // In the builder, `tags` has no operators without a value, but `tag` does.
  const screenField = field === 'tags' && !takesValue(op) ? 'tag' : (SCREEN_NAMES[field] ?? field)
  return { field: screenField, op, value: Array.isArray(value) ? '' : String(value ?? ''), ids }
}

export function draftOfRules(rules: LeadRules): RulesDraft {
  const draft = (rule: LeadRule): RuleDraft => ({ key: newKey(), ...screenRule(rule) })
  return {
    match: rules.match,
    nodes: rules.rules.map((node) =>
      'rules' in node ? { key: newKey(), match: node.match, rules: node.rules.map(draft) } : draft(node),
    ),
  }
}

/** The API's name for a field, which can depend on the operator. */
function wireField({ field, op }: RuleDraft): string {
  if (field === 'followers') return op === 'at_most' ? 'maxFollowers' : 'minFollowers'
  if (field === 'contacted') return op === 'before' ? 'contactedBefore' : 'contactedAfter'
  return field
}

function wireRule(rule: RuleDraft) {
  const { field, op, value, ids } = rule
  const name = wireField(rule)
  const kind = valueKind(field, op)
  if (kind === 'none') return { field: name, op }
  if (kind === 'tags') return { field: name, op, value: ids.length > 0 ? [...ids] : undefined }
  const text = value.trim()
  return { field: name, op, value: text === '' ? undefined : kind === 'count' ? Number(text) : text }
}

/** The rules of a draft, or the problems of its rules by their keys. */
export function rulesOfDraft({
  match,
  nodes,
}: RulesDraft): { rules: LeadRules; problems?: never } | { rules?: never; problems: Map<number, string> } {
  const wired = {
    match,
    rules: nodes.map((node) =>
      isGroup(node) ? { match: node.match, rules: node.rules.map(wireRule) } : wireRule(node),
    ),
  }
  const read = LeadRules.safeParse(wired, { error: predicateOf })
  if (read.success && read.data) return { rules: read.data }
  const problems = new Map<number, string>()
  for (const { field, problem } of inputProblems(read.error?.issues ?? [])) {
    const [, at, , inGroup] = field.split('.')
    const node = nodes[Number(at)]
    const rule = node && isGroup(node) ? node.rules[Number(inGroup)] : node
    if (rule) problems.set(rule.key, problem)
  }
  return { problems }
}

/** The number of rules in a draft. */
export function countDraft({ nodes }: RulesDraft): number {
  return nodes.reduce((sum, node) => sum + (isGroup(node) ? node.rules.length : 1), 0)
}

/** A draft as a text that only depends on its contents. */
export function textOfRules(draft: RulesDraft): string {
  return JSON.stringify(draft, (name, value) => (name === 'key' ? undefined : value))
}

/** The reverse of `textOfRules`. */
export function rulesOfText(text: string): RulesDraft {
  const { match, nodes } = JSON.parse(text) as RulesDraft
  const withKey = <Node extends object>(node: Node) => ({ ...node, key: newKey() })
  return {
    match,
    nodes: nodes.map((node) => withKey(isGroup(node) ? { ...node, rules: node.rules.map(withKey) } : node)),
  }
}
