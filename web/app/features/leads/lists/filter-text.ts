import { formatNumber } from '@x-automated/contract/format'
import type { LeadFilter } from '@x-automated/contract/leads/leads'
import { dayText } from '../leads/days'
import { LABEL_NAMES } from '../leads/history-text'
import { basisLabels, statusLabels } from '../leads/leads-url'
import { conditionText, rulesCountText, tagsText } from '../leads/rule-text'

/** A smart list's criteria, one text each. @param tags the workspace's tags, for their names */
export function filterTexts(filter: LeadFilter, tags: readonly { id: string; name: string }[]): string[] {
  const { keyword, minFollowers, maxFollowers, status, tag, basis, label, listId, scrapeId } = filter
  const { tags: tagIds, fields = [], contactedAfter, contactedBefore, rules } = filter
  const texts = [
    keyword && `“${keyword}” in bio, name or handle`,
    followersText(minFollowers, maxFollowers),
    status && `Status: ${statusLabels[status]}`,
    tag && `Tag: ${tags.find(({ id }) => id === tag)?.name ?? tag}`,
    basis && `Contact basis: ${basisLabels[basis]}`,
    label && `Reply: ${LABEL_NAMES[label]}`,
    tagIds && `Tags: ${tagsText(tagIds, tags)}`,
    ...fields.map(conditionText),
    contactedAfter && `Contacted on or after ${dayText(contactedAfter)}`,
    contactedBefore && `Contacted before ${dayText(contactedBefore)}`,
    rules && `Custom rules: ${rulesCountText(rules)}`,
    listId && 'On another list',
    scrapeId && 'From one scrape',
  ]
  return texts.flatMap((text) => text || [])
}

function followersText(min: number | undefined, max: number | undefined): string | undefined {
  if (min !== undefined && max !== undefined) return `${formatNumber(min)}–${formatNumber(max)} followers`
  if (min !== undefined) return `At least ${formatNumber(min)} followers`
  if (max !== undefined) return `At most ${formatNumber(max)} followers`
  return undefined
}
