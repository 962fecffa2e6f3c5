import { Braces } from 'lucide-react'
import type { RefObject } from 'react'
import { Button } from '../../../ui/button'
import { Menu, MenuItem } from '../../../ui/menu'
import { placeholders } from '../campaigns/message-template'

interface InsertMenuProps {
  textarea: RefObject<HTMLTextAreaElement | null>
  onChange: (value: string) => void
}

/** Inserts a variable at the cursor of a message. */
export function InsertMenu({ textarea, onChange }: InsertMenuProps) {
  const insert = (variable: string) => {
    const box = textarea.current
    if (!box) return
    box.setRangeText(variable, box.selectionStart, box.selectionEnd, 'end')
    onChange(box.value)
  }
  return (
    <Menu
      align="start"
      finalFocus={textarea}
      trigger={
        <Button size="sm" variant="ghost" icon={<Braces />}>
          Insert
        </Button>
      }
    >
      {placeholders.map(({ text, hint }) => (
        <MenuItem key={text} onSelect={() => insert(text)}>
          <span className="grid gap-0.5 py-1">
            <code className="text-xs wrap-anywhere">{text}</code>
            <span className="text-xs text-muted">{hint}</span>
          </span>
        </MenuItem>
      ))}
    </Menu>
  )
}
