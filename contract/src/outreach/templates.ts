import { z } from 'zod'
import { Id, isStorable, Page, paging, QueryFlag, requiredName, Time } from '../fields.ts'
import { routes } from '../route.ts'
import { TemplateStep, TemplateSteps } from './steps.ts'

const route = routes('Templates', 'templates')

export const TEMPLATE_NAME_MAX = 200
const FOLDER_NAME_MAX = 100

/** Percent from 0 to 100 with one decimal; null: nobody was messaged. */
const Rate = z.number().min(0).max(100).nullable()

/** Reusable messages for campaigns. */
export const Template = z.object({
  id: z.string(),
  name: z.string(),
  folder: z.string().nullable(),
  steps: z.array(TemplateStep),
  /** If false, only the template's author and admins see it. */
  isShared: z.boolean(),
  /** The template ships with the product: it is read-only, and does not count toward the plan's limit. */
  isStarter: z.boolean(),
  isArchived: z.boolean(),
  /** Null: the template is a starter, or its author's account was deleted. */
  author: z.object({ id: z.string(), name: z.string() }).nullable(),
  /** The number of campaigns started from the template. */
  campaignCount: z.number().int(),
  /** The share of messaged people who replied, over these campaigns. */
  replyRate: Rate,
  /** The share whose reply is `interested`, `meeting`, `question` or `booked`. */
  positiveRate: Rate,
  createdAt: Time,
  updatedAt: Time,
})
export type Template = z.output<typeof Template>

const name = requiredName(TEMPLATE_NAME_MAX)
const folder = requiredName(FOLDER_NAME_MAX).nullable()
const search = (max: number) => z.string().max(max).refine(isStorable, 'must not contain NUL characters')

export const templates = {
  list: route('GET /templates', 'viewer', 'none', {
    summary: 'List templates, the last changed first and starters last',
    description: 'Viewers see shared ones, members also their own, admins all.',
  })
    .input(
      z.object({
        folder: search(FOLDER_NAME_MAX).optional(),
        /** Matches a part of the name, the folder or a message. */
        q: search(200).optional(),
        isArchived: QueryFlag.default(false),
        ...paging(50),
      }),
    )
    .output(
      Page.extend({
        templates: z.array(Template),
        /** Folders of all templates that the caller can see, by name. */
        folders: z.array(z.string()),
      }),
    ),

  create: route('POST /templates', 'member', 'rows', { summary: 'Create a template', errors: ['PLAN_LIMIT'] })
    .input(
      z.strictObject({
        name,
        folder: folder.optional(),
        steps: TemplateSteps,
        isShared: z.boolean().default(false),
      }),
    )
    .output(Template),

  update: route('PATCH /templates/{id}', 'member', 'rows', {
    summary: 'Change, share or archive a template, as its author or an admin',
    description: "Campaigns started from it don't change.",
    errors: ['TEMPLATE_NOT_FOUND', 'PLAN_LIMIT'],
  })
    .input(
      z.strictObject({
        id: Id,
        name: name.optional(),
        folder: folder.optional(),
        steps: TemplateSteps.optional(),
        isShared: z.boolean().optional(),
        isArchived: z.boolean().optional(),
      }),
    )
    .output(Template),

  remove: route('DELETE /templates/{id}', 'member', 'rows', {
    summary: 'Delete a template, as its author or an admin',
    description: "Campaigns started from it don't change.",
    errors: ['TEMPLATE_NOT_FOUND'],
  }).input(z.strictObject({ id: Id })),

  duplicate: route('POST /templates/{id}/duplicate', 'member', 'rows', {
    summary: 'Duplicate a template as a private one',
    errors: ['TEMPLATE_NOT_FOUND', 'PLAN_LIMIT'],
  })
    .input(z.strictObject({ id: Id, name: name.optional(), folder: folder.optional() }))
    .output(Template),
}
