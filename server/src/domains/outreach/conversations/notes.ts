import { and, desc, eq } from 'drizzle-orm'
import type { Actor } from '../../../actor.ts'
import type { Note } from '../../../core/conversations/notes.ts'
import { conversationNotes } from '../../../core/tables/conversations.ts'
import { one } from '../../../db/one.ts'
import type { Db } from '../../../db/open.ts'
import { DELETED_ACCOUNT, findNames } from '../../identity/people/members.ts'

/** How many notes a conversation shows. */
const NOTES_MAX = 200

/** The latest notes of a conversation, oldest first. */
export async function notesOf(db: Db, { workspaceId }: Actor, conversationId: string) {
  const rows = await db
    .select()
    .from(conversationNotes)
    .where(and(eq(conversationNotes.workspaceId, workspaceId), eq(conversationNotes.conversationId, conversationId)))
    .orderBy(desc(conversationNotes.createdAt), desc(conversationNotes.id))
    .limit(NOTES_MAX)
  return withAuthors(db, rows.reverse())
}

/** A note with the name of its author. */
export const withAuthor = async (db: Db, note: Note) => one(await withAuthors(db, [note]))

async function withAuthors(db: Db, rows: readonly Note[]) {
  const names = await findNames(
    db,
    rows.map(({ authorId }) => authorId),
  )
  return rows.map(({ authorId, ...row }) => ({
    ...row,
    author: { id: authorId, name: names.get(authorId) ?? DELETED_ACCOUNT },
  }))
}
