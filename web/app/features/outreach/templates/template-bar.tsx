import { BookmarkPlus, BookText } from 'lucide-react'
import { Button } from '../../../ui/button'
import { useDialogs } from '../../../ui/use-dialogs'
import { isWritten } from '../sequences/sequence-draft'
import type { SequenceEditor } from '../sequences/use-sequence-draft'
import { SaveTemplateDialog } from './save-template-dialog'
import { TemplatePicker } from './template-picker'
import type { StartingTemplate } from './use-starting-template'

interface TemplateBarProps {
  editor: SequenceEditor
  template: StartingTemplate
  /** The campaign's name, which a new template gets. */
  name: string
}

/** The bar above a new campaign's messages, to start from a template or save the messages as one. */
export function TemplateBar({ editor, template, name }: TemplateBarProps) {
  const dialogs = useDialogs<'pick' | 'save'>()
  const { started } = template
  return (
    <div className="grid gap-2">
      <div className="flex flex-wrap gap-2">
        <Button size="sm" icon={<BookText aria-hidden />} onClick={() => dialogs.show('pick')}>
          Start from a template
        </Button>
        <Button
          size="sm"
          variant="ghost"
          icon={<BookmarkPlus aria-hidden />}
          disabled={!isWritten({ ...editor.draft, reengagement: null })}
          onClick={() => dialogs.show('save')}
        >
          Save as template
        </Button>
      </div>
      {started && (
        <p className="text-xs text-muted wrap-anywhere">
          Started from “<bdi>{started.name}</bdi>”. {started.leftOut}
        </p>
      )}
      {dialogs.render((kind, props) =>
        kind === 'pick' ? (
          <TemplatePicker onPick={template.start} {...props} />
        ) : (
          <SaveTemplateDialog draft={editor.draft} name={name} {...props} />
        ),
      )}
    </div>
  )
}
