import { z } from 'zod'
import { Id, requiredText, Time } from '../fields.ts'
import { routes } from '../route.ts'
import { LeadFilter, LeadSort } from './leads.ts'

const route = routes('Saved filters', 'leads')

/** Maximum number of saved filters per workspace. */
export const SAVED_FILTERS_MAX = 100

export const SavedFilter = z.object({
  id: z.string(),
  name: z.string(),
  filter: LeadFilter,
  sort: LeadSort,
  createdAt: Time,
})
export type SavedFilter = z.output<typeof SavedFilter>

const name = requiredText(100, 'Filter name cannot be empty.')
const filter = z.strictObject(LeadFilter.shape)

export const savedFilters = {
  list: route('GET /filters', 'viewer', 'none', {
    summary: 'List the saved filters of the leads page by name, at most 100',
  }).output(z.object({ filters: z.array(SavedFilter) })),

  create: route('POST /filters', 'member', 'rows', {
    summary: 'Save a filter of the leads page',
    errors: ['FILTER_EXISTS', 'TOO_MANY', 'PLAN_LIMIT'],
  })
    .input(z.strictObject({ name, filter, sort: LeadSort.default('-createdAt') }))
    .output(SavedFilter),

  update: route('PATCH /filters/{id}', 'member', 'rows', {
    summary: 'Rename or replace a saved filter',
    errors: ['FILTER_NOT_FOUND', 'FILTER_EXISTS', 'PLAN_LIMIT'],
  })
    .input(z.strictObject({ id: Id, name: name.optional(), filter: filter.optional(), sort: LeadSort.optional() }))
    .output(SavedFilter),

  remove: route('DELETE /filters/{id}', 'member', 'rows', {
    summary: 'Delete a saved filter',
    errors: ['FILTER_NOT_FOUND'],
  }).input(z.strictObject({ id: Id })),
}
