import { CopyButton } from '../../../ui/copy-button'
import { Field } from '../../../ui/field'
import { Input } from '../../../ui/input'

/** A link to copy. Focusing it selects it. */
export function ReferralLink({ link }: { link: string }) {
  return (
    <div className="flex items-end gap-2">
      <Field label="Your referral link" className="min-w-0 flex-1">
        <Input readOnly value={link} onFocus={(event) => event.currentTarget.select()} className="text-ellipsis" />
      </Field>
      <CopyButton text={link} />
    </div>
  )
}
