import { undoUpdate } from '../../../core/conversations/changes.ts'
import { saveDraft } from '../../../core/conversations/drafts.ts'
import { createNote, removeNote, updateNote } from '../../../core/conversations/notes.ts'
import { member } from '../../../operations.ts'
import type { RequestContext } from '../../../requests/context.ts'
import { answer } from './answers.ts'
import { update, updateMany } from './changes.ts'
import { find, list, type ReadConversation } from './conversations.ts'
import { withAuthor } from './notes.ts'

const withPicture = <C extends ReadConversation>({ pictures }: Pick<RequestContext, 'pictures'>, conversation: C) => ({
  ...conversation,
  lead: pictures.withUrl(conversation.lead),
})

export const conversationRoutes = {
  list: member.conversations.list.handler(async ({ context, input }) => {
    const { conversations, ...page } = await list(context.db, context.actor, input)
    return { conversations: conversations.map((conversation) => withPicture(context, conversation)), ...page }
  }),
  find: member.conversations.find.handler(async ({ context, input }) =>
    withPicture(context, await find(context.db, context.actor, input)),
  ),
  update: member.conversations.update.handler(async ({ context, input }) =>
    withPicture(context, await update(context.db, context.actor, input)),
  ),
  updateMany: member.conversations.updateMany.handler(({ context, input }) =>
    updateMany(context.db, context.actor, input),
  ),
  undoUpdate: member.conversations.undoUpdate.handler(({ context, input }) =>
    undoUpdate(context.db, context.actor, input.undoId),
  ),
  answer: member.conversations.answer.handler(({ context, input, signal }) =>
    answer(context, context.actor, input, signal),
  ),
  saveDraft: member.conversations.saveDraft.handler(({ context, input }) =>
    saveDraft(context.db, context.actor, input),
  ),
}

export const noteRoutes = {
  create: member.notes.create.handler(async ({ context, input }) =>
    withAuthor(context.db, await createNote(context.db, context.actor, input)),
  ),
  update: member.notes.update.handler(async ({ context, input }) =>
    withAuthor(context.db, await updateNote(context.db, context.actor, input)),
  ),
  remove: member.notes.remove.handler(({ context, input }) => removeNote(context.db, context.actor, input.id)),
}
