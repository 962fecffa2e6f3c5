import { formatCount } from '@x-automated/contract/format'
import type { Template } from '@x-automated/contract/outreach/templates'
import { Button } from '../../../ui/button'
import { Sheet } from '../../../ui/dialog'
import type { ShownDialog } from '../../../ui/use-dialogs'
import { StepTexts } from '../sequences/messages-card'
import { draftOfTemplate } from '../sequences/sequence-draft'
import { authorText, rateText } from './template-text'

interface TemplateSheetProps extends ShownDialog {
  template: Template
  /** Undefined for viewers, and for archived templates. */
  onUse?: (() => void) | undefined
}

/** The messages of a template, and what became of its campaigns. */
export function TemplateSheet({ template, open, onClose, onUse }: TemplateSheetProps) {
  const { name, folder, campaignCount, replyRate, positiveRate } = template
  return (
    <Sheet
      open={open}
      onClose={onClose}
      title={name}
      description={[folder, authorText(template)].filter(Boolean).join(' · ')}
      footer={
        onUse && (
          <Button variant="primary" onClick={onUse}>
            Start a campaign
          </Button>
        )
      }
    >
      <div className="grid gap-6">
        <p className="text-muted" data-numeric>
          {campaignCount === 0
            ? 'No campaign was started from it yet.'
            : `Used in ${formatCount(campaignCount, 'campaign')} · ${rateText(replyRate)} replied · ${rateText(positiveRate)} positive`}
        </p>
        <StepTexts draft={draftOfTemplate(template.steps)} />
      </div>
    </Sheet>
  )
}
