import { z } from 'zod'
import { Id, requiredText, Time } from '../fields.ts'
import { routes } from '../route.ts'

const route = routes('Snippets', 'conversations')

/** Maximum number of snippets per workspace. */
export const SNIPPETS_MAX = 100
const SNIPPET_SHORTCUT_MAX = 50

/** A text that members insert into replies by typing its shortcut. */
export const Snippet = z.object({
  id: z.string(),
  /** Without the slash. Unique, ignoring case. */
  shortcut: z.string(),
  text: z.string(),
  authorId: z.string(),
  updatedAt: Time,
})
export type Snippet = z.output<typeof Snippet>

const shortcut = requiredText(SNIPPET_SHORTCUT_MAX, 'Shortcut cannot be empty.').refine(
  (typed) => !/[\s/]/.test(typed),
  'A shortcut has no spaces or slashes.',
)
const text = requiredText(10_000, 'Text cannot be empty.')

export const snippets = {
  list: route('GET /snippets', 'member', 'none', {
    summary: 'List the snippets of the workspace by shortcut, at most 100',
  }).output(z.object({ snippets: z.array(Snippet) })),

  create: route('POST /snippets', 'member', 'rows', {
    summary: 'Create a snippet',
    errors: ['SNIPPET_EXISTS', 'TOO_MANY'],
  })
    .input(z.strictObject({ shortcut, text }))
    .output(Snippet),

  update: route('PATCH /snippets/{id}', 'member', 'rows', {
    summary: 'Change a snippet, as its author or an admin',
    errors: ['SNIPPET_NOT_FOUND', 'SNIPPET_EXISTS'],
  })
    .input(z.strictObject({ id: Id, shortcut: shortcut.optional(), text: text.optional() }))
    .output(Snippet),

  remove: route('DELETE /snippets/{id}', 'member', 'rows', {
    summary: 'Delete a snippet, as its author or an admin',
    errors: ['SNIPPET_NOT_FOUND'],
  }).input(z.strictObject({ id: Id })),
}
