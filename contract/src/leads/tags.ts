import { z } from 'zod'
import { Id, requiredText, Success, Time } from '../fields.ts'
import { routes } from '../route.ts'
import { hasOneSelection, leadSelection, nextPart, ONE_SELECTION } from './leads.ts'

const route = routes('Tags', 'leads')

export const TAG_COLORS = ['gray', 'red', 'amber', 'green', 'teal', 'blue', 'violet', 'pink'] as const
export type TagColor = (typeof TAG_COLORS)[number]

/** Maximum number of tags per workspace. */
export const TAGS_MAX = 100

export const Tag = z.object({
  id: z.string(),
  name: z.string(),
  color: z.enum(TAG_COLORS),
  leadCount: z.number().int(),
  createdAt: Time,
})
export type Tag = z.output<typeof Tag>

const name = requiredText(50, 'Tag name cannot be empty.')
const color = z.enum(TAG_COLORS)
const tagIds = z.array(Id).max(TAGS_MAX)

export const tags = {
  list: route('GET /tags', 'viewer', 'none', { summary: 'List tags by name, at most 100' }).output(
    z.object({ tags: z.array(Tag) }),
  ),

  create: route('POST /tags', 'member', 'rows', { summary: 'Create a tag', errors: ['TAG_EXISTS', 'TOO_MANY'] })
    .input(z.strictObject({ name, color: color.optional() }))
    .output(Tag),

  update: route('PATCH /tags/{id}', 'member', 'rows', {
    summary: 'Change the name or color of a tag',
    errors: ['TAG_NOT_FOUND', 'TAG_EXISTS'],
  })
    .input(z.strictObject({ id: Id, name: name.optional(), color: color.optional() }))
    .output(Tag),

  merge: route('POST /tags/{id}/merge', 'member', 'rows', {
    summary: 'Merge a tag into another: its leads get the other tag, and it is deleted',
    errors: ['TAG_NOT_FOUND'],
  })
    .input(z.strictObject({ id: Id, into: Id }))
    .output(Tag),

  remove: route('DELETE /tags/{id}', 'member', 'rows', {
    summary: 'Delete a tag, but not its leads',
    errors: ['TAG_NOT_FOUND'],
  }).input(z.strictObject({ id: Id })),

  apply: route('POST /leads/tags', 'member', 'rows', {
    summary: 'Add tags to leads and remove others',
    errors: ['TAG_NOT_FOUND', 'FILTER_NOT_FOUND', 'PLAN_LIMIT'],
  })
    .input(
      z
        .strictObject({ ...leadSelection, add: tagIds.default([]), remove: tagIds.default([]) })
        .refine(hasOneSelection, ONE_SELECTION)
        .refine(({ add, remove }) => add.length + remove.length > 0, {
          message: 'Name a tag to add or remove.',
          path: ['add'],
        }),
    )
    .output(
      Success.extend({
        /** Number of added or removed tags, over all leads. */
        changed: z.number().int(),
        ...nextPart,
      }),
    ),
}
