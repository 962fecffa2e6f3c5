import { z } from 'zod'
import { Id, Page, paging, requiredText, Success, Time, text } from './fields.ts'
import { hasOneSelection, Lead, leadSelection, ONE_SELECTION } from './leads.ts'
import { route } from './route.ts'

/** How a lead stands in one list, whatever other lists or campaigns have done (specification §3). */
export const CONTACT_STATUSES = ['pending', 'contacted'] as const
export type ContactStatus = (typeof CONTACT_STATUSES)[number]

export const List = z.object({
  id: z.string(),
  name: z.string(),
  description: z.string().nullable(),
  leadCount: z.number().int(),
  createdAt: Time,
})
export type List = z.output<typeof List>

const name = requiredText(200, 'List name cannot be empty.')
const description = text(2_000).nullable().optional()

export const lists = {
  list: route({
    method: 'GET',
    path: '/lists',
    tag: 'Lists',
    summary: 'Lead lists, newest first',
    access: 'viewer',
    effect: 'none',
  })
    .input(z.object(paging(100)))
    .output(Page.extend({ lists: z.array(List) })),

  create: route({
    method: 'POST',
    path: '/lists',
    tag: 'Lists',
    summary: 'Create a list',
    access: 'member',
    effect: 'rows',
  })
    .input(z.strictObject({ name, description }))
    .output(List),

  update: route({
    method: 'PATCH',
    path: '/lists/{id}',
    tag: 'Lists',
    summary: 'Rename or describe a list',
    access: 'member',
    effect: 'rows',
    errors: ['LEAD_LIST_NOT_FOUND'],
  })
    .input(z.strictObject({ id: Id, name: name.optional(), description }))
    .output(List),

  remove: route({
    method: 'DELETE',
    path: '/lists/{id}',
    tag: 'Lists',
    summary: 'Delete a list; its leads stay',
    access: 'member',
    effect: 'rows',
    successStatus: 204,
    errors: ['LEAD_LIST_NOT_FOUND', 'LEAD_LIST_IN_USE'],
  }).input(z.strictObject({ id: Id })),

  leads: route({
    method: 'GET',
    path: '/lists/{id}/leads',
    tag: 'Lists',
    summary: 'Leads of a list, last added first',
    access: 'viewer',
    effect: 'none',
    errors: ['LEAD_LIST_NOT_FOUND'],
  })
    .input(z.object({ id: Id, ...paging(100) }))
    .output(Page.extend({ leads: z.array(Lead) })),

  addLeads: route({
    method: 'POST',
    path: '/lists/{id}/leads',
    tag: 'Lists',
    summary: 'Add leads to a list',
    access: 'member',
    effect: 'rows',
    errors: ['LEAD_LIST_NOT_FOUND'],
  })
    .input(z.strictObject({ id: Id, ...leadSelection }).refine(hasOneSelection, ONE_SELECTION))
    .output(Success.extend({ changed: z.number().int() })),

  removeLeads: route({
    method: 'DELETE',
    path: '/lists/{id}/leads',
    tag: 'Lists',
    summary: 'Take leads out of a list',
    access: 'member',
    effect: 'rows',
    errors: ['LEAD_LIST_NOT_FOUND'],
  })
    .input(z.strictObject({ id: Id, ...leadSelection }).refine(hasOneSelection, ONE_SELECTION))
    .output(Success.extend({ changed: z.number().int() })),
}
