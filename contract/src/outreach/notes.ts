import { z } from 'zod'
import { Id, requiredText } from '../fields.ts'
import { routes } from '../route.ts'
import { Note } from './conversations.ts'

const route = routes('Inbox', 'conversations')

const text = requiredText(10_000, 'Note cannot be empty.')

export const notes = {
  create: route('POST /conversations/{id}/notes', 'member', 'rows', {
    summary: 'Add a note to a conversation',
    errors: ['CONVERSATION_NOT_FOUND'],
  })
    .input(z.strictObject({ id: Id, text }))
    .output(Note),

  update: route('PATCH /notes/{id}', 'member', 'rows', {
    summary: 'Change a note, as its author or an admin',
    errors: ['NOTE_NOT_FOUND'],
  })
    .input(z.strictObject({ id: Id, text }))
    .output(Note),

  remove: route('DELETE /notes/{id}', 'member', 'rows', {
    summary: 'Delete a note, as its author or an admin',
    errors: ['NOTE_NOT_FOUND'],
  }).input(z.strictObject({ id: Id })),
}
