import { z } from 'zod'
import { Id, requiredText, Time } from '../fields.ts'
import { route } from '../route.ts'
import { LeadFilter, LeadSort } from './leads.ts'

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
  list: route({
    method: 'GET',
    path: '/filters',
    tag: 'Saved filters',
    summary: 'List the saved filters of the leads page by name, at most 100',
    access: 'viewer',
    effect: 'none',
  }).output(z.object({ filters: z.array(SavedFilter) })),

  create: route({
    method: 'POST',
    path: '/filters',
    tag: 'Saved filters',
    summary: 'Save a filter of the leads page',
    access: 'member',
    effect: 'rows',
    errors: ['FILTER_EXISTS', 'TOO_MANY'],
  })
    .input(z.strictObject({ name, filter, sort: LeadSort.default('-createdAt') }))
    .output(SavedFilter),

  update: route({
    method: 'PATCH',
    path: '/filters/{id}',
    tag: 'Saved filters',
    summary: 'Rename or replace a saved filter',
    access: 'member',
    effect: 'rows',
    errors: ['FILTER_NOT_FOUND', 'FILTER_EXISTS'],
  })
    .input(z.strictObject({ id: Id, name: name.optional(), filter: filter.optional(), sort: LeadSort.optional() }))
    .output(SavedFilter),

  remove: route({
    method: 'DELETE',
    path: '/filters/{id}',
    tag: 'Saved filters',
    summary: 'Delete a saved filter',
    access: 'member',
    effect: 'rows',
    successStatus: 204,
    errors: ['FILTER_NOT_FOUND'],
  }).input(z.strictObject({ id: Id })),
}
