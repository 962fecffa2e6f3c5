import type { Note } from '@x-automated/contract/outreach/conversations'
import { Pencil, Plus, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { api, client } from '../../../api'
import { Button, IconButton } from '../../../ui/button'
import { DateTime } from '../../../ui/date-time'
import { Field } from '../../../ui/field'
import { Form } from '../../../ui/form'
import { Textarea } from '../../../ui/input'
import { lengthProps } from '../../../ui/length-props'
import { toast } from '../../../ui/toast'
import { useFocusFallback } from '../../../ui/use-focus-fallback'
import { useAction } from '../../../use-action'
import { useIsOffered } from '../../identity/people/use-role'
import { undoButton, useMembers } from './use-inbox'

/** Maximum length of a note, in characters. */
const NOTE_MAX = 10_000

interface NotesProps {
  conversationId: string
  /** Oldest first. */
  notes: readonly Note[]
}

/** Members' notes on a conversation. The lead never sees them. */
export function Notes({ conversationId, notes }: NotesProps) {
  const [isAdding, setAdding] = useState(false)
  // Saving a note removes its form, which had the focus.
  const focusFallback = useFocusFallback<HTMLElement>()
  return (
    <section {...focusFallback} className="grid gap-2">
      <div className="flex items-center justify-between">
        <h3 className="font-strong">Notes</h3>
        {!isAdding && <IconButton size="sm" label="Add a note" icon={<Plus />} onClick={() => setAdding(true)} />}
      </div>
      {isAdding && (
        <NoteForm
          id={conversationId}
          save={(text) => client.notes.create({ id: conversationId, text })}
          onClose={() => setAdding(false)}
        />
      )}
      {notes.length > 0 && (
        <ul className="grid gap-3">
          {notes.toReversed().map((note) => (
            <NoteItem key={note.id} conversationId={conversationId} note={note} />
          ))}
        </ul>
      )}
    </section>
  )
}

function NoteItem({ conversationId, note }: { conversationId: string; note: Note }) {
  const [isEditing, setEditing] = useState(false)
  const isAdmin = useIsOffered('admin')
  const isOwn = useMembers().members.some(({ id, isYou }) => isYou && id === note.author.id)
  const refetches = [api.conversations.find]
  const restore = useAction(() => client.notes.create({ id: conversationId, text: note.text }), {
    failed: 'Failed to restore the note. Please try again.',
    refetches,
  })
  const remove = useAction(() => client.notes.remove({ id: note.id }), {
    // Restoring someone else's note would make it the user's own.
    ...(!isOwn && {
      question: { title: 'Delete this note?', body: 'It cannot be restored.', confirm: 'Delete', danger: true },
    }),
    onSuccess() {
      if (isOwn) toast.success('Note deleted', { action: undoButton(() => restore.run()) })
    },
    failed: 'Failed to delete the note. Please try again.',
    refetches,
  })
  if (isEditing)
    return (
      <li>
        <NoteForm
          id={note.id}
          text={note.text}
          save={(text) => client.notes.update({ id: note.id, text })}
          onClose={() => setEditing(false)}
        />
      </li>
    )
  return (
    <li className="grid gap-0.5 text-xs">
      <bdi className="whitespace-pre-wrap wrap-anywhere">{note.text}</bdi>
      <span className="flex min-h-8 items-center gap-1 text-muted">
        <span className="me-auto min-w-0 truncate">
          {note.author.name}, <DateTime value={note.createdAt} precision="day" />
        </span>
        {(isOwn || isAdmin) && (
          <>
            <IconButton size="sm" label="Edit note" icon={<Pencil />} onClick={() => setEditing(true)} />
            <IconButton
              size="sm"
              label="Delete note"
              icon={<Trash2 />}
              loading={remove.isPending}
              onClick={() => remove.run()}
            />
          </>
        )}
      </span>
    </li>
  )
}

interface NoteFormProps {
  /** Of the note, or of the conversation of a new one. */
  id: string
  text?: string
  save: (text: string) => Promise<Note>
  onClose: () => void
}

function NoteForm({ id, text: before = '', save, onClose }: NoteFormProps) {
  const [text, setText] = useState(before)
  const length = lengthProps(text, NOTE_MAX)
  const isReady = text.trim() !== '' && length.error === undefined
  const action = useAction(save, {
    onSuccess: onClose,
    failed: 'Failed to save the note. Please try again.',
    refetches: [api.conversations.find],
  })
  return (
    <Form
      name="note"
      record={id}
      className="gap-2"
      onSubmit={() => {
        if (isReady) action.run(text.trim())
      }}
    >
      <Field label="Note" hideLabel {...length}>
        <Textarea
          autoFocus
          placeholder="Only your workspace sees this"
          className="min-h-16!"
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
          aria-keyshortcuts="Control+Enter Meta+Enter"
          onKeyDown={(event) => {
            // Only Cancel discards typed text.
            if (event.key === 'Escape' && text === before) onClose()
            else if (event.key === 'Escape') event.currentTarget.blur()
            if (event.key === 'Enter' && (event.metaKey || event.ctrlKey)) event.currentTarget.form?.requestSubmit()
          }}
        />
      </Field>
      <div className="flex justify-end gap-2">
        <Button type="reset" size="sm" variant="ghost" onClick={onClose}>
          Cancel
        </Button>
        <Button size="sm" type="submit" disabled={!isReady} loading={action.isPending}>
          Save note
        </Button>
      </div>
    </Form>
  )
}
