import type { FilterDraft } from './filter-fields'

/** What chips can filter by. */
export const CRITERIA = {
  followers: 'Followers',
  status: 'Status',
  tag: 'Tag',
  basis: 'Contact basis',
  label: 'Reply label',
  tags: 'Several tags',
  fields: 'Custom field',
  contactedAfter: 'Contacted on or after',
  contactedBefore: 'Contacted before',
  rules: 'Custom rules',
} as const
export type Criterion = keyof typeof CRITERIA
export const criteria = Object.keys(CRITERIA) as Criterion[]
/** Criteria with a choice of one value. */
export type Choice = 'status' | 'tag' | 'basis' | 'label'
/** Criteria that the Pro plan adds. */
export const ADVANCED: readonly Criterion[] = ['label', 'tags', 'fields', 'contactedAfter', 'contactedBefore']

/** Whether a draft filters by a criterion. */
export function isSet(draft: FilterDraft, criterion: Criterion): boolean {
  if (criterion === 'followers') return draft.min !== null || draft.max !== null
  const value = draft[criterion]
  return typeof value === 'string' || Array.isArray(value) ? value.length > 0 : value !== null
}

/** The draft without this criterion. */
export function without(draft: FilterDraft, criterion: Criterion): FilterDraft {
  if (criterion === 'followers') return { ...draft, min: null, max: null }
  const empty = { tags: [], fields: [], rules: null } as Partial<Record<Criterion, unknown>>
  return { ...draft, [criterion]: criterion in empty ? empty[criterion] : '' }
}
