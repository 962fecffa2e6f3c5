import { formatCount, formatList, formatNumber } from '@x-automated/contract/format'
import { countRules, type FieldCondition, type LeadRule, type LeadRules } from '@x-automated/contract/leads/lead-rules'
import { asCustomField } from '@x-automated/contract/leads/rule-fields'
import { dayText } from './days'
import { LABEL_NAMES } from './history-text'
import { basisLabels, statusLabels } from './leads-url'
import { fieldName, opsOfField, screenRule, valueKind } from './rule-draft'

type Named = readonly { id: string; name: string }[]

/** The names of the tags with these ids. Deleted tags appear as unknown. */
export function tagsText(ids: readonly string[], tags: Named): string {
  return formatList(ids.map((id) => tags.find((tag) => tag.id === id)?.name ?? 'Unknown tag'))
}

/** 'Company is Acme' */
export function conditionText({ name, op, value }: FieldCondition): string {
  return ruleText({ field: asCustomField(name), op, value }, [])
}

/** '3 rules' */
export function rulesCountText(rules: LeadRules): string {
  return formatCount(countRules(rules), 'rule')
}

/** A rule in words: 'Status is not Sent'. */
function ruleText(rule: LeadRule, tags: Named): string {
  const { field, op, value, ids } = screenRule(rule)
  const start = `${fieldName(field)} ${opsOfField(field)[op]?.replace(/ \(.*\)$/, '')}`
  switch (valueKind(field, op)) {
    case 'none':
      return start
    case 'tags':
      return `${start} ${tagsText(ids, tags)}`
    case 'count':
      return `${start} ${formatNumber(Number(value))}`
    case 'moment':
      return `${start} ${dayText(value)}`
    case 'choice':
      return `${start} ${choiceText(field, value, tags)}`
    default:
      return `${start} ${value}`
  }
}

function choiceText(field: string, value: string, tags: Named): string {
  if (field === 'tag') return tags.find(({ id, name }) => id === value || name === value)?.name ?? 'an unknown tag'
  if (field === 'listId') return 'one list'
  if (field === 'scrapeId') return 'one scrape'
  const labels: Record<string, string> = { ...statusLabels, ...basisLabels, ...LABEL_NAMES }
  return labels[value] ?? value
}

/** Rules in words, one text per rule or group. */
export function rulesTexts({ rules }: LeadRules, tags: Named): string[] {
  return rules.map((node) =>
    'rules' in node
      ? formatList(
          node.rules.map((rule) => ruleText(rule, tags)),
          node.match === 'all' ? 'conjunction' : 'disjunction',
        )
      : ruleText(node, tags),
  )
}
